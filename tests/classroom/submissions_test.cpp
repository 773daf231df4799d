#include "classroom/submissions.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "catch.hpp"
#include "course/progress.hpp"
#include "support/error.hpp"
#include "support/file.hpp"
#include "temporary_directory.hpp"

using namespace gemm_tutor;
namespace fs = std::filesystem;

namespace {

// A folder of submissions under the test's hand.
struct Class {
  TemporaryDirectory directory;

  fs::path path(const std::string& name) const { return directory.path() / name; }
  void add(const std::string& name, const std::string& contents = "__global__ void k() {}\n") {
    REQUIRE(write_file_atomically(path(name), contents));
  }
  Submissions find(const std::vector<const Exercise*>& exercises = {}) const {
    return find_submissions(directory.path(), exercises);
  }
};

const Exercise& tile() { return find_exercise("shared-memory-tile"); }
const Exercise& naive() { return find_exercise("naive-coalesced"); }

std::vector<std::string> names(const Submissions& all) {
  std::vector<std::string> result;
  for (const Student& student : all.students) result.push_back(student.name);
  return result;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("folders and files are students, in the order of their bytes") {
  Class all;
  all.add("zoe/03-shared-memory-tile.cu");
  all.add("Anna/deep/er/3.cu");
  all.add("bob/exercise-03.cu");
  all.add("chris.cu", tile().handout);
  all.add("\xc3\xa4nne/shared-memory-tile.cu");
  all.add(".hidden/3.cu");
  all.add("grades.csv", "student\n");
  const Submissions found = all.find();
  CHECK(found.exercises == std::vector{&tile()});
  CHECK(names(found) == Names{"Anna", "bob", "chris", "zoe", "\xc3\xa4nne"});
  for (const Student& student : found.students) {
    INFO(student.name);
    REQUIRE(student.submissions.size() == 1);
    CHECK(student.submissions[0].exercise == &tile());
    CHECK(student.submissions[0].trouble == "");
  }
  CHECK(found.notes.empty());
}

TEST_CASE("a file's first line says more than its name, and more than one exercise may be there") {
  Class all;
  all.add("anna/02-naive-coalesced.cu", tile().handout);
  all.add("anna/other.txt", naive().handout);
  all.add("bob/readme.txt", "I did it all alone.\n");
  all.add("bob/2.cu");
  const Submissions found = all.find();
  CHECK(found.exercises == std::vector{&naive(), &tile()});
  REQUIRE(found.students.size() == 2);
  const auto& anna = found.students[0].submissions;
  REQUIRE(anna.size() == 2);
  CHECK(anna[0].file.filename() == "other.txt");
  CHECK(anna[1].file.filename() == "02-naive-coalesced.cu");
  CHECK(found.students[1].submissions.size() == 1);
  CHECK(found.notes.empty());
}

TEST_CASE("of files for no exercise, one is for the only one that is graded and others are noted") {
  Class all;
  all.add("anna/mine.cu");
  all.add("bob.cu");
  CHECK_THROWS_AS(all.find(), Error);
  const Submissions found = all.find({&tile()});
  CHECK(found.students[0].submissions.size() == 1);
  CHECK(found.students[1].submissions.size() == 1);

  const Submissions both = all.find({&tile(), &naive()});
  CHECK(both.exercises == std::vector{&tile(), &naive()});
  CHECK(both.students[0].submissions.empty());
  CHECK(both.notes == Names{"anna/mine.cu: for no exercise that is graded",
                            "bob.cu: for no exercise that is graded"});
}

TEST_CASE("of two files for an exercise the handout's own name counts, else neither") {
  Class all;
  all.add("anna/3.cu");
  all.add("anna/03-shared-memory-tile.cu");
  all.add("bob/3.cu");
  all.add("bob/old/03.cu");
  const Submissions found = all.find();
  CHECK(found.students[0].submissions[0].file.filename() == "03-shared-memory-tile.cu");
  CHECK(found.students[1].submissions[0].trouble ==
        "2 files are for this exercise, such as 3.cu and old/03.cu");
}

TEST_CASE("whose solution was taken is known of students who handed in their progress") {
  Progress progress;
  progress.exercises[tile().slug].solution_taken = true;
  progress.exercises[naive().slug].solved = true;
  Class all;
  for (const char* file : {"anna/3.cu", "bob.cu", "chris/3.cu", "dora/3.cu", "eve/3.cu"}) {
    all.add(file, tile().handout);
  }
  all.add("anna/my-progress.json", progress_text(progress));
  all.add("bob.json", progress_text({}));
  all.add("chris/settings.json", "{}");
  all.add("dora/progress.json", R"({"version": 99})");
  fs::create_symlink(all.path("anna/my-progress.json"), all.path("eve/progress.json"));
  const Submissions found = all.find();
  REQUIRE(names(found) == Names{"anna", "bob", "chris", "dora", "eve"});
  CHECK(found.students[0].has_taken(tile()) == true);
  CHECK(found.students[0].has_taken(naive()) == false);
  CHECK(found.students[1].has_taken(tile()) == false);
  for (const int unknown : {2, 3, 4}) CHECK_FALSE(found.students[unknown].has_taken(tile()));
  CHECK(found.notes == Names{"dora/progress.json: from a newer gemm-tutor",
                             "eve/progress.json: a link, which is not followed"});
}

TEST_CASE("links, folders with too much in them, and two of a name") {
  Class all;
  all.add("anna/3.cu");
  all.add("anna.cu", tile().handout);
  for (int i = 0; i < 1001; ++i) all.add("bob/" + std::to_string(i) + ".dat", "");
  all.add("bob/3.cu");
  all.add("deep/1/2/3/3.cu");
  fs::create_directory_symlink(all.path("anna"), all.path("eve"));
  fs::create_symlink("/etc/passwd", all.path("anna/link.txt"));
  const Submissions found = all.find();
  CHECK(names(found) == Names{"anna", "anna", "bob", "deep", "eve"});
  CHECK(found.students[2].submissions[0].trouble == "the folder holds more than 1,000 entries");
  CHECK(found.students[3].submissions.empty());
  CHECK(found.students[4].submissions[0].trouble == "a link, which is not followed");
  CHECK(found.notes == Names{"deep/1/2/3: more than 3 folders deep, and not looked into",
                             "anna: two entries have this name, and each is graded"});
}

TEST_CASE("names of Moodle's and Canvas' downloads give the student's name and number") {
  Class all;
  all.add("Ada Lovelace_123_assignsubmission_file_/mine.cu", tile().handout);
  all.add("Ben O'Hara_7_assignsubmission_file_3.cu");
  all.add("Ben O'Hara_7_assignsubmission_file_2.cu");
  all.add("lovelaceada_12_3456_3.cu");
  all.add("lovelaceada_12_3457_x.cu", naive().handout);
  all.add("oharaben_LATE_9_10_a_b.cu", tile().handout);
  all.add("_assignsubmission_/3.cu");
  all.add("dora_x_1_3.cu", tile().handout);
  const Submissions found = all.find();
  CHECK(names(found) == Names{"Ada Lovelace", "Ben O'Hara", "_assignsubmission_", "dora_x_1_3",
                              "lovelaceada", "oharaben"});
  Names ids;
  for (const Student& student : found.students) ids.push_back(student.id);
  CHECK(ids == Names{"123", "7", "", "", "12", "9"});
  CHECK(found.students[1].submissions.size() == 2);
  CHECK(found.students[4].submissions.size() == 2);
  CHECK(found.notes.empty());
}

TEST_CASE("a student who calls a file like one of Moodle's takes nobody's number in Canvas") {
  Class all;
  all.add("lovelaceada_12_3456_x_99_assignsubmission_file_3.cu", tile().handout);
  all.add("oharaben_99_3457_3.cu", tile().handout);
  const Submissions found = all.find();
  CHECK(names(found) == Names{"lovelaceada", "oharaben"});
  CHECK(found.students[0].id == "12");
  CHECK(found.students[1].id == "99");
  CHECK(found.notes.empty());
}

TEST_CASE("two names with one number are noted") {
  Class all;
  all.add("Ada_7_assignsubmission_file_/3.cu");
  all.add("Zoe_7_assignsubmission_file_/3.cu");
  CHECK(all.find().notes == Names{"Ada and Zoe have the same number, 7, and each is graded"});
}

TEST_CASE("names with numbers that are not Canvas's are names: folders, and one number twice") {
  Class folders;
  folders.add("hw_2026_1_ada/3.cu");
  folders.add("hw_2026_2_bob/3.cu");
  CHECK(names(folders.find()) == Names{"hw_2026_1_ada", "hw_2026_2_bob"});
  Class files;
  for (const char* name : {"hw_2026_1_ada.cu", "hw_2026_1_bob.cu", "hw_2026_2_zoe.cu"}) {
    files.add(name, tile().handout);
  }
  CHECK(names(files.find()) == Names{"hw_2026_1_ada", "hw_2026_1_bob", "hw_2026_2_zoe"});
}

TEST_CASE("files that are named by numbers are students, unless each is for that exercise") {
  Class numbers;
  for (const char* name : {"1.cu", "3.cu", "5.cu", "21.cu"}) numbers.add(name, tile().handout);
  CHECK(names(numbers.find()) == Names{"1", "21", "3", "5"});
  for (const Student& student : numbers.find().students) CHECK(student.submissions.size() == 1);
  Class twice;
  twice.add("3.cu");
  twice.add("03.cu");
  CHECK(names(twice.find({&tile()})) == Names{"03", "3"});
}

TEST_CASE("of several folders of a student nothing is lost") {
  Progress progress;
  progress.exercises[tile().slug].solution_taken = true;
  Class all;
  all.add("Ada_7_assignsubmission_file_/3.cu");
  all.add("Ada_7_assignsubmission_onlinetext_/mine.json", progress_text(progress));
  all.add("Ada_7_assignsubmission_other_/progress.json", "damaged");
  all.add("Ben_8_assignsubmission_file_/3.cu");
  for (int i = 0; i < 1001; ++i) {
    all.add("Ben_8_assignsubmission_onlinetext_/" + std::to_string(i) + ".dat", "");
  }
  const Submissions found = all.find();
  REQUIRE(names(found) == Names{"Ada", "Ben"});
  CHECK(found.students[0].has_taken(tile()) == true);
  CHECK(found.students[1].submissions[0].trouble == "the folder holds more than 1,000 entries");
  CHECK(found.notes == Names{"Ada/progress.json: damaged, or holds no progress"});
}

TEST_CASE("archives are noted, and files of one name are told apart by their folders") {
  Class all;
  all.add("3.zip", "PK");
  all.add("ada/3.zip", "PK");
  all.add("ada/deep/more.tar.gz", "");
  all.add("bob/first/3.cu");
  all.add("bob/second/3.cu");
  const Submissions found = all.find({&tile()});
  CHECK(names(found) == Names{"ada", "bob"});
  CHECK(found.students[1].submissions[0].trouble ==
        "2 files are for this exercise, such as first/3.cu and second/3.cu");
  CHECK(found.notes == Names{"3.zip: an archive, which is not unpacked",
                             "ada/3.zip: an archive, which is not unpacked; deep/more.tar.gz: an "
                             "archive, which is not unpacked"});
  // Archives alone say no exercise.
  for (const char* archive : {"ada/3.zip", "3.zip"}) {
    INFO(archive);
    Class alone;
    alone.add(archive, "PK");
    CHECK(contains(error_of([&] { alone.find(); }).help(), "Unpack"));
  }
}

TEST_CASE("no student is called like an exercise: the file's folder has the name") {
  Class all;
  all.add("ada/3.cu");
  all.add("ada/02-naive-coalesced.cu");
  const Submissions found = find_submissions(all.path("ada"), {});
  CHECK(names(found) == Names{"ada"});
  CHECK(found.students[0].submissions.size() == 2);
}

TEST_CASE("one student's file or folder") {
  Class all;
  all.add("ada/3.cu");
  all.add("mine.cu", "int");
  const Submissions folder = find_submission(all.path("ada"), {&tile(), &naive()});
  CHECK(names(folder) == Names{"ada"});
  CHECK(folder.students[0].submissions.size() == 1);
  CHECK(find_submission(all.path("ada/3.cu"), {}).exercises == std::vector{&tile()});
  CHECK(find_submission(all.path("mine.cu"), {&tile()}).students[0].submissions.size() == 1);
  try {
    find_submission(all.path("mine.cu"), {});
    FAIL("there is no error");
  } catch (const Error& error) {
    CHECK(error.help() == "Name the exercise, as in --exercise 3.");
  }
  CHECK_THROWS_AS(find_submission(all.path("nothing.cu"), {&tile()}), Error);
}

TEST_CASE("a student's folder that may not be read is said to be so") {
  if (geteuid() == 0) SKIP_BECAUSE("this user may read everything");
  Class all;
  all.add("anna/3.cu");
  all.add("bob/3.cu");
  fs::permissions(all.path("bob"), fs::perms::none);
  const Submissions found = all.find();
  fs::permissions(all.path("bob"), fs::perms::owner_all);
  CHECK(found.students[1].submissions[0].trouble == "the folder cannot be read: Permission denied");
}

TEST_CASE("only ordinary files of a moderate size are read, and none is waited for") {
  Class all;
  all.add("plain.cu", "text");
  all.add("full.cu", std::string(largest_submission, 'x'));
  all.add("large.cu", std::string(largest_submission + 1, 'x'));
  all.add("huge.cu");
  fs::resize_file(all.path("huge.cu"), std::uintmax_t{1} << 30);  // a hole
  fs::create_symlink(all.path("plain.cu"), all.path("link.cu"));
  fs::create_directory(all.path("folder.cu"));
  REQUIRE(mkfifo(all.path("fifo.cu").c_str(), 0600) == 0);
  const auto trouble = [&](const char* name) { return read_submission(all.path(name)).trouble; };
  CHECK(read_submission(all.path("plain.cu")).contents == "text");
  CHECK(read_submission(all.path("full.cu")).contents.size() == largest_submission);
  CHECK(trouble("large.cu") ==
        "1,048,577 bytes, more than the 1,048,576 that a submission may have");
  CHECK(trouble("huge.cu") ==
        "1,073,741,824 bytes, more than the 1,048,576 that a submission may have");
  CHECK(trouble("link.cu") == "a link, which is not followed");
  CHECK(trouble("folder.cu") == "a folder");
  CHECK(trouble("fifo.cu") == "not an ordinary file");
  CHECK(trouble("nothing.cu") == "cannot be read: No such file or directory");
  CHECK(read_submission("/dev/null").trouble == "not an ordinary file");
}

TEST_CASE("a folder that is none, or empty, is an error that says so") {
  const Class all;
  const auto message = [](const fs::path& path) {
    try {
      find_submissions(path, {});
    } catch (const Error& error) {
      CHECK(error.status() == ExitStatus::usage);
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(message("/no/such/folder") == "'/no/such/folder' does not exist");
  CHECK(message("/dev/null") == "'/dev/null' is no folder");
  CHECK(message(all.directory.path()).ends_with("holds no submission"));
}
