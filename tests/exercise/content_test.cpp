// The exercises themselves: each can be solved, is not solved as handed out, and says what to do.
#include <algorithm>
#include <string>

#include "catch.hpp"
#include "compile/compiler.hpp"
#include "exercise/check.hpp"

namespace gemm_tutor {
namespace {

CheckReport checked(const Exercise& exercise, const std::string& source) {
  CheckOptions options;
  return check_exercise(exercise, source, exercise.file_name, options);
}

std::string stage_text(const CheckReport& report) {
  return std::string(report.failed ? name_of(*report.failed) : "solved");
}

}  // namespace

TEST_CASE("each exercise's solution solves it") {
  if (!nvrtc_status().available) SKIP_BECAUSE("NVRTC: " + nvrtc_status().problem);
  for (const Exercise& exercise : exercises()) {
    INFO(exercise.slug);
    const CheckReport report = checked(exercise, exercise.solution);
    INFO(report.compile_error << report.cause);
    CHECK(stage_text(report) == "solved");
    CHECK(report.findings.empty());
    CHECK(std::ranges::all_of(report.goals, &GoalCheck::met));
    CHECK(report.untouched_gaps.empty());
  }
}

TEST_CASE("an exercise fails as it is handed out, where its kind says") {
  if (!nvrtc_status().available) SKIP_BECAUSE("NVRTC: " + nvrtc_status().problem);
  for (const Exercise& exercise : exercises()) {
    INFO(exercise.slug);
    const CheckReport report = checked(exercise, exercise.handout);
    INFO(report.compile_error << report.cause);
    const bool is_slow =
        exercise.terms.kind == ExerciseKind::faster || exercise.slug == "coalescing-mistake";
    CHECK(stage_text(report) == (is_slow ? "traffic" : "result"));
    if (exercise.terms.kind == ExerciseKind::gaps) {
      CHECK(report.untouched_gaps.size() >= 2);
      CHECK(report.untouched_gaps.size() <= 4);
      CHECK(report.findings.size() <= 1);  // that C was not written
    } else {
      CHECK(report.untouched_gaps.empty());
    }
  }
}

TEST_CASE("a check is quick, and looks at odd sizes as well as at whole tiles") {
  for (const Exercise& exercise : exercises()) {
    INFO(exercise.slug);
    const ExerciseTerms& terms = exercise.terms;
    CHECK(terms.hints.size() == 3);
    CHECK(terms.goals.size() >= 2);
    const LaunchShape shape = exercise.kernel.shape(exercise.kernel.settings);
    const auto is_whole = [&](const Problem& problem) {
      return problem.m % shape.tile_rows == 0 && problem.n % shape.tile_columns == 0 &&
             problem.k % shape.tile_depth == 0;
    };
    CHECK(std::ranges::any_of(terms.sizes, is_whole));
    CHECK_FALSE(std::ranges::all_of(terms.sizes, is_whole));
    for (const Problem& problem : terms.sizes) CHECK(problem.multiply_adds() <= 0x1p22);
    for (const Goal& goal : terms.goals) {
      CHECK(is_whole(goal.problem));
      CHECK_FALSE(goal.cause.empty());
    }
  }
}

}  // namespace gemm_tutor
