#include "walkthrough/walkthrough.hpp"

#include <algorithm>
#include <set>

#include "catch.hpp"
#include "compile/compiler.hpp"
#include "gpu/gpu.hpp"
#include "scripted_screen.hpp"
#include "temporary_directory.hpp"
#include "walkthrough/steps.hpp"

using namespace gemm_tutor;

namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != text.npos;
}

// A course under way: lesson by lesson, with what the learner typed.
class Course {
 public:
  explicit Course(Problem problem = {64, 64, 64}) {
    request.problem = problem;
    request.run.backend = Backend::emulator;
    file.progress.experience = "new";
  }

  // From `lesson` on.
  ScriptedScreen walk(const char* lesson, std::vector<std::string> lines, Terminal terminal = {}) {
    request.lesson = lesson ? &find_lesson(lesson) : nullptr;
    ScriptedScreen screen(std::move(lines), terminal);
    farewell = walk_through(screen, file, request);
    return screen;
  }

  TemporaryDirectory directory;
  ProgressFile file{directory.path() / "progress.json"};
  WalkthroughRequest request;
  std::string farewell;
};

std::vector<std::string> times(std::size_t count, const std::string& line) {
  return std::vector<std::string>(count, line);
}

std::vector<std::string> operator+(std::vector<std::string> left,
                                   const std::vector<std::string>& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

std::vector<Stop> stops(const Lesson& lesson) {
  return stops_of(lesson, lesson.kernels.front(), true);
}

std::size_t all_stops() {
  std::size_t count = 0;
  for (const Lesson& lesson : lessons()) count += stops(lesson).size();
  return count;
}

}  // namespace

TEST_CASE("the whole course, step by step, there and back", "[nightly]") {
  for (const bool unicode : {true, false}) {
    Course course;
    Terminal terminal;
    terminal.unicode = unicode;
    const std::size_t steps = all_stops();
    const ScriptedScreen screen =
        course.walk("0", times(steps - 1, "n") + times(steps - 1, "p"), terminal);
    REQUIRE(screen.shown.size() == 2 * steps - 1);

    std::size_t at = 0;
    for (const Lesson& lesson : lessons()) {
      for (const Stop& stop : stops(lesson)) {
        INFO("lesson " << lesson.number << ", " << name_of(stop.step));
        const ShownView& view = screen.shown[at];
        CHECK(view.title == "Lesson " + std::to_string(lesson.number) + " · " + lesson.title);
        CHECK(contains(view.place, std::string(name_of(stop.step))));
        CHECK_FALSE(view.text.empty());
        CHECK_FALSE(view.text.starts_with("error: "));
        CHECK(view.keys.back().key == 'q');
        ++at;
      }
      CHECK(course.file.progress.lessons[lesson.slug].done == true);
    }
    CHECK(contains(screen.shown[steps - 1].text, "Your own ladder"));
    CHECK(contains(screen.last().title, "Lesson 0"));
  }
}

TEST_CASE("every step has its own thing to show") {
  Course course;
  const ScriptedScreen screen = course.walk("3", times(10, "n"));
  const auto shows = [&](std::size_t at, const std::string& text) {
    return contains(screen.shown[at].text, text);
  };
  CHECK(shows(0, "What the kernel does"));
  CHECK(shows(1, "╰ "));
  CHECK(shows(2, "How many floats"));
  CHECK(shows(5, "<<<dim3(2, 2), dim3(32, 32)>>>"));
  CHECK(shows(6, "What it asks of memory"));
  CHECK(shows(7, "✓ all 4,096 elements"));
  CHECK(shows(8, "Counted: 2,048 floats"));
  CHECK(shows(9, "From naive_coalesced (lesson 2) to shared_memory_tile:"));
  CHECK(shows(10, "What limits it"));
}

TEST_CASE("predictions are held against the count, and scored") {
  Course course;
  // 2,048 floats; 4 barriers; the second choice.
  const ScriptedScreen screen = course.walk("3", {"n", "n", "2^11", "5", "2", "n", "n", "n"});
  const std::string& compared = screen.last().text;
  CHECK(contains(compared, "✓ You said: 2^11. Counted: 2,048 floats."));
  CHECK(contains(compared, "BM·BK + BK·BN = 32·32 + 32·32 = 2,048"));
  CHECK(contains(compared, "✗ You said: 5. Counted: 4 barriers."));
  CHECK(contains(compared, "✓ You said: more than one, but fewer than two."));
  const Score score = score_of(course.file.progress.lessons["shared-memory-tile"]);
  CHECK(score.right == 2);
  CHECK(score.answered == 3);

  // A new answer takes the old one's place.
  const ScriptedScreen again = course.walk("3", {"n", "n", "n", "4", "n", "n", "n", "n"});
  CHECK(contains(again.shown[3].text, "Your answer so far: 5."));
  CHECK(contains(again.last().text, "✓ You said: 4."));
  CHECK(score_of(course.file.progress).right == 3);
}

TEST_CASE("an answer that is none is asked for again") {
  Course course;
  const ScriptedScreen screen =
      course.walk("3", {"n", "n", "many", "12 wavefronts", "1e999", "1/0", "2048"});
  for (std::size_t at = 3; at < 7; ++at) {
    CHECK_FALSE(screen.shown[at].notice.empty());
    CHECK(contains(screen.shown[at].place, "predict 1 of"));
  }
  CHECK(contains(screen.last().place, "predict 2 of"));
  CHECK(screen.last().notice.empty());
}

TEST_CASE("at another size the questions come again, for the whole tile where one is cut") {
  Course course;
  const ScriptedScreen screen = course.walk(
      "3", {"n", "n", "2048", "n", "n", "n", "n", "s 100", "2048", "n", "n", "n", "n", "n"});
  CHECK(contains(screen.shown[8].place, "predict 1 of"));
  CHECK_FALSE(contains(screen.shown[8].text, "Your answer so far"));
  CHECK(contains(screen.last().text,
                 "✓ You said: 2048. Counted: 2,048 floats, at 128, where no tile is cut."));
  CHECK(course.file.progress.problem == Problem{100, 100, 100});
}

TEST_CASE("sizes and tiles can be changed at any step, or are refused with the reason") {
  Course course;
  const ScriptedScreen screen =
      course.walk("3", {"s", "0", "-1", "x", "65537", "1 2", "1 2 3 4", "BM=0", "BQ=1", "BM=7",
                        "48 40 33", "s BM=16 BN=16 BK=16", "n", "n", "n", "n", "n"});
  for (std::size_t at = 2; at < 11; ++at) {
    INFO(screen.shown[at].text);
    CHECK(screen.shown[at].title == "Another size");
    CHECK_FALSE(screen.shown[at].notice.empty());
  }
  CHECK(course.file.progress.problem == Problem{48, 40, 33});
  CHECK(contains(screen.last().text, "shared_memory_tile<16, 16, 16>"));
  CHECK(contains(screen.last().text, "<<<dim3(3, 3), dim3(16, 16)>>>"));
}

TEST_CASE("another kernel of the lesson has its own source, questions and changes") {
  Course course;
  const Lesson& lesson = find_lesson("8");
  const ScriptedScreen screen = course.walk("8", {"k", "k", "k"});
  REQUIRE(screen.shown.size() == 4);
  CHECK(contains(screen.shown[1].text, "padded_tiles"));
  CHECK(contains(screen.shown[1].notice, "Kernel 2 of 3"));
  CHECK(contains(screen.shown[2].text, "padded_tiles_in_registers"));
  CHECK(contains(screen.shown[3].text, "bank_conflicts"));

  const std::size_t steps = stops_of(lesson, lesson.kernels[1], true).size();
  const ScriptedScreen other =
      course.walk("8", std::vector<std::string>{"k"} + times(steps - 2, "n"));
  CHECK(contains(other.shown[steps - 2].text, "From bank_conflicts (lesson 8) to padded_tiles"));
  CHECK_FALSE(course.file.progress.lessons["bank-conflicts"].run.has_value());
}

TEST_CASE("lessons, words and keys have pages of their own") {
  Course course;
  const ScriptedScreen screen = course.walk("0", {"l", "99", "shared-memory-tile", "l 5", "g warp",
                                                  "", "g", "wavefront", "", "h", "", "l", ""});
  CHECK(screen.shown[1].title == "The lessons");
  CHECK(contains(screen.shown[2].notice, "99"));
  CHECK(contains(screen.shown[3].title, "Lesson 3"));
  CHECK(contains(screen.shown[4].title, "Lesson 5"));
  CHECK(screen.shown[5].title == "warp");
  CHECK(screen.shown[5].text.starts_with("32 consecutive threads"));  // and not the word once more
  CHECK(contains(screen.shown[6].title, "Lesson 5"));
  CHECK(screen.shown[7].title == "Words");
  CHECK(screen.shown[8].title == "wavefront");
  CHECK(screen.shown[10].title == "The keys");
  CHECK(contains(screen.last().title, "Lesson 5"));
}

TEST_CASE("a kernel in CUDA C++ can be traced at any step, at the size of the moment") {
  Course course;
  const ScriptedScreen screen = course.walk("3", {"t", "", "s 100 90 40", "n", "trace", ""});
  const ShownView& trace = screen.shown[1];
  CHECK(trace.title == "Trace of lesson 3 · A tile in shared memory");
  CHECK(trace.place == "M = N = K = 64");
  CHECK(contains(trace.text, "block 0,0 of 2×2 · warp 0 of 32 · step 0"));
  CHECK(contains(trace.text, "global load from A[0][0] on"));
  CHECK(contains(trace.text, "gemm-tutor trace 3"));
  CHECK(contains(screen.shown[2].place, "idea"));
  CHECK(screen.shown[5].place == "M = 100, N = 90, K = 40");
  CHECK(contains(screen.shown[5].text, "of 3×4"));
  CHECK(contains(screen.last().place, "source"));
  for (const char* without_warps : {"0", "10"}) {
    const ScriptedScreen other = course.walk(without_warps, {});
    for (const KeyHelp& key : other.last().keys) {
      CHECK(key.key != 't');
      CHECK(key.key != 'm');
    }
  }
}

TEST_CASE("m shows the machine code of the hot loop at any step, and leads back") {
  if (!compiler_status().has_assembler) SKIP_BECAUSE("this compiler makes no machine code");
  Course course;
  const ScriptedScreen screen = course.walk("5", {"m", "", "n", "machine", ""});
  const ShownView& code = screen.shown[1];
  CHECK(code.title == "Machine code of lesson 5 · Two by two elements a thread");
  CHECK(code.place == "M = N = K = 64");
  CHECK(contains(code.text, "│ LDS.64 ×16  LDS.128 ×8  FFMA ×64"));
  CHECK(contains(code.text, "Unrolling put 16 steps along K"));
  CHECK(contains(screen.shown[2].place, "idea"));
  CHECK(screen.shown[4].text == code.text);
  CHECK(contains(screen.last().place, "source"));
}

TEST_CASE("machine code that cannot be shown leaves the learner where they were") {
  Course course;
  course.request.lesson = &find_lesson("3");
  ScriptedScreen screen({"n", "m"});
  screen.interrupts = true;
  walk_through(screen, course.file, course.request);
  CHECK(contains(screen.last().place, "source"));
  CHECK(screen.last().notice == "Stopped.");
  const ScriptedScreen failed = course.walk("3", {"s BK=4096", "m"});
  CHECK(contains(failed.last().notice, "The machine code cannot be shown: "));
  CHECK(contains(failed.last().place, "idea"));
}

TEST_CASE("every kernel's trace fits its screen", "[long]") {
  for (const bool unicode : {true, false}) {
    Terminal terminal;
    terminal.unicode = unicode;
    for (const Lesson& lesson : lessons()) {
      if (!lesson.kernels.front().is_cuda()) continue;
      Course course;
      std::vector<std::string> lines;
      for (std::size_t i = 0; i < lesson.kernels.size(); ++i)
        lines = lines + times(1, "t") + times(1, "") + times(1, "k");
      if (lesson.kernels.size() == 1) lines.pop_back();
      const ScriptedScreen screen = course.walk(lesson.slug.c_str(), lines, terminal);
      for (std::size_t i = 0; i < lesson.kernels.size(); ++i) {
        CHECK(contains(screen.shown[3 * i + 1].title, "Trace of lesson"));
        CHECK(contains(screen.shown[3 * i + 1].text, lesson.kernels[i].name));
      }
    }
  }
}

TEST_CASE("a trace that is interrupted, or cannot be, says so where the learner was") {
  Course course;
  course.request.lesson = &find_lesson("3");
  ScriptedScreen screen({"n", "t"});
  screen.interrupts = true;
  walk_through(screen, course.file, course.request);
  CHECK(contains(screen.last().place, "source"));
  CHECK(screen.last().notice == "Stopped.");
  const ScriptedScreen failed = course.walk("3", {"s BK=4096", "t"});
  CHECK(contains(failed.last().notice, "It cannot be traced: "));
  CHECK(contains(failed.last().place, "idea"));
}

TEST_CASE("the run's source has its requests drawn below the lines") {
  Course course;
  const ScriptedScreen screen = course.walk("3", times(7, "n"));
  CHECK(contains(screen.last().text, "     │ ╰ ████  4 sectors · 128 of 128 bytes used\n"));
  CHECK(contains(screen.last().text, "Below a line: "));
  Terminal spoken;
  spoken.spoken = true;
  const std::string words = course.walk("3", times(7, "n"), spoken).last().text;
  CHECK(contains(words, "Global: 4 sectors in 1 line · 128 of 128 bytes used\n"));
  CHECK_FALSE(contains(words, "█"));
}

TEST_CASE("an interrupted run leads back to the step before") {
  Course course;
  course.request.lesson = &find_lesson("3");
  ScriptedScreen screen({"n", "n", "n", "n", "n", "n"});
  screen.interrupts = true;
  walk_through(screen, course.file, course.request);
  CHECK(contains(screen.last().place, "predict 3 of 3"));  // the launch needs the compiled kernel
  CHECK(screen.last().notice == "Stopped.");
}

TEST_CASE("a run that cannot be is told, and the course goes on") {
  Course course;
  course.request.run.backend = Backend::gpu;  // in a test that runs without one
  if (gpu::status().available) SKIP_BECAUSE("this machine has a GPU");
  const ScriptedScreen screen = course.walk("3", times(10, "n"));
  CHECK(contains(screen.shown[7].text, "error: "));
  CHECK(contains(screen.shown[7].text, "help: "));
  CHECK(contains(screen.last().text, "What limits it"));
}

TEST_CASE("where the learner left is where the next start begins") {
  for (const char* number : {"0", "3", "10"}) {
    const Lesson& lesson = find_lesson(number);
    for (std::size_t at = 0; at < stops(lesson).size(); ++at) {
      Course course;
      const std::string left =
          course.walk(number, times(at, "n") + std::vector<std::string>{"q"}).last().place;
      ProgressFile file(course.directory.path() / "progress.json");
      ScriptedScreen screen({});
      course.request.lesson = nullptr;
      walk_through(screen, file, course.request);
      INFO("lesson " << number << ", " << left);
      CHECK(screen.last().title == "Lesson " + std::string(number) + " · " + lesson.title);
      if (!contains(left, "predict")) CHECK(screen.last().place == left);
      if (contains(left, "predict")) CHECK(contains(screen.last().place, "predict 1 of"));
      CHECK(contains(screen.last().notice, "Welcome back"));
    }
  }
}

TEST_CASE("the first start asks what the learner knows, and begins there") {
  const auto start = [](std::vector<std::string> lines) {
    TemporaryDirectory directory;
    ProgressFile file(directory.path() / "progress.json");
    ScriptedScreen screen(std::move(lines));
    WalkthroughRequest request;
    request.problem = Problem{64, 64, 64};
    walk_through(screen, file, request);
    return screen.shown;
  };
  CHECK(contains(start({"1", "1"}).back().title, "Lesson 0"));
  CHECK(contains(start({"", ""}).back().title, "Lesson 0"));
  CHECK(contains(start({"2", "1"}).back().title, "Lesson 1"));
  const auto shown = start({"4", "none", "3", "2", "n", "n"});
  CHECK(contains(shown[1].notice, "'4'"));
  CHECK(contains(shown[2].notice, "'none'"));
  CHECK(contains(shown.back().title, "Lesson 3"));
  CHECK(contains(shown.back().place, "launch"));  // no predictions were wanted
  CHECK(start({"q"}).size() == 1);
}

TEST_CASE("every stop of a lesson is found by its step's name") {
  for (const Lesson& lesson : lessons()) {
    for (const Kernel& kernel : lesson.kernels) {
      for (const bool predicts : {true, false}) {
        const std::vector<Stop> all = stops_of(lesson, kernel, predicts);
        for (const Stop& stop : all) {
          CHECK(all[stop_named(all, name_of(stop.step))].step == stop.step);
        }
        CHECK(stop_named(all, "") == 0);
        CHECK(stop_named(all, "trace") == 0);
        CHECK(std::ranges::count(all, Stop{Step::compare}) ==
              (predicts && !kernel.questions.empty()));
      }
    }
  }
}
