#include "report/tune_report.hpp"

#include "catch.hpp"
#include "course/lesson_run.hpp"
#include "report/json.hpp"
#include "sample_tuning.hpp"
#include "view/terminal_text.hpp"
#include "view/text_checks.hpp"

using namespace gemm_tutor;

namespace {

Terminal narrow(bool unicode = true) { return {.color = false, .unicode = unicode, .width = 80}; }

}  // namespace

TEST_CASE("the table of a tuning fits its terminal, and is ASCII where there is no more") {
  const std::string text = terminal_text(tune_document(sample_tuning()), narrow());
  INFO(text);
  CHECK(widest(text) <= 80);
  CHECK(is_ascii(terminal_text(tune_document(sample_tuning()), narrow(false))));
}

TEST_CASE("a table of a dozen settings has a line for each configuration") {
  const Settings many = {{"BM", 128},  {"BN", 256},  {"BK", 16},     {"WM", 64},
                         {"WN", 64},   {"TM", 16},   {"TN", 16},     {"STAGES", 4},
                         {"GROUP", 8}, {"ORDER", 2}, {"BLOCKS", 132}};
  Tuning tuning = sample_tuning();
  tuning.result.candidates = {measured_candidate(many, 12.34)};
  for (const auto& [name, value] : many) {  // so that all settings differ
    Settings other = many;
    other.set(name, value / 2);
    tuning.result.candidates.push_back(measured_candidate(other, 56.78));
  }
  for (const bool is_measured : {true, false}) {
    tuning.measured = is_measured;
    for (Candidate& candidate : tuning.result.candidates) {
      candidate.estimate->cycles[static_cast<std::size_t>(simt::Limit::shared)] = 1e9;
    }
    const std::string text = terminal_text(tune_document(tuning), narrow());
    INFO(text);
    CHECK(widest(text) <= 80);
    const std::vector<std::string> lines = split_lines(text);
    const auto head = std::ranges::find_if(
        lines, [](const std::string& line) { return contains(line, "STAGES"); });
    REQUIRE(lines.end() - head > 12);
    CHECK(contains(*head, is_measured ? "peak cuBLAS" : "limited by"));
    for (auto line = head + 1; line != head + 13; ++line) {
      CHECK(contains(*line, is_measured ? "ms" : "shared memory"));
    }
  }
}

TEST_CASE("JSON has no measured time where nothing was measured") {
  Tuning tuning = sample_tuning();
  tuning.measured = false;
  tuning.stored = {};
  for (Candidate& candidate : tuning.result.candidates) candidate.measurements.clear();
  const Json json = Json::parse(tune_json(tuning));
  CHECK(json["measured"] == false);
  CHECK_FALSE(json.contains("stored"));
  for (const Json& one : json["configurations"]) CHECK_FALSE(one.contains("median_ms"));
  CHECK(json["configurations"][0]["estimate"]["median_ms"] == 1.6 * 0.9);
  CHECK(json["configurations"][0]["estimate"]["limited_by"] == "issue");
}

TEST_CASE("JSON has the reason why something cannot be estimated reliably") {
  Tuning tuning = sample_tuning();
  tuning.measured = false;
  for (Candidate& candidate : tuning.result.candidates) candidate.measurements.clear();
  tuning.result.candidates[2].estimate->doubts = {"atomic operations"};
  const Json json = Json::parse(tune_json(tuning));
  CHECK(json["configurations"][2]["estimate"]["unreliable"][0] == "atomic operations");
}

TEST_CASE("why the winner wins: the emulator's counts beside the default's, and one sentence") {
  Tuning tuning = sample_tuning();
  tuning.counted = count_best(tuning, nullptr);
  REQUIRE(tuning.counted.size() == 3);
  CHECK(tuning.counted[0].role == "winner");
  CHECK(tuning.counted[1].role == "default");
  CHECK(tuning.counted[2].role == "runner-up");
  const std::string text = terminal_text(tune_document(tuning), narrow());
  INFO(text);
  CHECK(widest(text) <= 80);
  // 256·256·256·2/64 and 256·256·256·2/128.
  CHECK(contains(text, "524,288"));
  CHECK(contains(text, "262,144"));
  // 16 blocks of 132 SMs, and 4: the only count in which 64x64 tiles have four times
  // as much.
  CHECK(contains(text, "SMs at work 12 %"));
  CHECK(contains(text, "(4.0×)"));
  CHECK(is_ascii(terminal_text(tune_document(tuning), narrow(false))));

  const Json json = Json::parse(tune_json(tuning));
  REQUIRE(json["why"].size() == 3);
  CHECK(json["why"][0]["load_floats"] == 524288);
  CHECK(json["why"][1]["blocks"] == 4);
}

TEST_CASE("the largest advantage is of a count in which the best is better") {
  Tuning tuning = sample_tuning();
  tuning.counted = count_best(tuning, nullptr);
  const LessonRun& small = tuning.counted[0].run;
  const LessonRun& large = tuning.counted[1].run;
  REQUIRE(largest_advantage(small, large) != nullptr);
  CHECK(largest_advantage(small, large)->name == "SMs at work");
  CHECK(largest_advantage(large, small)->name != "SMs at work");
  CHECK(largest_advantage(small, small) == nullptr);
}

TEST_CASE("the progress of a tuning: how many, and the best so far") {
  const Tuning tuning = sample_tuning();
  CHECK(tune_progress_text(tuning, 0, 8, nullptr) == "1 of 8");
  const Candidate best = measured_candidate(tile_settings(64, 4), 1.6);
  CHECK(tune_progress_text(tuning, 4, 8, &best) ==
        "5 of 8 · best so far 1.60 ms, < 0.1 % of peak, 125 % of cuBLAS");
  CHECK(contains(tune_progress_text(tuning, 8, 8, &best), "in turns"));
}
