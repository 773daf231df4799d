#include "documents/tune_report.hpp"

#include "catch.hpp"
#include "course/kernel_run.hpp"
#include "documents/json.hpp"
#include "view/terminal_text.hpp"
#include "view/text_checks.hpp"

using namespace gemm_tutor;

namespace {

Settings tile(int bm, int tm) {
  return {{"BM", bm}, {"BN", bm}, {"BK", 16}, {"TM", tm}, {"TN", tm}};
}

Candidate measured(const Settings& settings, double milliseconds) {
  Candidate candidate;
  candidate.settings = settings;
  Estimate& estimate = candidate.estimate.emplace();
  estimate.median_ms = milliseconds * 0.9;
  estimate.low_ms = 0.88 * estimate.median_ms;
  estimate.high_ms = 1.2 * estimate.median_ms;
  candidate.measurements = {{milliseconds, 2.0}};
  return candidate;
}

// Of lesson 9's kernel, as if it had been measured.
Tuning sample() {
  Tuning tuning;
  const Lesson& lesson = find_lesson("9");
  tuning.tunable = {&lesson, &lesson.kernels.front()};
  tuning.problem = {256, 256, 256};
  tuning.gpu = find_gpu("h200");
  tuning.measured = true;
  tuning.date = "2026-11-21";
  tuning.budget = 120;
  tuning.result.candidates = {measured(tile(64, 4), 1.6), measured(tile(64, 8), 2.0),
                              measured(tile(128, 8), 2.5)};
  tuning.result.candidates.back().is_default = true;
  Candidate failed;
  failed.settings = tile(32, 2);
  failed.failure = "TM must be a multiple of 4\nand more";
  tuning.result.candidates.push_back(failed);
  tuning.result.seconds = 31;
  tuning.stored = "Stored in /somewhere/tuning.json.";
  return tuning;
}

Terminal plain(bool unicode = true) { return {.color = false, .unicode = unicode, .width = 80}; }

}  // namespace

TEST_CASE("the table of a tuning ranks what was measured, and names what cannot win") {
  const std::string text = terminal_text(tune_document(sample()), plain());
  INFO(text);
  CHECK(widest(text) <= 80);
  CHECK_FALSE(contains(text, "\033"));
  CHECK(contains(text, "3 of 4 configurations measured in 31 s."));
  CHECK(contains(text, "All have BK 16."));
  CHECK(contains(text, "125.0"));  // of cuBLAS: 2.0 / 1.6
  CHECK(text.find("1.60 ms") < text.find("2.00 ms"));
  CHECK(contains(text, "  3*"));
  CHECK(contains(text, "estimated"));
  CHECK(contains(text, "TM must be a multiple of 4"));
  CHECK(contains(text, "Stored in /somewhere/tuning.json."));
  CHECK(contains(text, "Lesson 9 uses it"));
  CHECK(contains(text, "--forget"));
  CHECK(is_ascii(terminal_text(tune_document(sample()), plain(false))));
}

TEST_CASE("a table of a dozen settings has a line for each configuration") {
  const Settings many = {{"BM", 128},  {"BN", 256},  {"BK", 16},     {"WM", 64},
                         {"WN", 64},   {"TM", 16},   {"TN", 16},     {"STAGES", 4},
                         {"GROUP", 8}, {"ORDER", 2}, {"BLOCKS", 132}};
  Tuning tuning = sample();
  tuning.result.candidates = {measured(many, 12.34)};
  for (const auto& [name, value] : many) {  // so that all settings differ
    Settings other = many;
    other.set(name, value / 2);
    tuning.result.candidates.push_back(measured(other, 56.78));
  }
  for (const bool is_measured : {true, false}) {
    tuning.measured = is_measured;
    for (Candidate& candidate : tuning.result.candidates) {
      candidate.estimate->limited_by = Limit::shared;
    }
    const std::string text = terminal_text(tune_document(tuning), plain());
    INFO(text);
    CHECK(widest(text) <= 80);
    const std::vector<std::string> lines = split_lines(text);
    const auto head = std::ranges::find_if(
        lines, [](const std::string& line) { return contains(line, "STAGES"); });
    REQUIRE(lines.end() - head > 12);
    CHECK(contains(*head, is_measured ? "% cuBLAS" : "limited by"));
    for (auto line = head + 1; line != head + 13; ++line) {
      CHECK(contains(*line, is_measured ? "ms" : "shared memory"));
    }
  }
}

TEST_CASE("a tuning that was cut short says so") {
  Tuning tuning = sample();
  tuning.result.out_of_time = true;
  CHECK(contains(terminal_text(tune_document(tuning), plain()), "a larger --budget"));
  tuning.result.out_of_time = false;
  tuning.result.interrupted = true;
  CHECK(contains(terminal_text(tune_document(tuning), plain()), "then it was interrupted"));
}

TEST_CASE("a long table shows the first rows and the default, and says how many more there are") {
  Tuning tuning = sample();
  tuning.result.candidates.resize(3);
  for (int i = 0; i < 20; ++i) {
    const auto before = tuning.result.candidates.end() - 1;
    tuning.result.candidates.insert(before, measured(tile(64, 8), 2.1));
  }
  const std::string text = terminal_text(tune_document(tuning), plain());
  CHECK(contains(text, "23*"));
  CHECK(contains(text, "10 more are in --format json"));
}

TEST_CASE("where nothing was measured, all times are called estimated") {
  Tuning tuning = sample();
  tuning.measured = false;
  tuning.stored = "";
  for (Candidate& candidate : tuning.result.candidates) candidate.measurements.clear();
  const std::string text = terminal_text(tune_document(tuning), plain());
  INFO(text);
  CHECK(widest(text) <= 80);
  CHECK(contains(text, "Estimates for double_buffer"));
  CHECK(contains(text, "3 of 4 configurations estimated for the NVIDIA H200"));
  CHECK(contains(text, "12 % less to 20 % more"));
  CHECK(contains(text, "limited by"));
  CHECK_FALSE(contains(text, "cuBLAS"));
  CHECK_FALSE(contains(text, "Stored"));
  CHECK(contains(text, "gemm-tutor tune --size 256"));
  const Json json = Json::parse(tune_json(tuning));
  CHECK(json["measured"] == false);
  CHECK_FALSE(json.contains("stored"));
  for (const Json& one : json["configurations"]) CHECK_FALSE(one.contains("median_ms"));
  CHECK(json["configurations"][0]["estimate"]["median_ms"] == 1.6 * 0.9);
  CHECK(json["configurations"][0]["estimate"]["limited_by"] == "issue");
}

TEST_CASE("what cannot be estimated reliably is not ranked, and the reason is said") {
  Tuning tuning = sample();
  tuning.measured = false;
  for (Candidate& candidate : tuning.result.candidates) candidate.measurements.clear();
  tuning.result.candidates[2].estimate->doubts = {"atomic operations"};
  const std::string text = terminal_text(tune_document(tuning), plain());
  INFO(text);
  CHECK(contains(text, "2 of 4 configurations estimated"));
  CHECK(contains(text, "1 configuration cannot be estimated reliably:"));
  CHECK(contains(text, "TN=8: atomic operations"));
  CHECK_FALSE(contains(text, "  3*"));
  const Json json = Json::parse(tune_json(tuning));
  CHECK(json["configurations"][2]["estimate"]["unreliable"][0] == "atomic operations");
}

TEST_CASE("why the winner wins: the emulator's counts beside the default's, and one sentence") {
  Tuning tuning = sample();
  tuning.counted = count_best(tuning, nullptr);
  REQUIRE(tuning.counted.size() == 3);
  CHECK(tuning.counted[0].role == "winner");
  CHECK(tuning.counted[1].role == "default");
  CHECK(tuning.counted[2].role == "runner-up");
  const std::string text = terminal_text(tune_document(tuning), plain());
  INFO(text);
  CHECK(widest(text) <= 80);
  // 256·256·256·2/64 and 256·256·256·2/128.
  CHECK(contains(text, "524,288"));
  CHECK(contains(text, "262,144"));
  // 16 blocks of 132 multiprocessors, and 4: the only count in which 64x64 tiles have four times
  // as much.
  CHECK(contains(text, "multiprocessors at work 12 %"));
  CHECK(contains(text, "(4.0×)"));
  CHECK(is_ascii(terminal_text(tune_document(tuning), plain(false))));

  const Json json = Json::parse(tune_json(tuning));
  REQUIRE(json["why"].size() == 3);
  CHECK(json["why"][0]["load_floats"] == 524288);
  CHECK(json["why"][1]["blocks"] == 4);
}

TEST_CASE("the largest advantage is of a count in which the best is better") {
  Tuning tuning = sample();
  tuning.counted = count_best(tuning, nullptr);
  const KernelRun& small = tuning.counted[0].run;
  const KernelRun& large = tuning.counted[1].run;
  REQUIRE(largest_advantage(small, large).has_value());
  CHECK(largest_advantage(small, large)->name == "multiprocessors at work");
  CHECK(largest_advantage(large, small)->name != "multiprocessors at work");
  CHECK_FALSE(largest_advantage(small, small).has_value());
}

TEST_CASE("the progress of a tuning: how many, and the best so far") {
  CHECK(tune_progress_text(0, 8, nullptr) == "1 of 8");
  const Candidate best = measured(tile(64, 4), 1.6);
  CHECK(tune_progress_text(4, 8, &best) == "5 of 8 · best so far 1.60 ms, 125 % of cuBLAS");
  CHECK(contains(tune_progress_text(8, 8, &best), "in turns"));
}
