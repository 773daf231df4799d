#include "report/compare_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "catch.hpp"
#include "report/json.hpp"
#include "sample_run.hpp"
#include "support/text.hpp"
#include "text_checks.hpp"

using namespace gemm_tutor;

namespace {

const Terminal plain{false, true, 80};

// Two lessons at two sizes. The lessons live as long as the ladder.
struct SampleLadder {
  std::vector<Sample> samples;
  Ladder ladder;
};

void add(SampleLadder& sample, int lesson, int size, double milliseconds, bool measured) {
  sample.samples.push_back(emulated_sample());
  Sample& added = sample.samples.back();
  added.lesson->number = lesson;
  added.run.problem = {size, size, size};
  added.run.recorded.reset();
  if (measured) added.run.device = "NVIDIA H200";
  added.run.emulation->total.global_load_bytes = 4 * 536870912ULL;
  const double tflops = added.run.problem.flops() / (milliseconds * 1e9);
  const double percent = tflops / 51 * 100;
  if (measured) {
    added.run.timing = RunTiming{"gpu", 50, milliseconds, milliseconds, tflops, 0.3, percent, 0.8};
  } else {
    added.run.recorded =
        RecordedTiming{"NVIDIA H200", "580.1", "2026-11-21", milliseconds, tflops, percent};
  }
  sample.ladder.runs.push_back(added.run);
}

SampleLadder sample_ladder(bool measured) {
  SampleLadder sample;
  Ladder& ladder = sample.ladder;
  ladder.device = measured ? "NVIDIA H200" : "emulator · H200 limits";
  ladder.backend = measured ? "gpu" : "emulator";
  if (measured) ladder.driver = "580.159.04";
  if (measured) ladder.clocks = "as found; SM 1980 MHz at most";
  ladder.date = "2026-11-22";
  ladder.gpu = find_gpu("h200");
  for (const int size : {1024, 2048}) {
    add(sample, 2, size, 2.0 * size / 1024, measured);
    add(sample, 3, size, 0.5 * size / 1024, measured);
  }
  return sample;
}

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

}  // namespace

TEST_CASE("a ladder as text: a table for each size, in 80 columns") {
  const std::string text = compare_text(sample_ladder(true).ladder, plain);
  INFO(text);
  CHECK(widest(text) <= 80);
  CHECK(contains(text, "M = N = K = 1,024"));
  CHECK(contains(text, "M = N = K = 2,048"));
  CHECK(contains(text, " 3 shared_memory_tile          500 µs ±0.4   4.3   8.4 "));
  CHECK(contains(text, " 4.0×"));
  CHECK(contains(text, "537 M"));
  CHECK(contains(text, "Times are medians on this GPU"));
  CHECK_FALSE(contains(text, "✗"));
  const std::string ascii = compare_text(sample_ladder(true).ladder, {false, false, 80});
  CHECK(std::ranges::all_of(ascii, [](char c) { return static_cast<unsigned char>(c) < 128; }));
}

TEST_CASE("recorded times are marked as such, and a wrong kernel as wrong") {
  SampleLadder sample = sample_ladder(false);
  CHECK(contains(compare_text(sample.ladder, plain),
                 "Times are recorded, not taken now: NVIDIA H200, 2026-11-21."));
  sample.ladder.runs[1].verification.passed = false;
  CHECK(occurrences(compare_text(sample.ladder, plain), "✗") == 1);
}

TEST_CASE("a ladder as JSON has the machine, and a lesson's object for each run") {
  const Json json = Json::parse(compare_json(sample_ladder(true).ladder));
  CHECK(json["device"] == "NVIDIA H200");
  CHECK(json["driver"] == "580.159.04");
  CHECK(json["date"] == "2026-11-22");
  CHECK(json["clocks"] == "as found; SM 1980 MHz at most");
  REQUIRE(json["runs"].size() == 4);
  CHECK(json["runs"][3]["lesson"]["number"] == 3);
  CHECK(json["runs"][3]["problem"]["m"] == 2048);
  CHECK(json["runs"][3]["timing"]["median_ms"] == 1.0);
  const Json emulated = Json::parse(compare_json(sample_ladder(false).ladder));
  CHECK_FALSE(emulated.contains("driver"));
  CHECK_FALSE(emulated["runs"][0].contains("timing"));
  CHECK(emulated["runs"][0]["recorded"]["device"] == "NVIDIA H200");
}

TEST_CASE("a ladder as CSV: a line for each run, as wide as the header") {
  const std::vector<std::string> lines = split_lines(compare_csv(sample_ladder(true).ladder));
  REQUIRE(lines.size() == 5);
  const std::size_t commas = occurrences(lines[0], ",");
  for (const std::string& line : lines) CHECK(occurrences(line, ",") == commas);
  CHECK(lines[2].starts_with("3,shared_memory_tile,1024,1024,1024,NVIDIA H200,measured,0.5,"));
  CHECK(contains(lines[2], ",4,536870912,4194304,"));  // four times faster; floats
  CHECK(contains(compare_csv(sample_ladder(false).ladder), ",recorded,"));
}

TEST_CASE("a ladder as HTML needs nothing else, is balanced, and has JSON's numbers") {
  const SampleLadder sample = sample_ladder(true);
  const std::string html = compare_html(sample.ladder);
  CHECK(html.starts_with("<!DOCTYPE html>"));
  for (const char* outside : {"http", "src=", "<script", "@import", "url("}) {
    INFO(outside);
    CHECK_FALSE(contains(html, outside));
  }
  for (const std::string tag :
       {"html", "body", "figure", "svg", "table", "tr", "td", "text", "h2"}) {
    INFO(tag);
    const auto opened = occurrences(html, "<" + tag + ">") + occurrences(html, "<" + tag + " ");
    CHECK(opened == occurrences(html, "</" + tag + ">"));
    CHECK(opened > 0);
  }
  const Json json = Json::parse(compare_json(sample.ladder));
  for (const Json& run : json["runs"]) {
    const double ms = run["timing"]["median_ms"];
    CHECK(contains(html, fmt::format("<td>{:.3f}</td>", ms)));
  }
  CHECK(occurrences(html, "<circle") == 2);  // of the last size
  CHECK(contains(html, "prefers-color-scheme: dark"));
}
