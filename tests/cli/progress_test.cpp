// What a learner's progress changes in list, in the overview and by reset, by running the program.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "catch.hpp"
#include "course/lesson.hpp"
#include "course/progress.hpp"
#include "errors.hpp"
#include "program.hpp"
#include "report/json.hpp"
#include "support/file.hpp"
#include "temporary_directory.hpp"
#include "view/text_checks.hpp"

using namespace gemm_tutor;
namespace fs = std::filesystem;

namespace {

// A learner's $XDG_STATE_HOME.
class State {
 public:
  std::string environment() const {
    return fmt::format("XDG_STATE_HOME='{}'", directory_.path().string());
  }
  fs::path path() const { return directory_.path() / "gemm-tutor" / "progress.json"; }
  std::string contents() const { return read_file(path()).value_or("(no file)"); }
  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(path().parent_path()), fs::directory_iterator()));
  }

  void write(const std::string& text) const { REQUIRE(write_file_atomically(path(), text)); }
  // Lesson 0 is done, lesson 1 begun.
  void begin() const {
    ProgressFile file(path());
    file.progress.lesson = "naive-uncoalesced";
    LessonProgress& lesson = file.progress.lessons["cpu-loop"];
    lesson.done = true;
    lesson.predictions["loads"] = {"1", {1, 1, 1}, true};
    lesson.predictions["stores"] = {"1", {1, 1, 1}, false};
    REQUIRE(file.save());
  }

 private:
  TemporaryDirectory directory_;
};

// The text on one line: a path may have been too long for the line it began on.
std::string unwrapped(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
}

}  // namespace

TEST_CASE("list and the overview follow the progress, and leave its file as it is") {
  const State state;
  state.begin();
  const std::string before = state.contents();

  CHECK(is_ascii(run_program("list", "LANG=C " + state.environment()).output));
  const Json lessons =
      Json::parse(run_program("list --format json", state.environment()).output)["lessons"];
  CHECK(lessons[0]["done"] == true);
  CHECK(lessons[0]["score"] == Json({{"right", 1}, {"right_later", 0}, {"answered", 2}}));
  CHECK_FALSE(lessons[0].contains("current"));
  CHECK(lessons[1]["done"] == false);
  CHECK(lessons[1]["current"] == true);
  CHECK_FALSE(lessons[1].contains("score"));

  run_program("", state.environment());
  CHECK(state.contents() == before);
  CHECK(state.files() == 1);
}

TEST_CASE("learn goes on at the size that the learner was at, as its help says") {
  CHECK(contains(unwrapped(run_program("learn --help").output), "at first 1024)"));
  const State state;
  state.begin();
  const auto size_after = [&](const std::string& command) {
    INFO(command);
    const ProgramResult result = run_shell("echo q | \"$PROGRAM\" " + command, state.environment());
    CHECK(result.status == 0);
    return ProgressFile(state.path()).progress.problem;
  };
  CHECK(size_after("learn 1 --plain") == Problem{1024, 1024, 1024});
  CHECK(size_after("learn 1 --plain --size 64") == Problem{64, 64, 64});
  CHECK(size_after("learn 1 --plain") == Problem{64, 64, 64});
  CHECK(size_after("learn 1 --plain --m 32") == Problem{32, 64, 64});
  CHECK(size_after("learn 1 --plain --size 33x65x17") == Problem{33, 65, 17});
  CHECK(size_after("learn 1 --plain --size '7 8 9'") == Problem{7, 8, 9});
  CHECK(run_program("learn 1 --plain --size 7x8").status == 2);
}

TEST_CASE("reset asks, and takes nothing but yes for it") {
  const State state;
  state.begin();
  const std::string before = state.contents();
  for (const char* answer : {"", "\\n", "n\\n", "no\\n", "yesterday\\n", "\\n y\\n"}) {
    INFO(answer);
    const ProgramResult result =
        run_shell(fmt::format("printf '{}' | \"$PROGRAM\" reset", answer), state.environment());
    CHECK(result.status == 0);
    CHECK(result.error == "");
    CHECK(result.output ==
          fmt::format("Your progress: 1 of {} lessons done · 1 of 2 predictions right.\n"
                      "Forget it? [y/N] \n"
                      "Nothing was changed.\n",
                      numbered_lessons().size()));
    CHECK(state.contents() == before);
  }
  CHECK(state.files() == 1);
}

TEST_CASE("reset moves the file, once it is told to") {
  const State state;
  for (const char* command : {"printf 'y\\n' | \"$PROGRAM\" reset", "echo YES | \"$PROGRAM\" reset",
                              "\"$PROGRAM\" reset --yes"}) {
    INFO(command);
    state.begin();
    const std::string before = state.contents();
    const ProgramResult result = run_shell(command, state.environment());
    CHECK(result.status == 0);
    CHECK(result.error == "");
    CHECK_FALSE(fs::exists(state.path()));
    CHECK(read_file(state.path().string() + ".old") == before);
  }
  CHECK(state.files() == 3);  // none of those kept was lost
}

TEST_CASE("a progress that cannot be moved is an error of reset") {
  if (!fs::exists("/proc/self/mounts")) SKIP_BECAUSE("there is no /proc");
  const TemporaryDirectory directory;  // where the progress leads to a file that stays
  const fs::path path = directory.path() / "gemm-tutor" / "progress.json";
  fs::create_directories(path.parent_path());
  fs::create_symlink("/proc/self/mounts", path);
  const ProgramResult result = run_program("reset --yes --color never 2>&1 >/dev/null",
                                           "XDG_STATE_HOME=" + directory.path().string());
  CHECK(result.status == 3);
  CHECK(contains(result.output, "error: "));
  CHECK(contains(result.output, "cannot be moved"));
  CHECK(contains(result.output, "\nhelp: "));
}
