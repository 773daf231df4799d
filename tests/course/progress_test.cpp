#include "course/progress.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <random>
#include <vector>

#include "catch.hpp"
#include "course_checks.hpp"
#include "support/file.hpp"
#include "temporary_directory.hpp"

using namespace gemm_tutor;
namespace fs = std::filesystem;
using State = StoredProgress::State;

namespace {

void write(const fs::path& path, const std::string& contents) {
  std::ofstream(path, std::ios::binary) << contents;
}

std::vector<std::string> entries(const fs::path& directory) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(directory)) {
    names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

Progress some_progress() {
  Progress progress;
  progress.experience = "some";
  progress.predict = false;
  progress.lesson = "naive-coalesced";
  progress.step = "traffic";
  progress.problem = {100, 200, 300};
  LessonProgress& lesson = progress.lessons["naive-uncoalesced"];
  lesson.done = true;
  lesson.predictions["loads"] = {"2*M·N·K", {100, 200, 300}, true};
  lesson.predictions["sectors"] = {"\"32\"\n", {1, 1, 1}, false};
  lesson.predictions["blocks"] = {"", {64, 64, 64}, {}, "a wrong first answer"};
  lesson.run = RunRecord{{2048, 2048, 2048}, "NVIDIA H200", 0.1, 1.0 / 3, 9.25, "recorded", 18};
  progress.lessons["a-lesson-of-tomorrow"].done = true;
  progress.exercise = "whole-tiles-only";
  progress.exercises["whole-tiles-only"] = {3, 1, false, "/somewhere/stale \"tile\".cu"};
  progress.exercises["naive-coalesced"] = {0, 0, true, ""};
  progress.exercises["read-ahead"].put_off = true;
  progress.kernel = "naive_uncoalesced";
  return progress;
}

// A file with that progress in it, as the program writes it.
void save(const fs::path& path, const Progress& progress) {
  ProgressFile file(path);
  file.progress = progress;
  REQUIRE(file.save());
}

// Root may write everywhere: for as long as this lives the process is somebody else.
class Unprivileged {
 public:
  Unprivileged() : possible_(geteuid() != 0 || seteuid(nobody) == 0) {}
  ~Unprivileged() {
    if (geteuid() != before_ && seteuid(before_) != 0) std::abort();
  }
  Unprivileged(const Unprivileged&) = delete;

  bool possible() const { return possible_; }

 private:
  static constexpr uid_t nobody = 65534;
  uid_t before_ = geteuid();
  bool possible_;
};

// Whoever opens this file goes on, keeps nothing, and is told so once.
void check_goes_on_without_saving(const fs::path& path, const std::string& reason) {
  ProgressFile file(path);
  CHECK(file.progress == Progress());
  file.progress.lessons["cpu-loop"].done = true;
  CHECK_FALSE(file.save());
  const std::string notice = file.take_notice();
  INFO(notice);
  CHECK(contains(notice, "cannot be saved"));
  CHECK(contains(notice, reason));
  CHECK(file.take_notice() == "");

  file.progress.step = "run";
  CHECK_FALSE(file.save());
  CHECK(file.take_notice() == "");
  CHECK(file.progress.lessons.at("cpu-loop").done);
}

}  // namespace

TEST_CASE("a missing file is a fresh start, and nothing is written before there is something") {
  const TemporaryDirectory directory;
  const fs::path path = directory.path() / "state" / "gemm-tutor" / "progress.json";
  ProgressFile file(path);
  CHECK(file.progress == Progress());
  CHECK(file.save());
  CHECK_FALSE(fs::exists(directory.path() / "state"));

  file.progress.step = "idea";
  CHECK(file.save());
  CHECK(ProgressFile(path).progress == file.progress);
  CHECK(file.take_notice() == "");
  CHECK(entries(path.parent_path()) == std::vector<std::string>{"progress.json"});
}

TEST_CASE("what was saved is read again, all of it") {
  const TemporaryDirectory directory;
  const fs::path path = directory.path() / "progress.json";
  save(path, some_progress());
  CHECK(contains(read_file(path).value(), "\"version\": 1"));

  ProgressFile again(path);
  CHECK(again.progress == some_progress());
  CHECK(again.take_notice() == "");
  const StoredProgress stored = read_progress(path);
  CHECK(stored.state == State::good);
  CHECK(stored.progress == some_progress());
}

TEST_CASE("it is written only where something has changed") {
  const TemporaryDirectory directory;
  const fs::path path = directory.path() / "progress.json";
  ProgressFile file(path);
  file.progress = some_progress();
  REQUIRE(file.save());
  fs::remove(path);
  CHECK(file.save());
  CHECK_FALSE(fs::exists(path));
  file.progress.step = "run";
  CHECK(file.save());
  CHECK(ProgressFile(path).progress == file.progress);
}

TEST_CASE("keys that are not known are ignored, and those that are missing have their defaults") {
  const TemporaryDirectory directory;
  const fs::path path = directory.path() / "progress.json";
  write(path, R"({"version": 1, "colour": [1], "lesson": "cpu-loop", "lessons":
                  {"cpu-loop": {"done": true, "stars": 5, "run": {"moon": 1}}}})");
  Progress expected;
  expected.lesson = "cpu-loop";
  expected.lessons["cpu-loop"].done = true;
  expected.lessons["cpu-loop"].run = RunRecord();
  ProgressFile file(path);
  CHECK(file.progress == expected);
  CHECK(file.take_notice() == "");
}

TEST_CASE("a damaged file is kept, and said so") {
  const TemporaryDirectory directory;
  const fs::path path = directory.path() / "progress.json";
  save(path, some_progress());
  const std::string good = read_file(path).value();
  const auto [name, contents] = GENERATE_COPY(table<std::string, std::string>(
      {{"empty", ""},
       {"no JSON", "lessons: 3\n"},
       {"half", good.substr(0, good.size() / 2)},
       {"binary", std::string("\x7f\x00\xff\xfe\x80{", 6)},
       {"huge", std::string((1 << 20) + 1, ' ')},
       {"huge, but good", good + std::string(1 << 20, '\n')},
       {"deep", std::string(1 << 19, '[')},
       {"an array", "[]"},
       {"null", "null"},
       {"no version", "{}"},
       {"version of another type", R"({"version": "1"})"},
       {"version that is not whole", R"({"version": 1.5})"},
       {"version 0", R"({"version": 0})"},
       {"text for a truth", R"({"version": 1, "predict": "yes"})"},
       {"number for a text", R"({"version": 1, "lesson": 3})"},
       {"list for the lessons", R"({"version": 1, "lessons": []})"},
       {"text for a lesson", R"({"version": 1, "lessons": {"cpu-loop": "done"}})"},
       {"null for a run", R"({"version": 1, "lessons": {"cpu-loop": {"run": null}}})"},
       {"number too large", R"({"version": 1, "lessons": {"a": {"run": {"tflops": 1e999}}}})"},
       {"text for a size", R"({"version": 1, "problem": {"m": "1024"}})"},
       {"size 0", R"({"version": 1, "problem": {"m": 0}})"},
       {"size beyond an int", R"({"version": 1, "problem": {"m": 2147483648}})"},
       {"size beyond 64 bits", R"({"version": 1, "problem": {"m": 18446744073709551617}})"},
       {"size that wraps around", R"({"version": 1, "problem": {"m": 18446744073709551615}})"}}));
  INFO(name);
  write(path, contents);

  CHECK(read_progress(path).state == State::damaged);
  CHECK(read_file(path) == contents);  // reading alone moves nothing

  ProgressFile file(path);
  CHECK(file.progress == Progress());
  const std::string notice = file.take_notice();
  INFO(notice);
  CHECK(contains(notice, "damaged"));
  CHECK(contains(notice, path.string() + ".damaged,"));
  CHECK(file.take_notice() == "");
  CHECK_FALSE(fs::exists(path));
  CHECK(read_file(path.string() + ".damaged") == contents);

  file.progress.step = "idea";
  CHECK(file.save());
  CHECK(ProgressFile(path).progress.step == "idea");
  CHECK(read_file(path.string() + ".damaged") == contents);
}

TEST_CASE("nothing that was kept is ever overwritten") {
  const TemporaryDirectory directory;
  const fs::path path = directory.path() / "progress.json";
  for (const std::string damage : {"one", "two", "three"}) {
    write(path, damage);
    ProgressFile file(path);
    CHECK(contains(file.take_notice(), "damaged"));
  }
  CHECK(read_file(path.string() + ".damaged") == "one");
  CHECK(read_file(path.string() + ".damaged-2") == "two");
  CHECK(read_file(path.string() + ".damaged-3") == "three");
}

TEST_CASE("a file of a newer version is kept, and said so") {
  const TemporaryDirectory directory;
  const fs::path path = directory.path() / "progress.json";
  const std::string contents = R"({"version": 2, "lessons": "elsewhere"})";
  write(path, contents);
  CHECK(read_progress(path).state == State::newer);

  ProgressFile file(path);
  CHECK(file.progress == Progress());
  const std::string notice = file.take_notice();
  INFO(notice);
  CHECK(contains(notice, "newer"));
  CHECK(contains(notice, path.string() + ".newer,"));
  CHECK(read_file(path.string() + ".newer") == contents);
  CHECK_FALSE(fs::exists(path));
}

TEST_CASE("what is no file is moved aside, not opened") {
  const TemporaryDirectory directory;
  const fs::path path = directory.path() / "progress.json";
  SECTION("a directory") {
    fs::create_directories(path / "inside");
    ProgressFile file(path);
    CHECK(contains(file.take_notice(), ".damaged,"));
    CHECK(fs::is_directory(path.string() + ".damaged/inside"));
  }
  SECTION("a pipe that nobody writes") {
    REQUIRE(mkfifo(path.c_str(), 0600) == 0);
    ProgressFile file(path);
    CHECK(contains(file.take_notice(), ".damaged,"));
    CHECK(fs::is_fifo(path.string() + ".damaged"));
  }
  SECTION("a link to a device, which stays where it is") {
    fs::create_symlink("/dev/null", path);
    ProgressFile file(path);
    CHECK(contains(file.take_notice(), ".damaged,"));
    CHECK(fs::read_symlink(path.string() + ".damaged") == "/dev/null");
  }
  CHECK(fs::is_character_file("/dev/null"));
  save(path, some_progress());
  CHECK(ProgressFile(path).progress == some_progress());
}

TEST_CASE("a link to the file stays one") {
  const TemporaryDirectory directory;
  const fs::path path = directory.path() / "progress.json";
  fs::create_directories(directory.path() / "dotfiles");
  const fs::path target = directory.path() / "dotfiles" / "gemm.json";
  const fs::path between = directory.path() / "between";
  fs::create_symlink(target, between);
  fs::create_symlink("between", path);
  SECTION("that is there") { save(target, some_progress()); }
  SECTION("that is not there yet") {}
  SECTION("that is damaged") {
    write(target, "damaged");
    CHECK(contains(ProgressFile(path).take_notice(), target.string() + ".damaged,"));
    CHECK(read_file(target.string() + ".damaged") == "damaged");
  }
  Progress progress = some_progress();
  progress.step = "recap";
  save(path, progress);
  CHECK(fs::read_symlink(path) == "between");
  CHECK(fs::read_symlink(between) == target);
  CHECK_FALSE(fs::is_symlink(target));
  CHECK(ProgressFile(target).progress == progress);
}

TEST_CASE("where it cannot be saved the course goes on, and the reason is given once") {
  const TemporaryDirectory directory;
  const fs::path path = directory.path() / "file" / "progress.json";
  SECTION("below a file") {
    write(directory.path() / "file", "a file");
    check_goes_on_without_saving(path, path.string());
    CHECK(read_file(directory.path() / "file") == "a file");
  }
  SECTION("a file system that takes no files") {
    if (!fs::exists("/proc/self")) SKIP_BECAUSE("there is no /proc");
    check_goes_on_without_saving("/proc/self/gemm-tutor/progress.json", "/proc/self/gemm-tutor");
  }
  SECTION("a link in a circle") {
    fs::create_directories(path.parent_path());
    fs::create_symlink("progress.json", path);
    CHECK(read_progress(path).state == State::unreadable);
    check_goes_on_without_saving(path, path.string());
    CHECK(fs::is_symlink(path));
  }
  SECTION("no HOME") { check_goes_on_without_saving("", "HOME"); }
}

TEST_CASE("without permission nothing is saved, and nothing is lost") {
  const TemporaryDirectory directory;
  const fs::path path = directory.path() / "state" / "progress.json";
  fs::create_directories(path.parent_path());
  const auto [name, contents, file_mode, directory_mode, reason] =
      GENERATE(table<std::string, std::string, unsigned, unsigned, std::string>(
          {{"unreadable file", R"({"version": 1, "step": "run"})", 0000, 0777, "cannot be read"},
           {"read-only file", R"({"version": 1})", 0444, 0777, "Permission denied"},
           {"read-only directory", R"({"version": 1})", 0666, 0555, "Permission denied"},
           {"damaged, in a read-only directory", "damaged", 0666, 0555, "cannot be moved aside"},
           {"closed directory", R"({"version": 1})", 0666, 0000, "cannot be read"}}));
  INFO(name);
  write(path, contents);
  fs::permissions(path, fs::perms(file_mode));
  fs::permissions(path.parent_path(), fs::perms(directory_mode));
  {
    const Unprivileged unprivileged;
    if (!unprivileged.possible()) SKIP_BECAUSE("root cannot be somebody else here");
    check_goes_on_without_saving(path, reason);
  }
  fs::permissions(path.parent_path(), fs::perms::all);
  fs::permissions(path, fs::perms::all);
  CHECK(read_file(path) == contents);
  CHECK(entries(path.parent_path()) == std::vector<std::string>{"progress.json"});
}

TEST_CASE("bytes that are not UTF-8 and numbers that are none can be saved and read") {
  const TemporaryDirectory directory;
  const fs::path path = directory.path() / "progress.json";
  ProgressFile file(path);
  file.progress.lesson = "\xff";
  file.progress.lessons["\xfe"].predictions["\xc3"].answer = "\x80 floats";
  file.progress.lessons["\xfe"].run = RunRecord();
  file.progress.lessons["\xfe"].run->tflops = std::numeric_limits<double>::quiet_NaN();
  file.progress.lessons["\xfe"].run->flops_a_byte = std::numeric_limits<double>::infinity();
  REQUIRE(file.save());
  file.progress.step = "run";
  REQUIRE(file.save());

  ProgressFile again(path);
  CHECK(again.take_notice() == "");
  CHECK(again.progress.lesson == "\ufffd");
  const LessonProgress& lesson = again.progress.lessons.at("\ufffd");
  CHECK(lesson.predictions.at("\ufffd").answer == "\ufffd floats");
  CHECK(lesson.run->problem == Problem{1, 1, 1});
  CHECK(lesson.run->tflops == 0);
  CHECK(lesson.run->flops_a_byte == 0);
}

TEST_CASE("what another process saved in the meantime is not lost") {
  const TemporaryDirectory directory;
  const fs::path path = directory.path() / "progress.json";
  Progress progress;
  progress.lessons["touched"].predictions["loads"] = {"1", {1, 1, 1}, {}};
  progress.lessons["untouched"].predictions["loads"] = {"1", {1, 1, 1}, {}};
  save(path, progress);

  ProgressFile own(path), other(path);
  other.progress.lesson = "untouched";
  other.progress.lessons["new"].done = true;
  other.progress.lessons["touched"].done = true;
  other.progress.lessons["touched"].predictions["loads"].answer = "theirs";
  other.progress.lessons["touched"].predictions["stores"].answer = "theirs";
  other.progress.lessons["untouched"].predictions["loads"].answer = "theirs";
  other.progress.lessons["untouched"].run = RunRecord{{8, 8, 8}, "theirs"};
  REQUIRE(other.save());

  own.progress.lesson = "touched";
  own.progress.lessons["touched"].predictions["loads"].answer = "own";
  own.progress.lessons["touched"].run = RunRecord{{9, 9, 9}, "own"};
  REQUIRE(own.save());

  const Progress merged = ProgressFile(path).progress;
  CHECK(merged == own.progress);
  CHECK(merged.lesson == "touched");
  CHECK(merged.lessons.at("new").done);
  const LessonProgress& touched = merged.lessons.at("touched");
  CHECK(touched.done);
  CHECK(touched.predictions.at("loads").answer == "own");
  CHECK(touched.predictions.at("stores").answer == "theirs");
  CHECK(touched.run->device == "own");
  CHECK(merged.lessons.at("untouched") == other.progress.lessons.at("untouched"));

  SECTION("nor is what was done here") {
    other.progress.lessons["untouched"].done = true;
    REQUIRE(other.save());
    const Progress back = ProgressFile(path).progress;
    CHECK(back.lessons.at("touched").predictions.at("loads").answer == "own");
    CHECK(back.lessons.at("untouched").done);
    CHECK(back.lesson == "untouched");
  }
}

TEST_CASE("an exercise that another process checked in the meantime is not lost") {
  const TemporaryDirectory directory;
  const fs::path path = directory.path() / "progress.json";
  Progress progress;
  progress.exercises["touched"] = {1, 1, false, "/old"};
  progress.exercises["untouched"] = {1, 1, false, "/old"};
  save(path, progress);

  ProgressFile own(path), other(path);
  other.progress.exercise = "theirs";
  other.progress.exercises["touched"] = {2, 3, true, "/theirs"};
  other.progress.exercises["untouched"] = {2, 1, false, "/theirs"};
  REQUIRE(other.save());
  own.progress.exercises["touched"] = {5, 2, false, "/own"};
  REQUIRE(own.save());

  const Progress merged = ProgressFile(path).progress;
  CHECK(merged.exercise == "theirs");
  CHECK(merged.exercises.at("touched") == ExerciseProgress{5, 3, true, "/own"});
  CHECK(merged.exercises.at("untouched") == ExerciseProgress{2, 1, false, "/theirs"});
}

TEST_CASE("what another machine has is added, and nothing of either is lost") {
  const TemporaryDirectory directory;
  const std::string here = (directory.path() / "here.cu").string();
  write(here, "");
  Progress own;
  own.lesson = "mine";
  own.lessons["both"].predictions = {{"loads", {"1", {1, 1, 1}, false}}};
  own.lessons["done-here"].done = true;
  own.exercise = "current";
  own.exercises["both"] = {1, 3, false, "/own"};
  Progress other = some_progress();
  other.lessons["both"] = {
      .done = true,
      .predictions = {{"loads", {"2", {2, 2, 2}, true}}, {"stores", {"3", {1, 1, 1}, true}}}};
  other.lessons["done-here"] = {};
  other.exercises = {{"both", {4, 2, true, "/theirs", true}},
                     {"new", {0, 1, false, here}},
                     {"elsewhere", {0, 1, false, "/no/such/file.cu"}}};
  other.exercise = "new";

  Progress all = own;
  take_over(all, other);
  CHECK(all.lesson == "mine");
  CHECK(all.exercise == "current");
  CHECK(all.lessons.at("both").done);
  CHECK(all.lessons.at("both").predictions.at("loads").answer == "1");
  CHECK(all.lessons.at("both").predictions.at("stores").answer == "3");
  CHECK(all.lessons.at("done-here").done);
  CHECK(all.lessons.at("naive-uncoalesced") == other.lessons.at("naive-uncoalesced"));
  CHECK(all.exercises.at("both") == ExerciseProgress{4, 3, true, "/own", true});
  CHECK(all.exercises.at("new") == other.exercises.at("new"));
  CHECK(all.exercises.at("elsewhere") == ExerciseProgress{0, 1, false, ""});

  Progress again = all;
  take_over(again, other);
  CHECK(again == all);

  // Who has not begun here continues where they were.
  Progress fresh;
  take_over(fresh, other);
  CHECK(fresh.lesson == other.lesson);
  CHECK(fresh.step == other.step);
  CHECK(fresh.experience == "some");
  CHECK(fresh.exercise == "new");
}

TEST_CASE("done stays done, whatever another process says of it") {
  const TemporaryDirectory directory;
  const fs::path path = directory.path() / "progress.json";
  save(path, some_progress());
  ProgressFile own(path);
  Progress without = some_progress();
  without.lessons["naive-uncoalesced"].done = false;
  save(path, without);
  own.progress.step = "run";
  REQUIRE(own.save());
  CHECK(ProgressFile(path).progress.lessons.at("naive-uncoalesced").done);
}

TEST_CASE("a file that is damaged while the program runs is kept, too") {
  const TemporaryDirectory directory;
  const fs::path path = directory.path() / "progress.json";
  ProgressFile file(path);
  file.progress = some_progress();
  REQUIRE(file.save());
  write(path, "damage");
  file.progress.step = "run";
  CHECK(file.save());
  CHECK(contains(file.take_notice(), path.string() + ".damaged,"));
  CHECK(read_file(path.string() + ".damaged") == "damage");
  CHECK(ProgressFile(path).progress == file.progress);
}

TEST_CASE("no truncated or changed file stops the program") {
  const TemporaryDirectory directory;
  const fs::path path = directory.path() / "progress.json";
  save(path, some_progress());
  const std::string good = read_file(path).value();
  std::mt19937 random(1);
  const auto below = [&](std::size_t end) { return random() % end; };
  const std::string likely = "{}[]\",:0123456789.-+eEtrufalsn \\\n";
  int damaged = 0;
  for (int i = 0; i < 2000; ++i) {
    std::string contents = good;
    if (i % 2 == 0) contents.resize(below(good.size()));
    for (std::size_t changes = i % 2 == 0 ? 0 : 1 + below(8); changes > 0; --changes) {
      const bool is_any = below(4) == 0;
      contents[below(contents.size())] =
          is_any ? static_cast<char>(random()) : likely[below(likely.size())];
    }
    INFO(contents);
    write(path, contents);
    bool threw = false;
    try {
      ProgressFile file(path);
      damaged += !file.take_notice().empty();
      file.progress.step += "!";
      threw = !file.save() || read_progress(path).state != State::good;
    } catch (...) {
      threw = true;
    }
    REQUIRE_FALSE(threw);
    fs::remove(path.string() + ".damaged");
    fs::remove(path.string() + ".newer");
  }
  CHECK(damaged >= 1000);  // half a file never is one
}

TEST_CASE("the score is of what was counted alone") {
  const Progress progress = some_progress();
  const Score score = score_of(progress.lessons.at("naive-uncoalesced"));
  CHECK(score.right == 1);
  CHECK(score.answered == 2);
  Progress two = progress;
  two.lessons["cpu-loop"].predictions["order"] = {"1", {1, 1, 1}, true};
  CHECK(score_of(two).right == 2);
  CHECK(score_of(two).answered == 3);
}

TEST_CASE("what was done in lessons that are chapters now, or parts of others, is still known") {
  Progress progress;
  for (const char* slug : {"order-of-sums", "read-ahead"}) progress.lessons[slug].done = true;
  CHECK(is_behind(find_lesson("order-of-sums"), progress));
  CHECK_FALSE(is_behind(find_lesson("larger-tile"), progress));
  progress.exercises["beyond-cublas"].solved = true;  // proves the lessons before it, no chapter
  CHECK(is_behind(find_lesson("larger-tile"), progress));
  CHECK_FALSE(is_behind(find_lesson("edges"), progress));
}
