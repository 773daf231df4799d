// Reports of a kernel that ran on a GPU, and that the emulator could not run.
#include "catch.hpp"
#include "report/json.hpp"
#include "report/lesson_document.hpp"
#include "report/lesson_json.hpp"
#include "report/machine_section.hpp"
#include "sample_run.hpp"
#include "support/error.hpp"
#include "view/terminal_text.hpp"
#include "view/text_checks.hpp"

using namespace gemm_tutor;

namespace {

constexpr const char* reason = "line 7: the emulator does not know the instruction 'wgmma'";

OwnSample only_on_gpu() {
  OwnSample sample = own_sample();
  KernelRun& run = sample.run;
  run.backend = Backend::gpu;
  run.device = "NVIDIA H200";
  run.emulation.reset();
  run.wrong.unwritten.reset();
  run.traffic = {};
  run.not_emulated = reason;
  run.timing = RunTiming();
  run.timing->median_ms = 1.5;
  run.verification = {};
  run.verification.passed = true;
  run.verification.elements_checked = run.verification.elements_total = run.problem.c_elements();
  return sample;
}

}  // namespace

TEST_CASE("what only a GPU ran has its time and its result, and why nothing was counted") {
  const OwnSample sample = only_on_gpu();
  const std::string text = terminal_text(kernel_document({sample.run}), {false, true, 80});
  INFO(text);
  CHECK(
      contains(text, "\nTraffic  not counted, and no fault was looked for: line 7: the emulator "));
  CHECK(contains(text, "\nTiming   1.50 ms"));
  CHECK(contains(text, "✓ all "));
  CHECK_FALSE(contains(text, "\nWork "));
  CHECK(is_clean(sample.run));
}

TEST_CASE("the JSON of what only a GPU ran has a reason in place of counts") {
  const Json json = Json::parse(lesson_json(only_on_gpu().run));
  CHECK(json["not_counted"] == reason);
  CHECK(json["backend"] == "gpu");
  CHECK(json["timing"]["median_ms"] == 1.5);
  CHECK(json["verification"]["passed"] == true);
  for (const char* absent : {"counters", "traffic", "emulation", "findings"}) {
    CHECK_FALSE(json.contains(absent));
  }
  CHECK_FALSE(Json::parse(lesson_json(own_sample().run)).contains("not_counted"));
}

TEST_CASE("there is no machine code to show of what the emulator could not run") {
  const OwnSample sample = only_on_gpu();
  try {
    machine_code(sample.run);
    FAIL("no Error was thrown");
  } catch (const Error& error) {
    CHECK(contains(error.what(), reason));
    CHECK(error.status() == ExitStatus::unavailable);
  }
}
