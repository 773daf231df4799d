#include "classroom/marks.hpp"

#include "catch.hpp"
#include "simt/check/fault.hpp"
#include "support/text.hpp"
#include "view/text_checks.hpp"

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

char sign_of(const MarkPart& part) {
  using State = MarkPart::State;
  return part.state == State::passed ? '+' : part.state == State::failed ? '-' : '.';
}

std::string text_of(const Sample& sample, const std::string& part) {
  for (const MarkPart& one : mark_of(sample.report).parts) {
    if (one.name == part) return one.text;
  }
  return "no such part";
}

}  // namespace

TEST_CASE("points: the result first, then safety, then the share of goals") {
  CHECK(points_of(Sample(4).report) == Points{50, 25, 25});
  CHECK(points_of(Sample(4).with_goals(3).report) == Points{50, 25, 25});
  CHECK(points_of(Sample(4, Stage::traffic).with_goals(2).report) == Points{50, 25, 16});
  CHECK(points_of(Sample(4, Stage::traffic).with_goals(0).report) == Points{50, 25, 0});
  Sample near(4, Stage::traffic);
  near.with_goals(2).report.goals[2].way = 0.75;
  CHECK(points_of(near.report) == Points{50, 25, 22});
  CHECK(contains(near.reason(), "more than 16,384, 75 % of the way there from the file as handed"));
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
  unsafe.report.findings = {simt::finding_of({.fault = simt::Fault::race, .line = 14, .count = 3})};
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
  const auto states = [](const Sample& sample) {
    std::string result;
    for (const MarkPart& part : mark_of(sample.report).parts) result += sign_of(part);
    return result;
  };
  CHECK(states(Sample(4)) == "+++++");
  CHECK(states(Sample(4, Stage::traffic).with_goals(1)) == "++++-");
  CHECK(states(Sample(4, Stage::safety)) == "++.-.");
  CHECK(states(Sample(2, Stage::result)) == "+-...");
  CHECK(states(Sample(0, Stage::compile).with_compile_error("x")) == "-....");
  Sample hidden(4, Stage::result);
  hidden.report.sizes.push_back({{97, 98, 99}, {}});
  CHECK(states(hidden) == "++-..");
  hidden.report.diagnosis.emplace();
  hidden.report.diagnosis->where = "rows 96 to 97";
  hidden.report.place = "The first of K = 97 products is missing.";
  hidden.report.findings = {simt::finding_of(
      {.fault = simt::Fault::outside,
       .line = 14,
       .access = {.element = {
                      .array = "A", .index = 97 * 99, .elements = 97 * 99, .extents = {97, 99}}}})};
  for (const MarkPart& part : mark_of(hidden.report).parts) {
    INFO(part.text);
    CHECK_FALSE(contains(part.text, "97"));
  }
  CHECK(contains(mark_of(hidden.report).reason, "97"));
  CHECK(text_of(hidden, "safety") == "bounds, line 14: found at a size that is not published");
  CHECK(reason_for_student(mark_of(hidden.report)) == text_of(hidden, "hidden"));
  CHECK(reason_for_student(mark_of(hidden.report), {"hidden"}) == "Not solved yet.");
}

TEST_CASE("parts: what was not run because of a finding keeps its points, and says so") {
  Sample unsafe(4, Stage::safety);
  unsafe.report.findings = {simt::finding_of({.fault = simt::Fault::race, .line = 14})};
  const MarkPart hidden = mark_of(unsafe.report).parts[2];
  CHECK(hidden.state == MarkPart::State::not_reached);
  CHECK(contains(hidden.text, "These points are kept if the hidden sizes are right, too."));
  CHECK(points_of_part("hidden", points_of(unsafe.report)) == 25);
}

TEST_CASE("parts: a failed one begins with what is wrong, and has no correction") {
  Sample wrong(1, Stage::result);
  wrong.report.cause = "It solves the exercise if line 9 has k instead of m.";
  wrong.report.place = "Line 9 is wrong.";
  wrong.report.diagnosis.emplace();
  wrong.report.diagnosis->where = "all of C";
  const std::string text = text_of(wrong, "published");
  CHECK(text.starts_with("right at 1 of 4 published sizes, wrong at 67×45×33\n64×64×64: right\n"));
  CHECK(text.ends_with("wrong: all of C\nLine 9 is wrong."));
  CHECK_FALSE(contains(text, "instead"));
  CHECK(reason_for_student(mark_of(wrong.report)) ==
        "right at 1 of 4 published sizes, wrong at 67×45×33");
  wrong.exercise.terms.kind = ExerciseKind::bug;
  CHECK(text_of(wrong, "published").ends_with("wrong: all of C"));
  const std::string goals = text_of(Sample(4, Stage::traffic).with_goals(2), "traffic");
  CHECK(goals ==
        "missed: floats loaded: 20,000 floats, more than 16,384\n"
        "met: floats loaded\nmet: floats loaded");
}

TEST_CASE("parts: each passed one has its points") {
  std::vector<Sample> samples;
  for (int right = 0; right <= 4; ++right) {
    for (const Stage stage : {Stage::compile, Stage::result, Stage::safety, Stage::traffic}) {
      if (right < 4 && stage != Stage::result) continue;
      for (const int met : {0, 1, 3}) samples.emplace_back(right, stage).with_goals(met);
    }
  }
  samples.emplace_back(4, Stage::result).report.sizes.push_back({{97, 98, 99}, {}});
  samples.emplace_back(4, Stage::traffic).with_goals(0).goals[0].origin = "the solution's";
  samples.emplace_back(4);
  for (Sample& sample : samples) {
    sample.report.exercise = &sample.exercise;
    for (std::size_t i = 0; i < sample.report.goals.size(); ++i) {
      sample.report.goals[i].goal = &sample.goals[i];
    }
    const Mark mark = mark_of(sample.report);
    for (const Mark& one : {mark, no_better_than_handed_out(mark)}) {
      for (const MarkPart& part : one.parts) {
        INFO(part.name << ": " << part.text);
        const bool has_points = points_of_part(part.name, most_points) > 0;
        const bool keeps_none = points_of_part(part.name, one.points) == 0;
        CHECK_FALSE((part.state == MarkPart::State::passed && has_points && keeps_none));
      }
    }
  }
  const Mark no_better = no_better_than_handed_out(mark_of(Sample(4, Stage::safety).report));
  CHECK(no_better.points == Points{});
  CHECK(reason_for_student(no_better) == "No better than as handed out, so it has no points.");
  CHECK(no_better.parts[2].text == "");
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
  for (const char* name : part_names) with_parts.parts.push_back({name});
  with_parts.parts[0] = {"compile", MarkPart::State::passed, "a\nb\x1b"};
  const auto parts_back = mark_of_json(mark_json(with_parts));
  REQUIRE(parts_back);
  CHECK(parts_back->parts[0].text == "a\nb\ufffd");
  CHECK(parts_back->parts[4] == with_parts.parts[4]);
  Mark other_parts = with_parts;
  std::swap(other_parts.parts[1], other_parts.parts[2]);
  CHECK_FALSE(mark_of_json(mark_json(other_parts)));
  other_parts.parts = {{"compile"}};
  CHECK_FALSE(mark_of_json(mark_json(other_parts)));
  other_parts = with_parts;
  other_parts.parts[3].state = static_cast<MarkPart::State>(3);
  CHECK_FALSE(mark_of_json(mark_json(other_parts)));
  for (const char* text : {"", "{", "[]", "{}", "hello", "{\"result\": \"50\"}"}) {
    CHECK_FALSE(mark_of_json(text));
  }
  for (std::size_t end = 0; end < json.size(); ++end)
    CHECK_FALSE(mark_of_json(json.substr(0, end)));
}
