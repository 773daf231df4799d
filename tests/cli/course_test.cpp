// A teacher's course: the example of docs/teaching.md, and what is wrong with others.
#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <regex>

#include "documents/json.hpp"
#include "errors.hpp"
#include "support/file.hpp"
#include "temporary_directory.hpp"

using namespace gemm_tutor;

namespace {

namespace fs = std::filesystem;

// The files that docs/teaching.md shows: "### `PATH`", then a block of code.
std::map<std::string, std::string> documented_files() {
  std::map<std::string, std::string> files;
  std::string path;
  bool in_code = false;
  for (const std::string& line :
       split_lines(read_file(PROJECT_SOURCE_DIR "/docs/teaching.md").value())) {
    if (in_code && line == "```") {
      in_code = false;
      path.clear();
    } else if (in_code) {
      files[path] += line + "\n";
    } else if (line.starts_with("### `")) {
      path = line.substr(5, line.rfind('`') - 5);
    } else if (line.starts_with("```") && !path.empty()) {
      in_code = true;
    }
  }
  return files;
}

class Course {
 public:
  Course() {
    for (const auto& [path, contents] : documented_files()) write(path, contents);
  }

  ProgramResult run(const std::string& arguments) const {
    return run_program(arguments + fmt::format(" --course '{}'", path("my-course").string()));
  }
  fs::path path(const std::string& name) const { return directory_.path() / name; }
  std::string text(const std::string& name) const { return read_file(path(name)).value(); }
  void write(const std::string& name, const std::string& contents) const {
    REQUIRE(write_file_atomically(path(name), contents));
  }
  // A further lesson that is 60-strip by another name, with these first lines of lesson.toml.
  void add_copy(const std::string& folder, const std::string& keys) const {
    const std::string slug = folder.substr(folder.find('-') + 1);
    for (const auto& [name, contents] : documented_files()) {
      const std::string file = fs::path(name).filename().string();
      const std::string copy = std::regex_replace(contents, std::regex("strip"), slug);
      write("my-course/" + folder + "/" + file, (file == "lesson.toml" ? keys : "") + copy);
    }
  }

 private:
  TemporaryDirectory directory_;
};

}  // namespace

TEST_CASE("the documented course has its four files") { CHECK(documented_files().size() == 4); }

TEST_CASE("a shell completes the lessons of the documented course") {
  const Course course;
  const std::string folder = course.path("my-course").string();
  const std::string lesson_words = fmt::format("complete --course '{}' lesson ''", folder);
  CHECK(contains(run_program(lesson_words).output, "\n60\t\n"));
  CHECK(contains(
      run_program("complete lesson ''", fmt::format("GEMM_TUTOR_COURSE='{}'", folder)).output,
      "\n60\t\n"));
  CHECK_FALSE(contains(run_program("complete lesson ''").output, "\n60\t\n"));
}

TEST_CASE("the documented course is listed, shown and counted") {
  const Course course;
  const ProgramResult list = course.run("list");
  CHECK(list.status == 0);
  CHECK(contains(list.output, "60  strip"));
  CHECK(contains(list.output, "A strip for each thread"));

  const ProgramResult lesson = course.run("lesson 60 --size 64 --backend emulator");
  INFO(lesson.output << lesson.error);
  CHECK(lesson.status == 0);
  CHECK(contains(lesson.output, "Lesson 60 · A strip for each thread"));
  CHECK(contains(lesson.output, "loads four floats") == false);
  const Json json =
      Json::parse(course.run("lesson 60 --size 64 --backend emulator --format json").output);
  CHECK(json["traffic"]["predicted"] == json["traffic"]["counted"]);
  CHECK(json["traffic"]["counted"]["load_floats"] == 64 * 64 * 64 * 5 / 4);
  CHECK_FALSE(json.contains("comparison"));

  const ProgramResult other = course.run("lesson strip --size 50 --set TN=2 --backend emulator");
  CHECK(other.status == 0);
  CHECK(contains(other.output, "strip<8, 64, 2>"));
}

TEST_CASE("a course's lesson may have all that one of the program's own has") {
  const Course course;
  const std::string file = "my-course/60-strip/lesson.toml", text = course.text(file);
  const std::string further = R"toml(constraints = [ "BN % TN == 0" ]
notes = [ { code = "const float a", text = "Loaded once for the whole strip." } ]

[[kernel.questions]]
id = "loads"
ask = "How many floats does a thread load in a step, for its {TN} elements?"
unit = "floats"
work = "1 + TN"
count = "load_floats/(blocks·threads·K)"
why = "One of A and {TN} of B."
whole_tiles = true

[exercise])toml";
  const std::string mark = "[exercise]";
  course.write(file, "changes = 2\nchange = \"A thread has a strip.\"\n" +
                         std::string(text).replace(text.find(mark), mark.size(), further));
  const ProgramResult lesson = course.run("lesson 60 --size 64 --backend emulator");
  INFO(lesson.output << lesson.error);
  CHECK(contains(lesson.output, "1.6× less than lesson 2"));
  CHECK(contains(lesson.output, "A thread has a strip."));
  check_error(course.run("lesson 60 --set TN=3 --backend emulator"), 2,
              {"BM=8, BN=64, TN=3: BN is not a multiple of TN", "second --set"});
  const ProgramResult walk = run_shell(
      "printf '\\n\\n\\n5\\n\\n\\n\\nq\\n' | \"$PROGRAM\" learn 60 --size 64 --backend emulator "
      "--plain",
      fmt::format("GEMM_TUTOR_COURSE='{}'", course.path("my-course").string()));
  INFO(walk.output << walk.error);
  CHECK(contains(walk.output, "Loaded once for the whole strip."));
  CHECK(contains(walk.output, "for its 4 elements?"));
}

TEST_CASE("a lesson may vary the settings of another, without code of its own") {
  const Course course;
  course.write("my-course/61-wide/lesson.md", "# A wider strip\n\nA thread has eight elements.\n");
  course.write("my-course/61-wide/lesson.toml", R"toml(changes = 60
change = "A thread computes eight elements."

[kernel]
name = "wide_strip"
of = "strip"
values = { TN = 8 }
)toml");
  const std::string options = " --size 64 --backend emulator";
  const ProgramResult lesson = course.run("lesson 61" + options);
  INFO(lesson.output << lesson.error);
  CHECK(lesson.status == 0);
  CHECK(contains(lesson.output, "Lesson 61 · A wider strip"));
  CHECK(contains(lesson.output, "Settings: TN 4 → 8."));
  CHECK(contains(lesson.output, "strip<8, 64, 8><<<"));
  CHECK(contains(lesson.output, "60-strip/kernel.cu"));
  CHECK(contains(lesson.output, "less than lesson 60"));
  const Json json = Json::parse(course.run("lesson 61 --format json" + options).output);
  CHECK(json["lesson"]["kernel"] == "wide_strip");
  CHECK(json["lesson"]["function"] == "strip");
  CHECK(json["traffic"]["counted"]["load_floats"] == 64 * 64 * 64 * 9 / 8);
  CHECK(contains(course.run("lesson 61 --kernel wide_strip --set TN=2" + options).output,
                 "strip<8, 64, 2><<<"));
  check_error(course.run("lesson 61 --kernel strip"), 2, {"wide_strip"});

  const ProgramResult ladder = course.run("compare 60 61" + options);
  INFO(ladder.output << ladder.error);
  CHECK(ladder.output.find("60 strip") < ladder.output.find("61 wide_strip"));
  CHECK(contains(course.run("trace 61 --size 64").output, "Trace of lesson 61"));
  CHECK(contains(course.run("trace 61 --size 64 --thread 3").output,
                 "Owns     8 elements of C: C[0][24…31]"));
  check_error(course.run("exercise start 61"), 2, {"61"});

  const std::string terms = course.text("my-course/60-strip/lesson.toml");
  course.write("my-course/61-wide/exercise.toml", terms.substr(terms.find("[exercise]")));
  course.write("my-course/61-wide/exercise.cu", course.text("my-course/60-strip/exercise.cu"));
  const std::string folder = course.path("").string();
  CHECK(course.run(fmt::format("exercise start 61 --dir '{}'", folder)).status == 0);
  const std::string mine = course.path("61-wide.cu").string();
  CHECK(course.run(fmt::format("check '{}'", mine)).status == 1);
  course.write("61-wide.cu", course.text("my-course/60-strip/kernel.cu"));
  const ProgramResult solved = course.run(fmt::format("check '{}'", mine));
  INFO(solved.output << solved.error);
  CHECK(solved.status == 0);
}

TEST_CASE("lessons with letters come after the one without, and are found by number") {
  const Course course;
  course.add_copy("60b-wider", "changes = 60\nchange = \"It is wider.\"\n");
  course.add_copy("61-last", "changes = \"60b\"\nchange = \"It is the last.\"\n");
  const Json list = Json::parse(course.run("list --format json").output)["lessons"];
  const std::size_t first = list.size() - 3;
  CHECK(list[first]["number"] == 60);
  CHECK(list[first + 1]["number"] == "60b");
  CHECK(list[first + 2]["number"] == 61);
  CHECK(contains(course.run("list").output, "\n60b  wider "));
  const std::string words =
      fmt::format("complete --course '{}' lesson ''", course.path("my-course").string());
  CHECK(contains(run_program(words).output, "\n60\t\nstrip\t\n60b\t\nwider\t\n61\t\n"));

  const std::string options = " --size 64 --backend emulator";
  const std::string before = course.run("lesson 60" + options).output;
  CHECK(contains(before, "gemm-tutor --course DIR lesson 60b"));
  const std::string lesson = course.run("lesson 60b" + options).output;
  CHECK(contains(lesson, "Lesson 60b · A wider for each thread"));
  CHECK(contains(lesson, "as many floats as lesson 60 "));
  CHECK(contains(lesson, "gemm-tutor --course DIR exercise start 60b"));
  CHECK(contains(lesson, "gemm-tutor --course DIR lesson 61"));
  CHECK(contains(course.run("lesson 60B" + options).output, "Lesson 60b · "));
  CHECK(contains(course.run("lesson 61" + options).output, "as many floats as lesson 60b "));
  CHECK(contains(course.run("trace 60b --size 64").output, "Trace of lesson 60b"));
  const Json json = Json::parse(course.run("lesson 60b --format json" + options).output);
  CHECK(json["lesson"]["number"] == "60b");
  const std::string ladder = course.run("compare 61 60b 60 --size 64 --backend emulator").output;
  CHECK(ladder.find("60 strip") < ladder.find("60b wider"));
  CHECK(ladder.find("60b wider") < ladder.find("61 last"));

  for (const auto& [mistyped, nearest] : std::map<std::string, std::string>{
           {"60bb", "60b (wider)"}, {"60z", "60b (wider)"}, {"61b", "61 (last)"}}) {
    check_error(course.run("lesson " + mistyped), 2, {"'" + mistyped + "'", nearest});
  }
  check_error(course.run("lesson b60"), 2, {"there is no lesson 'b60'"});
  course.add_copy("60b-other", "");
  check_error(course.run("list"), 2, {"there is a lesson 60b (other) already", "Rename"});
}

TEST_CASE("the exercise of a lesson with a letter has it in its file's name, and is graded") {
  const Course course;
  course.add_copy("60b-wider", "changes = 60\nchange = \"It is wider.\"\n");
  const std::string folder = course.path("").string();
  const ProgramResult started = course.run(fmt::format("exercise start 60b --dir '{}'", folder));
  CHECK(started.status == 0);
  CHECK(contains(started.output, "Exercise 60b · "));
  CHECK(course.run(fmt::format("check '{}'", course.path("60b-wider.cu").string())).status == 1);
  CHECK(contains(course.run("hint 60b").output, "Exercise 60b"));
  CHECK(contains(course.run("exercise list").output, "\n  60b  wider "));
  course.write("submissions/anna/60b.cu", course.run("solution 60b --anyway").output);
  course.write("submissions/bob/exercise-60B.cu", course.text("my-course/60b-wider/kernel.cu"));
  const ProgramResult grades = course.run(fmt::format("grade '{}' --exercises 60b --json '{}'",
                                                      course.path("submissions").string(),
                                                      course.path("grades.json").string()));
  INFO(grades.output << grades.error);
  CHECK(contains(grades.output, "2 students · 2 of 2 solved"));
  CHECK(Json::parse(course.text("grades.json"))["exercises"][0]["number"] == "60b");
}

TEST_CASE("the walkthrough goes on to a lesson with a letter") {
  const Course course;
  course.add_copy("60b-wider", "changes = 60\nchange = \"It is wider.\"\n");
  const ProgramResult walk = run_shell(
      "printf '\\n\\n\\n\\n\\n\\n\\n\\n\\nq\\n' | \"$PROGRAM\" learn 60 --size 64 --backend "
      "emulator "
      "--plain",
      fmt::format("GEMM_TUTOR_COURSE='{}'", course.path("my-course").string()));
  INFO(walk.output << walk.error);
  CHECK(contains(walk.output, "Lesson 60b · A wider for each thread"));
  CHECK(contains(walk.output, "Your place is kept: lesson 60b, "));
}

TEST_CASE("the page of a course's lesson names the course, and not where it lies") {
  const Course course;
  const std::string page = course.path("60.html").string();
  REQUIRE(course.run("lesson 60 --size 64 --backend emulator --html '" + page + "'").status == 0);
  const std::string html = read_file(page).value();
  CHECK(contains(html, "<code>gemm-tutor --course DIR trace 60 --size 64</code>"));
  CHECK_FALSE(contains(html, course.path("").string()));
}

TEST_CASE("a heading that is not the title stays in a lesson's text") {
  const Course course;
  const std::string page = course.path("60.html").string(), file = "my-course/60-strip/lesson.md";
  const std::string text = course.text(file);
  const auto heading_shown = [&](const std::string& heading) {
    course.write(file, "# " + heading + "\n\n" + text);
    REQUIRE(course.run("lesson 60 --size 64 --backend emulator --html '" + page + "'").status == 0);
    return contains(read_file(page).value(), "<h2>" + heading + "</h2>");
  };
  CHECK(heading_shown("Another heading"));
  CHECK_FALSE(heading_shown("A strip for each thread"));
}

TEST_CASE("the documented exercise is handed out, fails, and is solved by its kernel") {
  const Course course;
  const std::string file = course.path("60-strip.cu").string();
  CHECK(course.run(fmt::format("exercise start 60 --dir '{}'", course.path("").string())).status ==
        0);
  const ProgramResult failed = course.run(fmt::format("check '{}'", file));
  CHECK(failed.status == 1);
  CHECK(contains(failed.output, "still as handed out: 1, 2"));
  course.write("60-strip.cu", course.run("solution 60 --anyway").output);
  const ProgramResult solved = course.run(fmt::format("check '{}'", file));
  INFO(solved.output);
  CHECK(solved.status == 0);
  // Without the course it is unknown.
  CHECK(run_program(fmt::format("check '{}'", file)).status == 2);
}

TEST_CASE("the documented exercise is graded") {
  const Course course;
  course.write("submissions/anna.cu", course.run("solution 60 --anyway").output);
  course.write("submissions/bob.cu", course.text("my-course/60-strip/exercise.cu"));
  // The course may be named from anywhere: the children that grade begin elsewhere.
  const ProgramResult result =
      run_shell(fmt::format("cd '{}' && \"$PROGRAM\" grade submissions --exercises strip --course "
                            "my-course",
                            course.path("").string()));
  INFO(result.output << result.error);
  CHECK(result.status == 0);
  CHECK(contains(result.output, "Exercise 60 · A strip for each thread\n"));
  CHECK(contains(result.output, "anna         50      25      25     100"));
  CHECK(contains(result.output, "2 students · 1 of 2 solved"));
}

TEST_CASE("the documented goal is missed by the mistake that it names") {
  const Course course;
  std::string source = course.run("solution 60 --anyway").output;
  const std::string good = "sum[j] += a * B", bad = "sum[j] += __ldcv(&A[row * K + k]) * B";
  const std::size_t at = source.find(good);
  REQUIRE(at != source.npos);
  course.write("mine.cu", source.replace(at, good.size(), bad));
  const ProgramResult result =
      course.run(fmt::format("check '{}'", course.path("mine.cu").string()));
  INFO(result.output);
  CHECK(result.status == 1);
  CHECK(contains(result.output, "Likely   Look at line "));
  CHECK_FALSE(contains(result.output, "So changed"));  // a hint
  const std::string json =
      course.run(fmt::format("check '{}' --format json", course.path("mine.cu").string())).output;
  CHECK(contains(json, "`a * B[k * N + column + j]`. So changed, the kernel solves"));
}

TEST_CASE("the course may be named by the environment, and walked through") {
  const Course course;
  const std::string environment =
      fmt::format("GEMM_TUTOR_COURSE='{}'", course.path("my-course").string());
  CHECK(contains(run_program("list", environment).output, "60  strip"));
  const ProgramResult walk = run_shell(
      "printf '\\n\\n\\n\\n\\n\\nq\\n' | \"$PROGRAM\" learn 60 --size 64 --backend emulator "
      "--plain",
      environment);
  INFO(walk.output << walk.error);
  CHECK(walk.status == 0);
  CHECK(contains(walk.output, "A strip for each thread"));
}

TEST_CASE("no report takes the place of a file of the course") {
  const Course course;
  for (const char* file : {"kernel.cu", "lesson.md", "lesson.toml", "exercise.cu"}) {
    const std::string name = "my-course/60-strip/" + std::string(file);
    const std::string before = course.text(name), path = course.path(name).string();
    for (const std::string command : {"lesson 3 --html", "trace 3 --svg", "compare 3 --csv"}) {
      INFO(command << ' ' << name);
      check_error(course.run(fmt::format("{} '{}'", command, path)), 2,
                  {file, "a file that is read"});
    }
    check_error(course.run(fmt::format("grade '{}' --json '{}'", course.path("").string(), path)),
                2, {file});
    CHECK(course.text(name) == before);
  }
}

TEST_CASE("each thing wrong in a course is named with its file") {
  const Course course;
  const std::string folder = "my-course/60-strip/";
  const auto replace = [&](const std::string& file, const std::string& from,
                           const std::string& to) {
    std::string text = course.text(folder + file);
    const std::size_t at = text.find(from);
    REQUIRE(at != text.npos);
    course.write(folder + file, text.replace(at, from.size(), to));
  };
  const auto refused = [&](const std::vector<std::string>& parts) {
    check_error(course.run("list"), 2, parts);
  };
  SECTION("a file is missing") {
    const std::string missing =
        GENERATE(std::string("kernel.cu"), "lesson.md", "lesson.toml", "exercise.cu");
    fs::remove(course.path(folder + missing));
    refused({"60-strip/" + missing, "is missing"});
  }
  SECTION("a key is wrong") {
    replace("lesson.toml", "entry  =", "enrty =");
    refused({"lesson.toml:3: 'entry' is missing"});
  }
  SECTION("no title") {
    replace("lesson.toml", "title = \"A strip for each thread\"", "");
    refused({"lesson.toml", "'title' is missing"});
  }
  SECTION("no formula") {
    replace("lesson.toml", "loads  =", "#");
    replace("lesson.toml", "stores =", "#");
    refused({"lesson.toml", "'loads' and 'stores'"});
  }
  SECTION("the kernel has another name") {
    replace("kernel.cu", "void strip(", "void stripe(");
    refused({"kernel.cu", "no kernel 'strip'"});
  }
  SECTION("the exercise's kernel has another name") {
    replace("exercise.cu", "void strip(", "void stripe(");
    refused({"exercise.cu", "no kernel 'strip'"});
  }
  SECTION("an exercise without its terms") {
    std::string terms = course.text(folder + "lesson.toml");
    course.write(folder + "lesson.toml", terms.substr(0, terms.find("[exercise]")));
    refused({"lesson.toml", "[exercise] is missing"});
  }
  SECTION("the number is taken") {
    fs::rename(course.path("my-course/60-strip"), course.path("my-course/03-strip"));
    refused({"03-strip", "lesson 3", "already"});
  }
  SECTION("the name is taken") {
    fs::rename(course.path("my-course/60-strip"), course.path("my-course/60-cpu-loop"));
    refused({"60-cpu-loop", "lesson 0", "already"});
  }
  SECTION("the folder's name is none") {
    fs::rename(course.path("my-course/60-strip"), course.path("my-course/strip"));
    refused({"my-course/strip", "NN-name"});
  }
  SECTION("a kernel file that is no text") {
    course.write(folder + "kernel.cu", std::string("a\0b", 3));
    refused({"kernel.cu", "not text"});
  }
}

TEST_CASE("a course that is not there, or is empty") {
  check_error(run_program("list --course /no/such/course"), 2, {"/no/such/course", "--course"});
  const TemporaryDirectory empty;
  check_error(run_program(fmt::format("list --course '{}'", empty.path().string())), 2,
              {"no lesson's folder"});
}
