#include "report/estimate_section.hpp"

#include <algorithm>
#include <string>

#include "catch.hpp"
#include "course/glossary.hpp"
#include "report/lesson_document.hpp"
#include "report/lesson_json.hpp"
#include "sample_run.hpp"
#include "simt/gpu_spec.hpp"
#include "support/text.hpp"
#include "view/html_checks.hpp"
#include "view/html_page.hpp"
#include "view/markdown.hpp"
#include "view/terminal_text.hpp"
#include "view/text_checks.hpp"

using namespace gemm_tutor;

namespace {

const Terminal eighty_columns{false, true, 80};

std::string report_of(const Sample& sample, const Terminal& terminal = eighty_columns) {
  return terminal_text(lesson_document({sample.run}), terminal);
}

}  // namespace

TEST_CASE("an estimate fits its terminal, where the bars have the room that is left") {
  for (const int width : {60, 66, 80, 100}) {
    for (const bool unicode : {true, false}) {
      const std::string text = report_of(on_three_gpus(), {false, unicode, width});
      INFO(text);
      CHECK(widest(text) <= width);
      CHECK(contains(text, unicode ? "← limits" : "<- limits"));
    }
  }
  CHECK(contains(report_of(estimated_sample(), {false, false, 80}), "####################"));
}

TEST_CASE("the arrow is at the longest bar, on every GPU") {
  const Sample three = on_three_gpus();
  for (const auto& on : three.run.estimates) {
    if (!on.estimate || !on.estimate->is_reliable()) continue;
    Sample sample = estimated_sample();
    sample.run.estimate = on.estimate;
    std::string arrows, longest;
    std::size_t most = 0;
    for (const std::string& line : split_lines(report_of(sample))) {
      const auto bars = static_cast<std::size_t>(std::ranges::count(line, '\xe2')) -
                        (contains(line, "←") ? 1 : 0);  // each of their signs begins so
      if (contains(line, "← limits")) arrows += line;
      if (contains(line, "█") && bars > most) {
        most = bars;
        longest = line;
      }
    }
    INFO(report_of(sample));
    CHECK(!longest.empty());
    CHECK(arrows == longest);
  }
}

TEST_CASE("a clock that power limits is said beside the share of the time") {
  Sample sample = estimated_sample();
  CHECK_FALSE(contains(report_of(sample, {false, true, 200}), "the peak is that of"));
  sample.run.gpu = simt::find_gpu("t4");
  sample.run.estimate->gpu = "NVIDIA T4";
  sample.run.estimate->clock_ghz = 0.8;
  CHECK(contains(report_of(sample, {false, true, 200}),
                 "the largest part, at 0.80 GHz; the peak is that of 1.59 GHz"));
}

TEST_CASE("an estimate that is not reliable has reasons instead of digits") {
  Sample sample = estimated_sample();
  sample.run.estimate->doubts = {"atomics", "a loop whose length depends on data"};
  const std::string text = report_of(sample);
  for (const char* absent : {"Limits", "1.26", "Try"}) CHECK_FALSE(contains(text, absent));
  const Json json = Json::parse(lesson_json(sample.run));
  CHECK(json["estimate"] ==
        Json({{"gpu", "NVIDIA H200"},
              {"unreliable", {"atomics", "a loop whose length depends on data"}}}));
}

TEST_CASE("an estimate as JSON has the design's keys, of several GPUs each") {
  const Sample sample = on_three_gpus();
  const Json json = Json::parse(lesson_json(sample.run));
  CHECK(
      json["estimate"].dump() ==
      R"({"gpu":"NVIDIA H200","median_ms":1.26,"low_ms":1.12,"high_ms":1.41,"limited_by":"shared",)"
      R"("cycles":{"issue":1120000,"fp32":640000,"registers":60000,"shared":1680000,"l1":160000,)"
      R"("l2":210000,"dram":40000,"latency":750000}})");
  REQUIRE(json["estimates"].size() == 3);
  CHECK(json["estimates"][0] == json["estimate"]);
  CHECK(json["estimates"][1]["limited_by"] == "latency");
  CHECK(json["estimates"][2]["unreliable"] == Json({"atomics"}));
  CHECK_FALSE(Json::parse(lesson_json(emulated_sample().run)).contains("estimate"));
  CHECK_FALSE(Json::parse(lesson_json(estimated_sample().run)).contains("estimates"));
}

TEST_CASE("a page draws the limits, and Markdown has them as a table") {
  const Document document = lesson_document({estimated_sample().run});
  const std::string html = html_page(document);
  check_stands_alone(html);
  CHECK(contains(html, "<h2>What limits it, estimated</h2>"));
  CHECK(contains(html, "<td class=\"length\"><span style=\"width:100.0%\"></span></td>"));
  CHECK(contains(markdown_text(document), " | ████████████████████ | 848"));
}

TEST_CASE("each row of the limits is a word of the glossary") {
  REQUIRE(look_up("limits"));
  for (std::size_t limit = 0; limit < simt::limit_count; ++limit) {
    INFO(words_for(static_cast<simt::Limit>(limit)));
    CHECK(look_up(words_for(static_cast<simt::Limit>(limit))));
  }
}
