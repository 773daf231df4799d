#include "walkthrough/walkthrough.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "catch.hpp"
#include "checks.hpp"
#include "course/glossary.hpp"
#include "gpu/gpu.hpp"
#include "own_folder.hpp"
#include "report/glossary_view.hpp"
#include "sample.hpp"
#include "scripted_screen.hpp"
#include "simt/compiler.hpp"
#include "support/text.hpp"
#include "walkthrough/steps.hpp"
#include "walkthrough/views.hpp"

using namespace gemm_tutor;

namespace {

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

  OwnFolder directory;
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
  for (const Lesson& lesson : numbered_lessons()) count += stops(lesson).size();
  return count;
}

}  // namespace

TEST_CASE("the whole course, step by step, there and back", "[nightly]") {
  for (const bool unicode : {true, false}) {
    Course course;
    Terminal terminal;
    terminal.unicode = unicode;
    const std::size_t steps = all_stops();
    course.request.step = name_of(Step::machine);
    const ScriptedScreen screen =
        course.walk("0", times(steps - 1, ">") + times(steps - 1, ":p"), terminal);
    REQUIRE(screen.shown.size() == 2 * steps - 1);

    std::size_t at = 0;
    for (const Lesson& lesson : numbered_lessons()) {
      for (const Stop& stop : stops(lesson)) {
        INFO(lesson.name() << ", " << name_of(stop.step));
        const ShownView& view = screen.shown[at];
        if (stop.step == Step::exercise) {
          CHECK(view.title.starts_with("Exercise " + lesson.key() + " · "));
        } else {
          CHECK(view.title == capitalised(lesson.name()) + " · " + lesson.title);
          CHECK(contains(view.place, std::string(name_of(stop.step))));
        }
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

TEST_CASE("an answer is judged at once, with the reason, and scored") {
  Course course;
  // 2,048 floats; 4 barriers; the second choice.
  const ScriptedScreen screen =
      course.walk("3", {">", ">", "2^11", ">", "5", "3", ">", "1", "2", "p", ">", ">"});
  const auto& shown = screen.shown;
  CHECK(contains(shown[3].text, "✓ You said: 2^11 = 2,048. Counted: 2,048 floats."));
  CHECK(contains(shown[3].place, "predict 1 of"));
  CHECK(contains(shown[5].text, "✗ You said: 5."));
  CHECK_FALSE(contains(shown[5].text, "Counted"));
  CHECK(contains(shown[6].text, "✗ You said: 3. Counted: 4 barriers."));
  CHECK(contains(shown[8].text, "You have a second try."));
  CHECK(contains(shown[9].text, "✓ You said: a sixth: one multiply-add"));
  CHECK(shown[10].text == shown[6].text);  // an answer stays
  CHECK(contains(screen.last().place, "run"));
  const Score score = score_of(course.file.progress.lessons["shared-memory-tile"]);
  CHECK(score.right == 1);
  CHECK(score.right_later == 1);
  CHECK(score.answered == 3);
}

TEST_CASE("a question that is skipped is open until it is answered") {
  Course course;
  const ScriptedScreen screen = course.walk("3", {">", ">", "", ":x", ":p", "2048"});
  CHECK(contains(screen.shown[3].place, "predict 1 of"));  // Enter alone does not skip it
  CHECK(contains(screen.shown[3].notice, "x skips the question"));
  CHECK(contains(screen.shown[4].place, "predict 2 of"));
  CHECK(contains(screen.shown[4].notice, "Skipped: predict 1 is still open"));
  CHECK(contains(screen.shown[5].text, "How many floats"));
  CHECK(contains(screen.last().text, "✓ You said: 2048."));
}

TEST_CASE("an answer whose count is interrupted is none") {
  Course course;
  course.request.lesson = &find_lesson("3");
  ScriptedScreen screen({">", ">", "2048"});
  screen.interrupts = true;
  walk_through(screen, course.file, course.request);
  CHECK(contains(screen.last().notice, "Stopped."));
  CHECK(contains(screen.last().text, "How many floats"));
  CHECK(course.file.progress.lessons["shared-memory-tile"].predictions.empty());
}

TEST_CASE("an answer that is none is asked for again") {
  Course course;
  const ScriptedScreen screen =
      course.walk("3", {">", ">", "many", "12 wavefronts", "1e999", "1/0", "2048"});
  for (std::size_t at = 3; at < 7; ++at) {
    CHECK_FALSE(screen.shown[at].notice.empty());
    CHECK(contains(screen.shown[at].text, "A number or a formula"));
  }
  CHECK(contains(screen.last().text, "✓ You said: 2048."));
  CHECK(screen.last().notice.empty());
}

TEST_CASE("at another size the questions come again, for the whole tile where one is cut") {
  Course course;
  const ScriptedScreen screen = course.walk("3", {">", ">", "2048", ">", ":s 100", "2048"});
  CHECK(contains(screen.shown[5].place, "predict 1 of"));
  CHECK_FALSE(contains(screen.shown[5].text, "You said"));
  CHECK(contains(screen.last().text,
                 "✓ You said: 2048. Counted: 2,048 floats, at 128, where no tile is cut."));
  CHECK(course.file.progress.problem == Problem{100, 100, 100});
}

TEST_CASE("questions are for the lesson's own size while the learner's is the usual one") {
  const Problem usual{1024, 1024, 1024}, own{4096, 4096, 96};
  Course course(usual);
  auto& predictions = course.file.progress.lessons["beyond-cublas"].predictions;
  predictions["shared-loads"] = {"1", usual, true};  // by a version that asked at this size
  const ScriptedScreen screen = course.walk("14", {">", ">", "2"});
  CHECK_FALSE(contains(screen.shown[2].text, "You said"));
  CHECK(contains(screen.shown[2].text, "there are 224 parts."));
  CHECK(contains(screen.shown[2].text, "(For M = 4,096, N = 4,096, K = 96.)"));
  CHECK(contains(screen.shown[3].text, "✓ You said: no, as much"));
  CHECK((predictions["shared-loads"] == Prediction{"2", own, true}));
  const std::string chosen = course.walk("14", {">", ">", "s 4096x4096x192"}).last().text;
  CHECK(contains(chosen, "there are 236 parts."));
  CHECK_FALSE(contains(chosen, "(For "));
  // At 512 no tile is shared, so there is nothing to ask about.
  const std::string at_512 = course.walk("14", {">", ">", "s 512"}).last().text;
  CHECK(contains(at_512, "there are 224 parts."));
  CHECK(contains(at_512, "(For M = 4,096, N = 4,096, K = 96.)"));
}

TEST_CASE("sizes and tiles can be changed at any step, or are refused with the reason") {
  Course course;
  const ScriptedScreen screen =
      course.walk("3", {"s",     "0",        "-1",         "x",          "65537",
                        "65536", "1 2",      "1 2 3 4",    "BM=0",       "BQ=1",
                        "BM=7",  "48 40 33", "s 33x65x17", "s 48x40x33", "s BM=16 BN=16 BK=16",
                        ">",     ">",        ">",          ">",          ">",
                        "d",     "2"});
  for (std::size_t at = 2; at < 12; ++at) {
    INFO(screen.shown[at].text);
    CHECK(screen.shown[at].title == "Another size, or another tile");
    CHECK_FALSE(screen.shown[at].notice.empty());
  }
  CHECK(course.file.progress.problem == Problem{48, 40, 33});
  CHECK(contains(screen.last().text, "shared_memory_tile<16, 16, 16>"));
  CHECK(contains(screen.last().text, "<<<dim3(3, 3), dim3(16, 16)>>>"));
}

TEST_CASE("another kernel of the lesson has its own source, questions and changes") {
  Course course;
  const Lesson& lesson = find_lesson("8");
  const ScriptedScreen screen = course.walk("8", {"k", "k"});
  REQUIRE(screen.shown.size() == 3);
  CHECK(contains(screen.shown[2].text, "conflict_free_reads"));

  const std::size_t steps = stops_of(lesson, lesson.kernels[1], true).size();
  const ScriptedScreen other =
      course.walk("8", std::vector<std::string>{"k"} + times(steps - 2, ">"));
  CHECK(contains(other.shown[1].text, "(lesson 5) to padded_tiles"));
  CHECK_FALSE(course.file.progress.lessons["bank-conflicts"].run.has_value());
}

TEST_CASE("lessons, words and keys have pages of their own") {
  Course course;
  const ScriptedScreen screen = course.walk("0", {"l", "99", "shared-memory-tile", "l 5", "g warp",
                                                  "", "g", "wavefront", "", "?", "", "l", ":p"});
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

TEST_CASE("a kernel in CUDA C++ can be traced from its run on, at the size of the moment") {
  Course course;
  Course skipped;
  const ScriptedScreen early = skipped.walk("3", {"t"});
  CHECK(early.said == "t (trace) comes after the lesson's questions.");
  CHECK(skipped.walk("3", {"m"}).said == "m (machine) comes after the lesson's questions.");
  course.file.progress.lesson = "shared-memory-tile";
  course.file.progress.step = "run";
  const ScriptedScreen screen =
      course.walk(nullptr, {"t", "", "s 100 90 40", ">", ">", ">", ">", "trace", ""});
  const ShownView& trace = screen.shown[1];
  CHECK(trace.title == "Trace of lesson 3 · A tile in shared memory");
  CHECK(trace.place == "M = N = K = 64");
  CHECK(contains(screen.shown[2].place, "run"));
  CHECK(screen.shown[8].place == "M = 100, N = 90, K = 40");
  CHECK(contains(screen.shown[8].text, "of 3×4"));
  CHECK(contains(screen.last().place, "traffic"));
  for (const char* without_warps : {"0", "10"}) {
    const ScriptedScreen other = course.walk(without_warps, {});
    for (const KeyHelp& key : other.last().keys) {
      CHECK(key.key != 't');
      CHECK(key.key != 'm');
    }
  }
}

TEST_CASE("m shows the machine code of the hot loop from the run on, and leads back") {
  if (!simt::compiler_status().has_assembler) SKIP_BECAUSE("this compiler makes no machine code");
  Course course;
  course.file.progress.lesson = find_lesson("5").slug;
  course.file.progress.step = "run";
  const ScriptedScreen screen = course.walk(nullptr, {"m", "", ">", "machine", ""});
  const ShownView& code = screen.shown[1];
  CHECK(code.title == "Machine code of lesson 5 · Two by two elements per thread");
  CHECK(code.place == "M = N = K = 64");
  CHECK(contains(code.text, "│ LDS.64 ×16  LDS.128 ×8  FFMA ×64"));
  CHECK(contains(code.text, "Unrolling put 16 steps along K"));
  CHECK(contains(screen.shown[2].place, "run"));
  CHECK(screen.shown[4].text == code.text);
  CHECK(contains(screen.last().place, "traffic"));
}

TEST_CASE("machine code that cannot be shown leaves the learner where they were") {
  Course course;
  course.file.progress.lesson = "shared-memory-tile";
  course.file.progress.step = "recap";
  ScriptedScreen screen({"m"});
  screen.interrupts = true;
  walk_through(screen, course.file, course.request);
  CHECK(contains(screen.last().place, "recap"));
  CHECK(screen.last().notice == "Stopped.");
  const ScriptedScreen failed = course.walk("3", {"s BK=4096", ">", ">", ">", ">", ">", ">", "m"});
  CHECK(contains(failed.last().notice, "The machine code cannot be shown: "));
  CHECK(contains(failed.last().place, "traffic"));
}

TEST_CASE("every kernel's trace fits its screen", "[long]") {
  for (const bool unicode : {true, false}) {
    Terminal terminal;
    terminal.unicode = unicode;
    for (const Lesson& lesson : sample_of(lessons(), 11)) {
      if (!lesson.kernels.front().is_cuda()) continue;
      for (const Kernel& kernel : lesson.kernels) {
        Course course;
        course.file.progress.lesson = lesson.slug;
        course.file.progress.kernel = kernel.name;
        course.file.progress.step = "run";
        const ScriptedScreen screen = course.walk(nullptr, {"t"}, terminal);
        CHECK(contains(screen.last().title, "Trace of " + lesson.name()));
        CHECK(contains(screen.last().text, kernel.function));
      }
    }
  }
}

TEST_CASE("a trace that is interrupted, or cannot be, says so where the learner was") {
  Course course;
  course.file.progress.lesson = "shared-memory-tile";
  course.file.progress.step = "recap";
  ScriptedScreen screen({"t"});
  screen.interrupts = true;
  walk_through(screen, course.file, course.request);
  CHECK(contains(screen.last().place, "recap"));
  CHECK(screen.last().notice == "Stopped.");
  const ScriptedScreen failed = course.walk("3", {"s BK=4096", ">", ">", ">", ">", ">", ">", "t"});
  CHECK(contains(failed.last().notice, "It cannot be traced: "));
  CHECK(contains(failed.last().place, "traffic"));
}

TEST_CASE("an interrupted run leads back to the step before") {
  Course course;
  course.request.lesson = &find_lesson("3");
  ScriptedScreen screen({">", ">", ">", ">", ">", ">"});
  screen.interrupts = true;
  walk_through(screen, course.file, course.request);
  CHECK(contains(screen.last().place, "predict 3 of 3"));
  CHECK(screen.last().notice.ends_with(" Stopped."));
}

TEST_CASE("a run that cannot be is told, and the course goes on") {
  Course course;
  course.request.run.backend = Backend::gpu;  // in a test that runs without one
  if (gpu::status().available) SKIP_BECAUSE("this machine has a GPU");
  const ScriptedScreen screen = course.walk("3", times(stops(find_lesson("3")).size() - 2, ">"));
  CHECK(contains(screen.shown[5].text, "error: "));
  CHECK(contains(screen.shown[5].text, "help: "));
  CHECK(contains(screen.last().text, "What limits it"));
}

TEST_CASE("the page of lessons opens the chapters, too") {
  Course course;
  const ScriptedScreen screen = course.walk("2", {"l machine", "l profiler", ""});
  REQUIRE(screen.shown.size() == 4);
  CHECK(contains(screen.shown[1].place, "machine"));
  CHECK(screen.shown[2].title == "The lessons in Nsight Compute");
  CHECK(contains(screen.shown[3].place, "machine"));
}

TEST_CASE("where the learner left is where the next start begins") {
  for (const char* number : {"0", "3", "10"}) {
    const Lesson& lesson = find_lesson(number);
    const std::size_t first = stop_named(stops(lesson), "idea");
    for (std::size_t at = first; at < stops(lesson).size(); ++at) {
      if (stops(lesson)[at].step == Step::exercise) continue;  // it has a test of its own
      Course course;
      const std::string left =
          course.walk(number, times(at - first, ">") + std::vector<std::string>{":q"}).last().place;
      ProgressFile file(course.directory.path() / "progress.json");
      ScriptedScreen screen({});
      course.request.lesson = nullptr;
      walk_through(screen, file, course.request);
      INFO("lesson " << number << ", " << left);
      CHECK(screen.last().title == "Lesson " + std::string(number) + " · " + lesson.title);
      CHECK(screen.last().place == left);
      CHECK(contains(screen.last().notice, "Welcome back"));
    }
  }
}

TEST_CASE("the first start asks what the learner knows, and begins there") {
  const auto start = [](std::vector<std::string> lines) {
    const OwnFolder directory;
    ProgressFile file(directory.path() / "progress.json");
    ScriptedScreen screen(std::move(lines));
    WalkthroughRequest request;
    request.problem = Problem{64, 64, 64};
    walk_through(screen, file, request);
    return screen.shown;
  };
  CHECK(contains(start({"1", "1"}).back().place, "machine"));
  CHECK(contains(start({"", "1", "1"})[1].notice, "Press the number"));
  CHECK(contains(start({"4", "3"}).back().title, "Exercise 3"));
  CHECK(contains(start({"2", "1"}).back().title, "Lesson 1"));
  const auto shown = start({"3", "2", ">", ">"});
  CHECK(contains(shown.back().title, "Lesson 3"));
  CHECK(contains(shown.back().place, "run"));  // no predictions were wanted
  CHECK(start({"q"}).size() == 1);
}

TEST_CASE("every stop of a lesson is found by its step's name") {
  for (const Lesson& lesson : lessons()) {
    for (const Kernel& kernel : lesson.kernels) {
      for (const bool predicts : {true, false}) {
        const std::vector<Stop> all = stops_of(lesson, kernel, predicts);
        for (std::size_t at = 0; at < all.size(); ++at) {
          CHECK(all[stop_named(all, name_of(all[at].step))].step == all[at].step);
          CHECK(stop_named(all, name_at(all, at)) == at);
        }
        CHECK(stop_named(all, "predict 99") == 0);
        CHECK(stop_named(all, "") == 0);
        CHECK(stop_named(all, "trace") == 0);
        const auto asked = std::ranges::count_if(all, &Stop::asks);
        CHECK(asked == (predicts ? std::ssize(kernel.questions) : 0));
      }
    }
  }
}

TEST_CASE("a run is compared with the learner's own, and its details are a key away") {
  if (!simt::compiler_status().has_assembler)
    SKIP_BECAUSE("without machine code there are no times");
  Course course;
  course.request.run.gpu = "h200";
  const ScriptedScreen alone = course.walk("3", times(5, ">"));
  CHECK(contains(alone.last().text, "There is no run of lesson 2 at 64 yet"));
  course.walk("2", times(5, ">"));
  // The last of the pages.
  const auto keys = course.walk("3", times(5, ">") + std::vector<std::string>{"d"}).last().keys;
  const auto is_page = [](const KeyHelp& key) { return key.key >= '1' && key.key <= '9'; };
  const std::string ladder(1, static_cast<char>('0' + std::ranges::count_if(keys, is_page)));
  const ScriptedScreen screen =
      course.walk("3", times(5, ">") + std::vector<std::string>{"d", ladder, "", "", ">"});
  const RunRecord& two = *course.file.progress.lessons["naive-coalesced"].run;
  const RunRecord& three = *course.file.progress.lessons["shared-memory-tile"].run;
  const std::string& run = screen.shown[5].text;
  REQUIRE(two.time == three.time);
  CHECK(contains(run, three.time));
  CHECK(contains(run, "Lesson 2, in your run at 64: "));
  CHECK(contains(run, fmt::format("This is {:.1f} times as fast", three.tflops / two.tflops)));
  CHECK(screen.shown[6].title == "Details of the run");
  CHECK(screen.shown[7].title == "your ladder so far");
  CHECK(contains(screen.shown[7].text, "3 shared-memory-tile"));
  CHECK(screen.shown[8].title == "Details of the run");
  CHECK(contains(screen.shown[9].place, "run"));
  CHECK(contains(screen.last().place, "traffic"));
  const ScriptedScreen loops = course.walk("0", times(5, ">"));
  CHECK(contains(loops.last().text, "cpu_loop_reordered (the two inner loops swapped"));
  CHECK(contains(loops.last().text, " times "));
}

TEST_CASE("a recap says what was done, and does not ask for it again") {
  Course course;
  const ScriptedScreen screen = course.walk("3", times(2, ">") + times(1, "2^11") + times(8, ">"));
  CHECK(contains(screen.last().text, "1 of 1 question predicted right"));
  const double counted = course.file.progress.lessons["shared-memory-tile"].run->flops_a_byte;
  CHECK(contains(screen.last().text,
                 fmt::format("You counted {:.1f} FLOP per byte of global memory at 64.", counted)));
  CHECK(contains(screen.last().text, "press e"));
  course.file.progress.exercises["shared-memory-tile"].solved = true;
  const std::size_t last = stops(find_lesson("3")).size() - 1;
  CHECK_FALSE(contains(course.walk("3", times(last, ">")).last().text, "press e"));
}

TEST_CASE("the course's end counts what was done") {
  Course course;
  const std::size_t last = stops(numbered_lessons().back()).size() - 1;
  course.file.progress.exercises["whole-tiles-only"].solved = true;
  const ScriptedScreen screen =
      course.walk(numbered_lessons().back().slug.c_str(), times(last, ">"));
  CHECK(contains(
      screen.last().text,
      fmt::format("You did 1 of {} lessons and chapters, ran 1 of their kernels, and solved 1 of ",
                  lessons().size())));
}

TEST_CASE("a lesson's drawings are below what its kernel asks of memory") {
  const auto traffic = [](const char* number) {
    Course course;
    const std::vector<Stop> all = stops(find_lesson(number));
    std::string text;
    std::vector<std::string> lines = times(stop_named(all, name_of(Step::traffic)), ">");
    lines.push_back("d");
    for (const KeyHelp& key : course.walk(number, lines).last().keys) {
      if (key.key >= '1' && key.key <= '9') lines.insert(lines.end(), {{key.key}, "p"});
    }
    for (const ShownView& view : course.walk(number, lines).shown) text += view.text;
    return text;
  };
  const std::string rows = traffic("1");
  CHECK(contains(rows, "its 32 rows of A"));
  CHECK(contains(rows, "32 sectors in 32 lines of 128 bytes"));
  const std::string tile = traffic("3");
  CHECK(contains(tile, "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"));
  CHECK(contains(tile, "ffffffffffffffffffffffffffffffff"));
  CHECK(contains(traffic("2"), "B[k * N + column]"));
  CHECK(contains(traffic("8"), "pass 2"));
}

TEST_CASE("what a word means fits a terminal of 80×24") {
  for (const GlossaryTerm& term : glossary()) {
    INFO(term.name);
    CHECK(screens(term_parts(term)) == 1);
  }
}

TEST_CASE("a picture of boxes is drawn with letters where it is read aloud") {
  Course course;
  Terminal spoken;
  spoken.spoken = true;
  const std::string text = course.walk("14", {}, spoken).last().text;
  CHECK(contains(text, "1 1 1 1 | 1 1 2 2"));
  CHECK_FALSE(contains(text, "│"));
}
