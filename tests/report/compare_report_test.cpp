#include "report/compare_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "catch.hpp"
#include "report/json.hpp"
#include "sample_ladder.hpp"
#include "support/text.hpp"
#include "view/html_page.hpp"
#include "view/terminal_text.hpp"
#include "view/text_checks.hpp"

using namespace gemm_tutor;

namespace {}  // namespace

TEST_CASE("a ladder as text: a table for each size, in 80 columns") {
  const std::string text = terminal_text(compare_document(sample_ladder(true).ladder), plain);
  INFO(text);
  CHECK(widest(text) <= 80);
  CHECK(widest(terminal_text(compare_document(estimated_ladder(true).ladder), plain)) <= 80);
  const std::string ascii =
      terminal_text(compare_document(sample_ladder(true).ladder), {false, false, 80});
  CHECK(std::ranges::all_of(ascii, [](char c) { return static_cast<unsigned char>(c) < 128; }));
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

TEST_CASE("a ladder says which kernels it is without, and why") {
  SampleLadder sample = sample_ladder(false);
  CHECK_FALSE(Json::parse(compare_json(sample.ladder)).contains("left_out"));
  Kernel kernel;
  kernel.name = "bulk_copy";
  kernel.compute_capability = 90;
  sample.ladder.gpu = simt::find_gpu("a100");
  sample.ladder.left_out = {&kernel};
  CHECK(Json::parse(compare_json(sample.ladder))["left_out"] == Json({"bulk_copy"}));
}

TEST_CASE("a step of the ladder is between times of one source") {
  SampleLadder sample = estimated_ladder(false);
  sample.ladder.runs[0].recorded.reset();  // 2 ms recorded; 2.2 and 0.55 ms estimated
  sample.ladder.runs[1].estimate->median_ms = 0.44;
  CHECK(*speed_up(sample.ladder, sample.ladder.runs[1]) == Approx(5));
}

TEST_CASE("a ladder's CSV has the estimate's columns") {
  const std::vector<std::string> lines = split_lines(compare_csv(estimated_ladder(false).ladder));
  CHECK(lines[0].ends_with(",estimated_ms,estimated_low_ms,estimated_high_ms,limited_by"));
  CHECK(lines[1].ends_with(",1.12,1.41,shared"));
  CHECK(split_lines(compare_csv(sample_ladder(false).ladder))[1].ends_with(",true,,,,"));
}

TEST_CASE("a ladder's page draws the estimates over what was recorded") {
  const std::string html = html_page(compare_document(estimated_ladder(false).ladder));
  CHECK(contains(html, "How near the estimates are"));
  CHECK(contains(html, "<title>3 shared_memory_tile at 1,024: +10 %</title>"));
  CHECK_FALSE(contains(html_page(compare_document(sample_ladder(false).ladder)), "How near"));
}
