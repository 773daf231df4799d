// The exercises as they are: each one that is handed out fails as it should, and each solution
// solves it.
#include <algorithm>
#include <map>
#include <random>
#include <regex>
#include <set>

#include "catch.hpp"
#include "course_of_environment.hpp"
#include "exercise/check.hpp"
#include "exercise/exercise.hpp"
#include "report/check_report.hpp"
#include "sample.hpp"
#include "support/error.hpp"
#include "support/text.hpp"
#include "view/style.hpp"
#include "view/terminal_text.hpp"

using namespace gemm_tutor;

namespace {

CheckReport check(const Exercise& exercise, const std::string& source) {
  return check_exercise(exercise, source, exercise.file_name, {});
}

const Exercise& exercise_at(std::size_t i) { return exercises().at(i); }

}  // namespace

TEST_CASE("there is an exercise for each numbered lesson, and there are others") {
  std::vector<int> numbers;
  for (const Exercise& exercise : exercises()) {
    if (exercise.lesson) numbers.push_back(*exercise.lesson);
  }
  CHECK(numbers.size() == numbered_lessons().size());
  const auto count = [](ExerciseKind kind) {
    return std::ranges::count_if(
        exercises(), [kind](const Exercise& exercise) { return exercise.terms.kind == kind; });
  };
  constexpr int without_gaps = 3;  // on the CPU, a call of the library, and a warp's tile
  CHECK(count(ExerciseKind::gaps) == std::ssize(numbers) - without_gaps);
  CHECK(count(ExerciseKind::bug) == 9);
  CHECK(count(ExerciseKind::faster) == 9);
  CHECK(count(ExerciseKind::write) == 1);
}

TEST_CASE("every exercise as handed out compiles, and fails for the reason it is there for",
          "[long]") {
  const Exercise& exercise =
      exercise_at(GENERATE(from_range(sampled_places(exercises().size(), 9))));
  const CheckReport report = check(exercise, exercise.handout);
  INFO(exercise.slug << "\n" << terminal_text(check_document({report}), {}));
  CHECK_FALSE(report.solved());
  CHECK(report.failed != Stage::compile);
  CHECK(report.warnings.empty());
  CHECK(report.cause.empty());
  switch (exercise.terms.kind) {
    case ExerciseKind::gaps:
      CHECK(report.failed == Stage::result);
      CHECK(report.untouched_gaps.size() >= 2);
      CHECK(report.untouched_gaps.size() <= 4);
      break;
    case ExerciseKind::bug:
      CHECK(report.untouched_gaps.empty());
      break;
    case ExerciseKind::faster:
      CHECK(report.failed == Stage::traffic);
      CHECK(report.untouched_gaps.empty());
      break;
    case ExerciseKind::write:
      CHECK(report.failed == Stage::result);
      CHECK(report.sizes.front().verification.unwritten_elements ==
            report.sizes.front().verification.elements_total);
  }
}

TEST_CASE("the bugs are found as what they are") {
  const CheckReport barrier =
      check(find_exercise("small-k-only"), find_exercise("small-k-only").handout);
  REQUIRE_FALSE(barrier.findings.empty());
  CHECK(barrier.findings.front().kind() == simt::FindingKind::race);

  const CheckReport stale =
      check(find_exercise("whole-tiles-only"), find_exercise("whole-tiles-only").handout);
  CHECK(stale.failed == Stage::result);
  CHECK(stale.sizes.front().verification.passed);

  const CheckReport coalescing =
      check(find_exercise("too-many-sectors"), find_exercise("too-many-sectors").handout);
  CHECK(coalescing.failed == Stage::traffic);
  CHECK(coalescing.goals.front().goal->name.find("sectors") != std::string::npos);
  CHECK_FALSE(coalescing.goals.front().lines.empty());

  const auto first_finding = [](const char* name) {
    const CheckReport report = check(find_exercise(name), find_exercise(name).handout);
    REQUIRE_FALSE(report.findings.empty());
    return report.findings.front().kind();
  };
  CHECK(first_finding("odd-sizes") == simt::FindingKind::alignment);
  CHECK(first_finding("ring-of-copies") == simt::FindingKind::race);
  CHECK(first_finding("warp-alone") == simt::FindingKind::race);
}

TEST_CASE("shared memory is of no line") {
  const Exercise& exercise = find_exercise("shared-memory-budget");
  const CheckReport report = check(exercise, exercise.handout);
  CHECK(report.goals.front().counted == 4 * (32 * 12 + 8 * 64 + 32 * 64));
  CHECK(report.goals.front().lines.empty());
}

TEST_CASE("every solution solves its exercise, and leaves no gap") {
  const Exercise& exercise =
      exercise_at(GENERATE(from_range(sampled_places(exercises().size(), 9))));
  const CheckReport report = check(exercise, exercise.solution);
  INFO(exercise.slug << "\n" << terminal_text(check_document({report}), {}));
  CHECK(report.solved());
  CHECK(report.warnings.empty());
  CHECK(report.cause.empty());
  CHECK(report.untouched_gaps.empty());
  CHECK(report.goals.size() == exercise.terms.goals.size());
  CHECK(report.sizes.size() == exercise.terms.sizes.size());
}

TEST_CASE("every other way that is shown solves its exercise") {
  std::size_t ways = 0;
  for (const Exercise& exercise : sample_of(exercises(), 11)) {
    for (const OtherWay& way : exercise.terms.other_ways) {
      INFO(exercise.slug << ": " << way.text);
      const std::string source = solution_in(way, exercise);
      const CheckReport report = check(exercise, source);
      INFO(terminal_text(check_document({report}), {}));
      CHECK(source != exercise.solution);
      CHECK(report.solved());
      CHECK(report.warnings.empty());
      ++ways;
    }
  }
  CHECK(ways >= (takes_all() ? 10 : 1));
}

TEST_CASE("a piece of code that another way changes is in the solution once") {
  const Exercise& exercise = find_exercise("3");
  for (const char* code : {"no such code", "__syncthreads();"}) {
    CHECK_THROWS_AS(solution_in({"", {{code, ""}}}, exercise), Error);
  }
}

TEST_CASE("every exercise is whole: three hints, sizes that cut tiles, goals") {
  const Exercise& exercise = exercise_at(GENERATE(range(std::size_t{0}, exercises().size())));
  INFO(exercise.slug);
  CHECK_FALSE(exercise.title.empty());
  CHECK_FALSE(exercise.terms.task.empty());
  CHECK(exercise.terms.hints.size() == 3);
  CHECK(exercise.terms.goals.size() >= 2);
  const LaunchShape shape = exercise.kernel.shape(exercise.kernel.settings);
  const auto is_whole = [&](const Problem& problem) {
    return has_whole_tiles(shape, problem) && problem.k % shape.tile_depth == 0;
  };
  CHECK(std::ranges::any_of(exercise.terms.sizes, is_whole));
  CHECK_FALSE(std::ranges::all_of(exercise.terms.sizes, is_whole));
  for (const Problem& problem : exercise.terms.sizes) {
    CHECK(problem.multiply_adds() <= 0x1p22);  // a check is quick
  }
  for (const Goal& goal : exercise.terms.goals) {
    INFO(goal.name);
    CHECK(has_whole_tiles(shape, goal.problem));
  }
}

TEST_CASE("the tile sizes of an exercise differ along M, N and K") {
  // With two equal sizes, a kernel that exchanges them would be right.
  const std::map<std::string, std::string> equal_with_reason = {
      {"cpu-loop", "one thread computes all of C: its code has no tile"},
      {"naive-uncoalesced", "a block has 32×32 threads, as in lesson 1, and each has one element"},
      {"naive-coalesced", "the same, in lesson 2"},
      {"cublas", "a call of the library, which chooses its own tiles"},
      {"fragment", "a product of matrices has 16×8 elements, and is 16 deep"},
      {"warp-alone", "along N and K there are the 32 lanes of a warp, which have no other name"}};
  for (const Exercise& exercise : exercises()) {
    INFO(exercise.slug);
    const Settings& settings = exercise.kernel.settings;
    const LaunchShape shape = exercise.kernel.shape(settings);
    const int depth = settings.value_or("BK", shape.tile_depth);
    const std::set<int> sizes = {shape.tile_rows, shape.tile_columns, depth};
    CHECK((sizes.size() == 3) != equal_with_reason.contains(exercise.slug));
  }
}

TEST_CASE("a check has sizes with several tiles along M, N and K") {
  for (const Exercise& exercise : exercises()) {
    INFO(exercise.slug);
    if (exercise.slug == "cpu-loop") continue;  // its only thread computes all of C
    const LaunchShape shape = exercise.kernel.shape(exercise.kernel.settings);
    const std::vector<Problem>& sizes = exercise.terms.sizes;
    CHECK(std::ranges::any_of(sizes, [&](const Problem& at) { return at.m > shape.tile_rows; }));
    CHECK(std::ranges::any_of(sizes, [&](const Problem& at) { return at.n > shape.tile_columns; }));
    CHECK(std::ranges::any_of(sizes, [&](const Problem& at) { return at.k > shape.tile_depth; }));
  }
}

TEST_CASE("an array that a hint names is in the exercise's file or its solution") {
  static const std::regex arrays(R"(([A-Za-z_][A-Za-z0-9_]*)(\[|\.[xyzw]\b))");
  int found = 0;
  for (const Exercise& exercise : exercises()) {
    const std::string known = exercise.handout + exercise.solution;
    for (const std::string& hint : exercise.terms.hints) {
      for (std::sregex_iterator name(hint.begin(), hint.end(), arrays), end; name != end; ++name) {
        CAPTURE(exercise.slug, hint, (*name)[1].str());
        CHECK(std::regex_search(known, std::regex("\\b" + (*name)[1].str() + "\\b")));
        ++found;
      }
    }
  }
  CHECK(found > 20);
}

TEST_CASE("every solution is right at random sizes, and nothing is found", "[long]") {
  Exercise exercise = exercise_at(GENERATE(from_range(sampled_places(exercises().size(), 9))));
  std::mt19937 random(1);
  std::uniform_int_distribution<int> size(1, 90);
  exercise.terms.sizes.clear();
  for (int i = 0; i < 20; ++i) {
    exercise.terms.sizes.push_back({size(random), size(random), size(random)});
  }
  exercise.terms.goals.clear();
  const CheckReport report = check(exercise, exercise.solution);
  INFO(exercise.slug << "\n" << terminal_text(check_document({report}), {}));
  CHECK(report.solved());
  CHECK(report.sizes.size() == 20);
}

TEST_CASE("an exercise is found by number, slug and file name") {
  CHECK(find_exercise("3").slug == "shared-memory-tile");
  CHECK(find_exercise("03").slug == "shared-memory-tile");
  CHECK(find_exercise("shared-memory-tile").lesson == 3);
  CHECK(find_exercise("whole-tiles-only.cu").slug == "whole-tiles-only");
  for (const char* unknown : {"20", "7bb", "b7", "", "shared", "-1"}) {
    INFO(unknown);
    CHECK_THROWS_AS(find_exercise(unknown), Error);
  }
}

TEST_CASE("a file says which exercise it is, whatever its name") {
  for (const Exercise& exercise : exercises()) {
    INFO(exercise.slug);
    CHECK(exercise_of(exercise.handout, "mine.cu") == &exercise);
    CHECK(exercise_of(exercise.solution, "mine.cu") == &exercise);
    CHECK(exercise_of("// another first line\n" + exercise.handout, "mine.cu") == &exercise);
    CHECK(exercise_of("", "folder/" + exercise.file_name) == &exercise);
  }
  CHECK(exercise_of("", "mine.cu") == nullptr);
  CHECK(exercise_of("// Exercise no-such-thing: x\n", "mine.cu") == nullptr);
}

TEST_CASE("a gap counts as filled once its line is another") {
  const Exercise& exercise = find_exercise("3");
  const std::vector<int> all = untouched_gaps(exercise, exercise.handout);
  REQUIRE(all.size() >= 2);
  std::string source = exercise.handout;
  std::size_t line = source.find("// GAP 1");
  while (source.compare(source.find_first_not_of(' ', line), 2, "//") == 0) {
    line = source.find('\n', line) + 1;
  }
  source.insert(source.find_first_not_of(' ', line), "mine; ");
  const std::vector<int> left = untouched_gaps(exercise, source);
  CHECK(left == std::vector<int>(all.begin() + 1, all.end()));
  CHECK(untouched_gaps(exercise, "").empty());
}

TEST_CASE("what is handed out has at most 80 columns, as have the exercises' own solutions") {
  for (const Exercise& exercise : exercises()) {
    std::vector<std::string> sources = {exercise.handout};
    if (!exercise.lesson) sources.push_back(exercise.solution);
    for (const std::string& source : sources) {
      for (const std::string& line : split_lines(source)) {
        INFO(exercise.slug << ": " << line);
        CHECK(columns(line) <= 80);
      }
    }
  }
}
