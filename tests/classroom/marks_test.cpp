#include "classroom/marks.hpp"

#include "catch.hpp"
#include "support/utf8.hpp"

using namespace gemm_tutor;

namespace {

// A report on an exercise with four sizes. The first `right` sizes have the right result.
struct Sample {
  Exercise exercise;
  std::vector<Goal> goals = std::vector<Goal>(3);
  CheckReport report;

  explicit Sample(int right, std::optional<Stage> failed = {}) {
    exercise.terms.sizes = {{64, 64, 64}, {67, 45, 33}, {1, 1, 1}, {5, 5, 5}};
    report.exercise = &exercise;
    report.file_name = "03-shared-memory-tile.cu";
    report.failed = failed;
    for (const Problem& problem : exercise.terms.sizes) {
      SizeCheck check{problem, {}};
      check.verification.passed = static_cast<int>(report.sizes.size()) < right;
      check.verification.wrong_elements = 12;
      check.verification.elements_total = problem.c_elements();
      report.sizes.push_back(check);
    }
  }
  Sample& with_goals(int met) {
    for (int i = 0; i < 3; ++i) {
      goals[i].name = "floats loaded";
      goals[i].unit = "floats";
      GoalCheck check;
      check.goal = &goals[i];
      check.met = i < met;
      check.counted = 20'000;
      check.expected = 16'384;
      report.goals.push_back(check);
    }
    return *this;
  }
  Sample& with_compile_error(const std::string& error) {
    report.compile_error = error;
    report.sizes.clear();
    return *this;
  }
  std::string reason() const { return mark_of(report).reason; }
};

const std::string file = "03-shared-memory-tile.cu";

}  // namespace

TEST_CASE("points: the result first, then safety, then the share of goals") {
  CHECK(points_of(Sample(4).report) == Points{50, 25, 25});
  CHECK(points_of(Sample(4).with_goals(3).report) == Points{50, 25, 25});
  CHECK(points_of(Sample(4, Stage::traffic).with_goals(2).report) == Points{50, 25, 16});
  CHECK(points_of(Sample(4, Stage::traffic).with_goals(0).report) == Points{50, 25, 0});
  CHECK(points_of(Sample(4, Stage::safety).report) == Points{50, 0, 0});
  CHECK(points_of(Sample(3, Stage::result).report) == Points{18, 0, 0});
  CHECK(points_of(Sample(1, Stage::result).report) == Points{6, 0, 0});
  CHECK(points_of(Sample(0, Stage::result).report) == Points{});
  CHECK(points_of(Sample(0, Stage::compile).with_compile_error("x").report) == Points{});
  CHECK(most_points.total() == 100);
}

TEST_CASE("points: on a ladder safety counts by the rungs, and the first one is no pass") {
  Sample ladder(4, Stage::traffic);
  ladder.exercise.terms.is_ladder = true;
  CHECK(points_of(ladder.with_goals(1).report) == Points{50, 8, 8});
}

TEST_CASE("points: without an essential goal only the result counts") {
  Sample sample(4, Stage::traffic);
  sample.with_goals(2).goals[0].origin = "a quarter of the solution's";
  sample.goals[0].bound = Goal::Bound::at_least;
  std::swap(sample.report.goals[0].met, sample.report.goals[2].met);
  sample.report.goals[0].counted = 100;
  CHECK(points_of(sample.report) == Points{50, 0, 0});
  CHECK(sample.reason() ==
        "not what the exercise is about; floats loaded: 100 floats, less than 16,384");
  CHECK(mark_of(sample.report).parts[3].state == MarkPart::State::not_reached);
}

TEST_CASE("points: a goal that could not be judged is left out") {
  Sample solved(4);
  solved.with_goals(2).report.goals[2].is_judged = false;
  CHECK(points_of(solved.report) == Points{50, 25, 25});
  CHECK(solved.reason() == "");
  Sample missed(4, Stage::traffic);
  missed.with_goals(1).report.goals[1].is_judged = false;
  CHECK(points_of(missed.report) == Points{50, 25, 12});
  CHECK(missed.reason() == "1 of 2 goals met; floats loaded: 20,000 floats, more than 16,384");
}

TEST_CASE("points: sizes that were not come to count as wrong") {
  Sample stopped(4, Stage::safety);
  stopped.report.sizes.resize(2);
  CHECK(points_of(stopped.report) == Points{12, 0, 0});
  Sample on_gpu(4, Stage::result);  // right by the emulator, and wrong there
  CHECK(points_of(on_gpu.report).total() < 25);
}

TEST_CASE("a reason is one line: of the compiler's message what is about the submission") {
  const auto reason = [](const std::string& error) {
    return Sample(0, Stage::compile).with_compile_error(error).reason();
  };
  const std::string first = file + " does not compile\n";
  CHECK(reason(first + file + "(3): error: identifier \"summ\" is undefined\n  summ += 1;\n  ^") ==
        "line 3: identifier \"summ\" is undefined");
  CHECK(reason(first + "/etc/passwd(1): error: expected a declaration\n  root:x:0:0\n  ^") ==
        "in a header: expected a declaration");
  CHECK(reason(first + file + "(3): catastrophic error: cannot open source file \"x\"") ==
        "line 3: cannot open source file \"x\"");
  CHECK(reason("the file has no kernel k<32>") == "the file has no kernel k<32>");
  CHECK(reason(first + "k declares 60000 bytes of shared memory") ==
        "k declares 60000 bytes of shared memory");
  CHECK(reason(first + file + "(3): error: \x1b[31m" + std::string(5000, 'x')).size() < 210);
}

TEST_CASE("a reason says what fails first, with its numbers") {
  CHECK(Sample(4).reason() == "");
  CHECK(Sample(1, Stage::result).reason() ==
        "right at 1 of 4 sizes; wrong at 67×45×33: 12 of 3,015 elements");
  Sample with_cause(0, Stage::result);
  with_cause.report.cause = "The sum is never set to zero.";
  CHECK(with_cause.reason() ==
        "right at 0 of 4 sizes; wrong at 64: 12 of 4,096 elements. The sum is never set to zero.");
  Sample unsafe(4, Stage::safety);
  unsafe.report.findings = {{.fault = emulator::Fault::race, .line = 14, .count = 3}};
  CHECK(unsafe.reason() == "race, line 14: " + message(unsafe.report.findings[0]));
  CHECK(Sample(4, Stage::traffic).with_goals(1).reason() ==
        "1 of 3 goals met; floats loaded: 20,000 floats, more than 16,384");
  Sample without_count(4, Stage::traffic);
  GoalCheck& goal = without_count.with_goals(1).report.goals[1];
  goal.counted.reset();
  goal.not_counted = "global_load_requests is 0";
  CHECK(without_count.reason() ==
        "1 of 3 goals met; floats loaded: no value, as global_load_requests is 0");
}

TEST_CASE("a reason begins with the first warning, and a mark has the first few") {
  Sample wrong(0, Stage::result);
  for (int line = 3; line < 10; ++line) wrong.report.warnings.push_back({line, "no\nreturn"});
  CHECK(
      wrong.reason() ==
      "the compiler warns about line 3: no\ufffdreturn; right at 0 of 4 sizes; wrong at 64: 12 of "
      "4,096 elements");
  const Mark mark = mark_of(wrong.report);
  REQUIRE(mark.warnings.size() == most_warnings);
  const auto back = mark_of_json(mark_json(mark));
  REQUIRE(back);
  CHECK(back->warnings == mark.warnings);
  CHECK(back->warnings[1].message == "no\ufffdreturn");
  CHECK(mark_of(Sample(4).report).warnings.empty());
}

TEST_CASE("parts: what was looked at, and that a hidden size is wrong, but not which") {
  using State = MarkPart::State;
  const auto states = [](const Sample& sample) {
    std::string result;
    for (const MarkPart& part : mark_of(sample.report).parts) {
      result += part.state == State::passed ? '+' : part.state == State::failed ? '-' : '.';
    }
    return result;
  };
  CHECK(states(Sample(4)) == "+++++");
  CHECK(states(Sample(4, Stage::traffic).with_goals(1)) == "++++-");
  CHECK(states(Sample(4, Stage::safety)) == "+++-.");
  CHECK(states(Sample(2, Stage::result)) == "+-...");
  CHECK(states(Sample(0, Stage::compile).with_compile_error("x")) == "-....");
  Sample hidden(4, Stage::result);
  hidden.report.sizes.push_back({{97, 98, 99}, {}});
  CHECK(states(hidden) == "++-..");
  for (const MarkPart& part : mark_of(hidden.report).parts) {
    CHECK(part.text.find("97") == std::string::npos);
  }
}

TEST_CASE("a mark goes through JSON and back, and what is none is none") {
  const Mark mark{{50, 25, 8}, "traffic", "line 3: \"größer\"\n\x1b", 123'456'789'012, 0.5};
  const std::string json = mark_json(mark);
  CHECK(json.find('\n') == std::string::npos);
  const auto back = mark_of_json(json);
  REQUIRE(back);
  CHECK(back->points == mark.points);
  CHECK(back->failed == "traffic");
  CHECK(back->reason == "line 3: \"größer\"\ufffd\ufffd");
  CHECK(back->warp_instructions == mark.warp_instructions);
  CHECK(back->seconds == 0.5);
  Mark with_parts = mark;
  with_parts.parts = {{"compile", MarkPart::State::passed, "a\nb"}, {"hidden"}};
  CHECK(mark_of_json(mark_json(with_parts))->parts == with_parts.parts);
  for (const char* text : {"", "{", "[]", "{}", "hello", "{\"result\": \"50\"}"}) {
    CHECK_FALSE(mark_of_json(text));
  }
  for (std::size_t end = 0; end < json.size(); ++end)
    CHECK_FALSE(mark_of_json(json.substr(0, end)));
}
