#include "documents/estimate_section.hpp"

#include "catch.hpp"
#include "course/glossary.hpp"
#include "documents/lesson_document.hpp"
#include "documents/lesson_json.hpp"
#include "sample_run.hpp"
#include "view/html_checks.hpp"
#include "view/html_page.hpp"
#include "view/markdown_text.hpp"
#include "view/terminal_text.hpp"
#include "view/text_checks.hpp"

using namespace gemm_tutor;

namespace {

const Terminal eighty_columns{false, true, 80};

Sample estimated_sample() {
  Sample sample = emulated_sample();
  sample.run.gpu = find_gpu("h200");
  sample.run.estimate = sample_estimate();
  return sample;
}

std::string report_of(const Sample& sample, const Terminal& terminal = eighty_columns) {
  return terminal_text(lesson_document({sample.run}), terminal);
}

Sample on_three_gpus() {
  Sample sample = estimated_sample();
  Estimate slower = sample_estimate();
  slower.median_ms = 17.18;  // of 2·2048³ FLOP: 1 TFLOP/s, of 19.5
  slower.limited_by = Limit::latency;
  Estimate unreliable;
  unreliable.gpu = "NVIDIA T4";
  unreliable.doubts = {"atomics"};
  sample.run.estimates = {{find_gpu("h200"), sample_estimate()},
                          {find_gpu("a100"), slower},
                          {find_gpu("t4"), unreliable}};
  return sample;
}

}  // namespace

TEST_CASE("limits: each unit's cycles, a bar and the time alone, and what is added") {
  const std::string text = report_of(estimated_sample());
  INFO(text);
  CHECK(contains(text,
                 "Limits   NVIDIA H200, estimated. Cycles in which each unit of the busiest SM\n"
                 "         works, and the time that they take alone:\n"
                 "                           cycles                           alone\n"
                 "         issue slots        1.1 M  █████████████▍          566 µs\n"
                 "         FP32 units         640 k  ███████▋                323 µs\n"
                 "         shared memory      1.7 M  ████████████████████    848 µs  ← limits\n"
                 "         L1 cache           160 k  █▉                     80.8 µs\n"
                 "         L2 cache           210 k  ██▌                     106 µs\n"
                 "         DRAM                40 k  ▌                      20.2 µs\n"
                 "         register banks     +60 k  ▊                     +30.3 µs\n"
                 "         waiting           +750 k  ████████▉              +379 µs\n"
                 "         launch overhead   +5.0 k                        +2.53 µs\n"
                 "         register banks: 12 % of the FFMAs read two operands from one bank\n"
                 "         waiting: 8 warps per scheduler, a barrier every 144 instructions\n"
                 "         gemm-tutor explain limits says what each row is\n"));
  CHECK(text.find("\nLimits") < text.find("\nTiming"));
}

TEST_CASE(
    "limits: a unit that has nothing to do has no row, and a kernel without barriers no count") {
  Sample sample = estimated_sample();
  Estimate& estimate = *sample.run.estimate;
  for (const Limit limit : {Limit::shared, Limit::registers}) {
    estimate.cycles[static_cast<std::size_t>(limit)] = 0;
  }
  estimate.limited_by = Limit::latency;
  estimate.instructions_per_barrier = 0;
  estimate.warps_per_scheduler = 1;
  const std::string text = report_of(sample);
  INFO(text);
  for (const char* absent : {"\n         shared memory   ", "register banks"}) {
    CHECK_FALSE(contains(text, absent));
  }
  CHECK(contains(text, "+379 µs  ← limits\n"));
  CHECK(contains(text, "waiting: 1 warp per scheduler, no barrier\n"));
}

TEST_CASE("limits: a grid that leaves room on the GPU is said to") {
  Sample sample = estimated_sample();
  CHECK_FALSE(contains(report_of(sample), "not fill"));
  sample.run.launch->grid = {8, 8, 1};
  CHECK(contains(report_of(sample),
                 "64 blocks do not fill the GPU: its 132 SMs have room for 264 at a time\n"));
  sample.run.occupancy->exact = false;
  CHECK_FALSE(contains(report_of(sample), "not fill"));
}

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

TEST_CASE("timing: an estimate beside a recorded time, in percent of a recorded cuBLAS") {
  Sample sample = estimated_sample();
  const std::string text = report_of(sample);
  INFO(text);
  CHECK(contains(text,
                 "Timing   estimated 1.26 ms (1.12 to 1.41 ms) · 13.6 TFLOP/s · 28 % of cuBLAS\n"
                 "         NVIDIA H200, recorded 2026-11-21: 1.84 ms"));
  sample.run.problem.k = 2047;  // for which there is no record
  CHECK(contains(report_of(sample), "(1.12 to 1.41 ms) · 13.6 TFLOP/s\n"));
  sample.run.estimate->low_ms = 0.98;
  CHECK(contains(report_of(sample), "estimated 1.26 ms (980 µs to 1.41 ms)"));
}

TEST_CASE("timing: what the roofline is held against is the estimate, where nothing is recorded") {
  Sample sample = estimated_sample();
  sample.run.emulation->total.global_load_bytes = 4ull << 30;
  CHECK(contains(report_of(sample), "; this is"));
  sample.run.recorded.reset();
  CHECK(contains(report_of(sample), "; the estimate is"));
}

TEST_CASE("an estimate that is not reliable has reasons instead of digits") {
  Sample sample = estimated_sample();
  sample.run.estimate->doubts = {"atomics", "a loop whose length depends on data"};
  const std::string text = report_of(sample, {false, true, 200});
  CHECK(contains(text,
                 "Timing   not estimated for the NVIDIA H200, as an estimate would not be "
                 "reliable: atomics, a loop whose length depends on data\n"));
  for (const char* absent : {"Limits", "1.26", "Try"}) CHECK_FALSE(contains(text, absent));
  const Json json = Json::parse(lesson_json(sample.run));
  CHECK(json["estimate"] ==
        Json({{"gpu", "NVIDIA H200"},
              {"unreliable", {"atomics", "a loop whose length depends on data"}}}));
}

TEST_CASE("try: what one count's change would gain, the largest gain first") {
  const std::string text = report_of(estimated_sample());
  INFO(text);
  CHECK(
      contains(text,
               "\nTry      twice as many results per thread, so that half of its loads do: about\n"
               "         900 µs instead of 1.26 ms\n"
               "         no bank conflicts in shared memory (line 11): about 1.10 ms instead of\n"
               "         1.26 ms\n"));
  Sample done = estimated_sample();
  done.run.estimate->changes.clear();
  CHECK_FALSE(contains(report_of(done), "\nTry "));
}

TEST_CASE("several GPUs have a column each") {
  const std::string text = report_of(on_three_gpus());
  INFO(text);
  CHECK(contains(text,
                 "GPUs                           h200     a100           t4\n"
                 "         estimated          1.26 ms  17.2 ms  no estimate\n"
                 "         limited by   shared memory  waiting\n"
                 "         TFLOP/s               13.6      1.0\n"
                 "         of the peak           20 %    5.1 %\n"));
  Sample one = on_three_gpus();
  one.run.estimates.resize(1);
  CHECK_FALSE(contains(report_of(one), "GPUs"));
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
  for (std::size_t limit = 0; limit < limit_count; ++limit) {
    INFO(words_for(static_cast<Limit>(limit)));
    CHECK(look_up(words_for(static_cast<Limit>(limit))));
  }
}
