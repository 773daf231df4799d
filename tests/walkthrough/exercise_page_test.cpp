// From a lesson's last screen into its exercise, and on to the next lesson.
#include "walkthrough/exercise_page.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "catch.hpp"
#include "own_folder.hpp"
#include "scripted_screen.hpp"
#include "support/file.hpp"
#include "support/text.hpp"
#include "walkthrough/walkthrough.hpp"

using namespace gemm_tutor;

namespace {

namespace fs = std::filesystem;

bool tells(const std::string& text, const std::string& part) {
  return text.find(part) != text.npos;
}

// A learner at the last screen of lesson 3, in a directory of their own.
class AtRecap {
 public:
  AtRecap() {
    file.progress.experience = "new";
    file.progress.lesson = "shared-memory-tile";
    file.progress.step = "recap";
    setenv("XDG_DATA_HOME", (directory.path() / "data").c_str(), 1);
    unsetenv("VISUAL");
    unsetenv("EDITOR");
  }

  ScriptedScreen go(std::vector<std::string> lines) {
    ScriptedScreen screen(std::move(lines));
    go(screen);
    return screen;
  }
  void go(Screen& screen) {
    WalkthroughRequest request;
    request.problem = Problem{64, 64, 64};
    request.run.backend = Backend::emulator;
    walk_through(screen, file, request);
  }

  // One that puts `contents` in the file.
  void use_editor(const std::string& contents) {
    const fs::path text = directory.path() / "edited";
    REQUIRE(write_file_atomically(text, contents));
    setenv("EDITOR", ("cp " + shell_word(text.string())).c_str(), 1);
  }

  const Exercise& exercise = find_exercise("3");
  OwnFolder directory;
  ProgressFile file{directory.path() / "progress.json"};
  fs::path kernel = directory.path() / exercise.file_name;
};

// A learner who saves the file in another window.
class SavingScreen : public ScriptedScreen {
 public:
  SavingScreen(fs::path file, std::string contents, std::vector<std::string> lines)
      : ScriptedScreen(std::move(lines)), file_(std::move(file)), contents_(std::move(contents)) {}

  Input show(const View& view) override {
    if (!view.changed || has_saved_) return ScriptedScreen::show(view);
    has_saved_ = true;
    CHECK_FALSE(view.changed());
    REQUIRE(write_file_atomically(file_, contents_));
    for (int i = 0; i < 100; ++i) {
      if (view.changed()) return {Input::Kind::changed};
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    throw std::logic_error("the save was not seen");
  }

 private:
  fs::path file_;
  std::string contents_;
  bool has_saved_ = false;
};

}  // namespace

TEST_CASE("two keys lead from a lesson's last screen to a checked first edit, and one on") {
  AtRecap learner;
  learner.use_editor(learner.exercise.solution);
  const ScriptedScreen screen = learner.go({"", "o", ""});
  REQUIRE(screen.shown.size() == 4);
  CHECK(screen.shown[1].title == "Exercise 3 · A tile in shared memory");
  CHECK(tells(screen.shown[2].text, "Well done"));
  CHECK(tells(screen.shown[3].title, "Lesson 4"));
  CHECK(learner.file.progress.exercises.at("shared-memory-tile").solved);
  CHECK(learner.file.progress.lessons.at("shared-memory-tile").done);
}

TEST_CASE("an untouched exercise is checked at once, and Enter never leads past it") {
  AtRecap learner;
  const ScriptedScreen screen = learner.go({"", "", "r", "q"});
  REQUIRE(screen.shown.size() == 4);
  CHECK(tells(screen.shown[1].text, "The file as it is now:"));
  CHECK(tells(screen.shown[1].text, "still as handed out: GAP 1, GAP 2"));
  for (const std::size_t at : {2u, 3u}) {
    CHECK(tells(screen.shown[at].notice, "03-shared-memory-tile.cu is as it was handed out"));
    CHECK(tells(screen.shown[at].title, "Exercise 3"));
  }
  CHECK(learner.file.progress.exercises.at("shared-memory-tile").failed_checks == 0);
}

TEST_CASE("an exercise can be put off, which is shown, and from mid-lesson leads back there") {
  AtRecap learner;
  CHECK(tells(learner.go({"", "x"}).last().title, "Lesson 4"));
  const Lesson& lesson = find_lesson("3");
  CHECK(learner.file.progress.lessons["shared-memory-tile"].done);
  CHECK(state_of(lesson, learner.file.progress) == LessonState::read);
  CHECK(tells(learner.go({"l"}).last().text, "exercise put off"));

  AtRecap half_way;
  half_way.file.progress.step = "run";
  const ScriptedScreen screen = half_way.go({"e", "x"});
  CHECK(tells(screen.last().place, "run"));
  CHECK_FALSE(half_way.file.progress.lessons["shared-memory-tile"].done);
}

TEST_CASE("outside of a lesson, a solved exercise or one put off leads to the next one") {
  AtRecap learner;
  REQUIRE(write_file_atomically(learner.kernel, learner.exercise.solution));
  learner.use_editor(find_exercise("4").solution);
  // 3 is solved; 4 is written beside it, and solved; 5 is put off; 6 is left.
  ScriptedScreen screen({"", "o", "n", "x", "p"});
  show_exercises(screen, learner.file, learner.exercise, learner.kernel.string(),
                 Backend::emulator);
  REQUIRE(screen.shown.size() == 5);
  CHECK(tells(screen.shown[0].text, "Well done"));
  CHECK(tells(screen.shown[1].title, "Exercise 4"));
  CHECK(
      tells(screen.shown[1].notice, "04-global-block-tile.cu was written, and beside it .clangd"));
  CHECK(tells(screen.shown[2].text, "Well done"));
  CHECK(tells(screen.shown[3].title, "Exercise 5"));
  CHECK(tells(screen.shown[4].title, "Exercise 6"));
  auto& exercises = learner.file.progress.exercises;
  CHECK(exercises.at("shared-memory-tile").solved);
  CHECK(exercises.at("global-block-tile").solved);
  CHECK(exercises.at("thread-tile").put_off);
  CHECK(fs::exists(learner.directory.path() / "06-register-tile.cu"));
}

TEST_CASE("who solves the exercise of a lesson has the lessons up to it") {
  Progress progress;
  progress.exercises["shared-memory-tile"].solved = true;
  CHECK(state_of(find_lesson("0"), progress) == LessonState::proved);
  CHECK(state_of(find_lesson("3"), progress) == LessonState::proved);
  CHECK(state_of(find_lesson("4"), progress) == LessonState::open);
  progress.lessons["shared-memory-tile"].done = true;
  CHECK(state_of(find_lesson("3"), progress) == LessonState::read);
  for (const Question& question : find_lesson("3").kernels.front().questions) {
    progress.lessons["shared-memory-tile"].predictions[question.id].right = false;
  }
  CHECK(state_of(find_lesson("3"), progress) == LessonState::solved);
  progress.exercises.clear();
  CHECK(state_of(find_lesson("3"), progress) == LessonState::answered);
}

TEST_CASE("the file is handed out, and checked once it is saved") {
  AtRecap learner;
  SavingScreen screen(learner.kernel, learner.exercise.solution, {"e"});
  learner.go(screen);
  CHECK(tells(screen.last().text, "Well done"));

  AtRecap other;
  const std::string wrong = "// Exercise shared-memory-tile: mine\nnone";
  SavingScreen failing(other.kernel, wrong, {"e", "p"});
  other.go(failing);
  CHECK(tells(failing.shown[1].text, "Compile  ✗"));
  CHECK(tells(failing.last().place, "recap"));
  CHECK(other.file.progress.exercises.at("shared-memory-tile").failed_checks == 1);
}

TEST_CASE("a file that is there already is kept unless the learner says otherwise") {
  const std::string mine = "// Exercise shared-memory-tile: mine\n";
  for (const std::string key : {"p", "1", "2"}) {
    INFO(key);
    AtRecap learner;
    REQUIRE(write_file_atomically(learner.kernel, mine));
    const ScriptedScreen screen = learner.go({"e", key});
    CHECK(tells(screen.shown[1].text, "is there already"));
    CHECK(read_file(learner.kernel) == (key == "2" ? learner.exercise.handout : mine));
    CHECK(tells(screen.last().title, key == "p" ? "Lesson 3" : "Exercise 3"));
  }
  AtRecap learner;  // one that was handed out before needs no question
  REQUIRE(write_file_atomically(learner.kernel, learner.exercise.handout));
  CHECK(learner.go({"e"}).last().title == "Exercise 3 · A tile in shared memory");
}

TEST_CASE("what is right is the last hint to a file that was changed") {
  AtRecap learner;
  std::string mine = learner.exercise.solution;
  const std::string bound = "a_column < K";
  REQUIRE(tells(mine, bound));
  learner.use_editor(mine.replace(mine.find(bound), bound.size(), "a_column < K - 1"));
  const ScriptedScreen screen = learner.go({"e", "o", "h", "", "h", "", "h", "", "h"});
  CHECK(tells(screen.shown[2].text, "Look at line"));
  CHECK_FALSE(tells(screen.shown[7].text, "should be"));
  CHECK(screen.last().title == "Hint 4 of 4");
  CHECK(tells(screen.last().text, "should be"));
}

TEST_CASE("hints, the solution after a try, the task and the list are a key away") {
  AtRecap learner;
  const ScriptedScreen untried = learner.go({"e", "v", "h", "", "e", "1"});
  CHECK(tells(untried.shown[2].notice, "Try it first"));
  CHECK(untried.shown[3].title.starts_with("Hint 1 of "));
  CHECK(untried.shown[5].title == "The exercises");
  CHECK(tells(untried.last().title, "Exercise 1"));

  AtRecap tried;
  tried.use_editor(tried.exercise.handout + "\n");
  const ScriptedScreen screen = tried.go({"e", "o", "i", "", "v", "", "p"});
  CHECK(screen.shown[3].title == "The task");
  CHECK(tells(screen.shown[5].text, "a_tile[ty][k] * b_tile[k][tx]"));
  CHECK(tells(screen.last().place, "recap"));
}

TEST_CASE("a learner who left at an exercise comes back to it") {
  AtRecap learner;
  learner.go({"e", "q"});
  CHECK(learner.file.progress.step == "exercise");
  const ScriptedScreen screen = learner.go({"p"});
  CHECK(tells(screen.shown[0].title, "Exercise 3"));
  CHECK(tells(screen.last().place, "recap"));
  CHECK(tells(learner.go({"l"}).last().text, "exercise begun"));
}
