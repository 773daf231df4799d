#include "report/check_report.hpp"

#include <algorithm>

#include "catch.hpp"
#include "exercise/check.hpp"
#include "report/exercise_report.hpp"
#include "sample.hpp"
#include "sample_run.hpp"
#include "simt/compiler.hpp"
#include "view/terminal_text.hpp"
#include "view/text_checks.hpp"

using namespace gemm_tutor;

namespace {

// Every kind of report there is.
const std::vector<CheckReport>& reports() {
  static const std::vector<CheckReport> all = [] {
    std::vector<CheckReport> result;
    for (const Exercise& exercise : sample_of(exercises(), 9)) {
      for (const std::string& source :
           {exercise.handout, exercise.solution, exercise.handout + "\nint broken"}) {
        result.push_back(check_exercise(exercise, source, "a folder/my kernel.cu", {}));
      }
    }
    return result;
  }();
  return all;
}

}  // namespace

TEST_CASE("a check's report fits its terminal, with and without UTF-8", "[nightly]") {
  const int width = GENERATE(60, 80, 100);
  for (const CheckReport& report : reports()) {
    const std::string text =
        terminal_text(check_document({report, nullptr, 3}), {false, true, width});
    INFO(text);
    CHECK(widest(text) <= width);
    const std::string ascii =
        terminal_text(check_document({report, nullptr, 3}), {false, false, width});
    CHECK(is_ascii(ascii));
    CHECK(widest(ascii) <= width);
  }
}

TEST_CASE("what an exercise asks, and its hints, fit the terminal as well") {
  const int width = GENERATE(60, 80, 100);
  for (const Exercise& exercise : exercises()) {
    for (const std::string& text :
         {terminal_text(started_document(exercise, exercise.file_name), {false, true, width}),
          terminal_text(hints_document({.exercise = exercise, .count = 3, .has_tried = true}),
                        {false, true, width})}) {
      INFO(text);
      CHECK(widest(text) <= width);
    }
  }
}

TEST_CASE("a check's report names the stages, and what comes next") {
  for (const CheckReport& report : reports()) {
    const std::string text = terminal_text(check_document({report, nullptr, 1}), {});
    INFO(text);
    for (const char* stage : {"Compile  ", "Result   ", "Safety   ", "Traffic  ", "Next     "}) {
      CHECK(contains(text, stage));
    }
    CHECK(contains(text, "Well done") == report.solved());
    CHECK(contains(text, "gemm-tutor hint") == !report.solved());
    const bool is_gaps = report.exercise->terms.kind == ExerciseKind::gaps;
    CHECK(contains(text, "Look at line") == (is_gaps && !report.place.empty()));
    CHECK(contains(text, "Try ") == false);
  }
}

TEST_CASE("a file that is watched needs no command but to be saved") {
  CheckReport report;
  report.exercise = &exercises().front();
  report.failed = Stage::compile;
  report.compile_error = "k.cu does not compile";
  report.compile_help = "Correct the file at the line named, and run the command again.";
  CHECK(contains(terminal_text(check_document({.report = report}), {}),
                 "and run the command again."));
  const std::string watched =
      terminal_text(check_document({.report = report, .is_watched = true}), {});
  CHECK(contains(watched, "Correct the file at the line named, and save it."));
  CHECK_FALSE(contains(watched, "run the command again"));
  CHECK(contains(watched, "gemm-tutor check"));
  CHECK_FALSE(contains(
      terminal_text(check_document({.report = report, .is_watched = true, .has_keys = true}), {}),
      "gemm-tutor"));
}

TEST_CASE("a long line that is quoted fits the terminal with its caret, and is whole in a file") {
  CheckReport report;
  report.exercise = &exercises().front();
  report.failed = Stage::compile;
  const std::string source = "  " + std::string(100, 'a') + "x;";
  report.compile_error =
      "k.cu does not compile\nk.cu(1): error: no x\n" + source + "\n" + std::string(102, ' ') + "^";
  // Eleven columns of margin, and those of the caret in what is left of 80.
  const std::string text = terminal_text(check_document({report}), {});
  INFO(text);
  CHECK(contains(text, "aaax;\n" + std::string(78, ' ') + "^\n"));
  CHECK(widest(text) == 80);
  Terminal file;
  file.has_width = false;
  CHECK(contains(terminal_text(check_document({report}), file),
                 "\n" + std::string(11, ' ') + source + "\n"));
}

TEST_CASE("a sign of the map stays with its meaning") {
  CheckReport report;
  report.exercise = &exercises().front();
  report.failed = Stage::result;
  Diagnosis diagnosis;
  diagnosis.unwritten = 1;
  diagnosis.map = {40, 40, {".x?"}};
  report.diagnosis = diagnosis;
  const std::string text = terminal_text(check_document({report}), {false, true, 80});
  INFO(text);
  CHECK(contains(text, "\n           ? never written\n"));
}

TEST_CASE("no hint is offered where none is left", "[long]") {
  const auto failed = std::ranges::find_if_not(reports(), &CheckReport::solved);
  REQUIRE(failed != reports().end());
  CHECK_FALSE(
      contains(terminal_text(check_document({*failed, nullptr, 0}), {}), "gemm-tutor hint"));
}

TEST_CASE("a map that looks the same everywhere is not drawn", "[long]") {
  CheckReport report = *std::ranges::find_if(
      reports(), [](const CheckReport& r) { return r.diagnosis.has_value(); });
  report.diagnosis->map = {4, 2, {"xxxx", "xxxx"}};
  CHECK_FALSE(contains(terminal_text(check_document({report}), {}), "xxxx"));
  report.diagnosis->map.lines[1] = "xx.x";
  CHECK(
      contains(terminal_text(check_document({report}), {}), "           xxxx\n           xx.x\n"));
}

TEST_CASE("the list of exercises says what is solved, tried and next") {
  Progress progress;
  progress.exercise = "whole-tiles-only";
  progress.exercises["naive-coalesced"].solved = true;
  progress.exercises["whole-tiles-only"] = {2, 1, false, ""};
  const std::string text =
      terminal_text(exercises_document(exercises(), {.progress = progress}), {});
  INFO(text);
  CHECK(contains(text, "✓ "));
  CHECK(contains(text, "2 failed checks, 1 hint"));
  CHECK(contains(text, "Next     gemm-tutor check whole-tiles-only · "));
  progress.exercise = "naive-coalesced";
  CHECK(contains(terminal_text(exercises_document(exercises(), {.progress = progress}), {}),
                 "gemm-tutor exercise start 0 "));
  for (const Exercise& exercise : exercises()) progress.exercises[exercise.slug].solved = true;
  CHECK(contains(terminal_text(exercises_document(exercises(), {.progress = progress}), {}),
                 "all are solved"));
}

TEST_CASE("a kernel to make faster has its limits, its time and what to try, with its line") {
  CheckReport report;
  report.exercise = &find_exercise("raise-intensity");
  report.source = "first\nsum += a_part[row][k];\n";
  report.timed = KernelRun();
  report.timed->problem = {2048, 2048, 2048};
  CHECK_FALSE(contains(terminal_text(check_document({.report = report}), {}), "Timing"));
  report.timed->estimate = sample_estimate();
  report.timed->estimate->changes = {{simt::Change::Kind::no_bank_conflicts, 1.1, 2}};
  const std::string text = terminal_text(check_document({.report = report}), {});
  INFO(text);
  CHECK(contains(text, "\nLimits   NVIDIA H200, estimated."));
  CHECK(contains(text, "\nTiming   at 2048×2048×2048: estimated 1.26 ms"));
  CHECK(contains(text, "\nTry      no bank conflicts in shared memory (line 2): about 1.10 ms"));
  CHECK(contains(text, "2 │  sum += a_part[row][k];\n"));
  CHECK(check_object(report)["estimate"]["limited_by"] == "shared");
}

TEST_CASE("a kernel that solves its exercise is shown beside the reference") {
  if (!simt::compiler_status().has_assembler) SKIP_BECAUSE("this compiler makes no machine code");
  const Exercise& exercise = find_exercise("1");
  CheckOptions options;
  options.estimate = true;
  const auto checked = [&](const std::string& source) {
    return check_exercise(exercise, source, "mine.cu", options);
  };
  const auto text_of = [](const CheckReport& report) {
    return terminal_text(check_document({.report = report}), {});
  };
  const CheckReport same = checked("// mine\n" + exercise.solution);
  CHECK(contains(text_of(same),
                 "\nBeside   the reference at 2048×2048×2048, estimated for an NVIDIA H200:"));
  CHECK(contains(text_of(same), "estimated\n         yours      17 G"));
  CHECK(contains(text_of(same), "\n         reference  17 G"));
  CHECK(contains(text_of(same), "Your code is that of the reference."));
  std::string wrapped = exercise.solution;
  wrapped.replace(wrapped.find("sum = 0.0f;"), 11, "sum =\n      0.0f;  // wrapped");
  CHECK(contains(text_of(checked(wrapped)), "Your code is that of the reference."));
  CHECK_FALSE(contains(text_of(same), "Timing"));  // which a kernel to make faster has

  std::string renamed = exercise.solution;
  for (std::size_t at = 0; (at = renamed.find("sum", at)) != renamed.npos; at += 5)
    renamed.replace(at, 3, "total");
  const CheckReport other = checked(renamed);
  INFO(text_of(other));
  CHECK(contains(text_of(other), "-   float total = 0.0f;"));
  CHECK(contains(text_of(other), "+   float sum = 0.0f;"));
  const Json json = check_object(other);
  CHECK(json["compared"]["yours"]["counters"] == json["compared"]["reference"]["counters"]);
  CHECK(json["compared"]["reference"]["estimate"]["gpu"] == "NVIDIA H200");

  CHECK_FALSE(checked(exercise.handout).reference);
}
