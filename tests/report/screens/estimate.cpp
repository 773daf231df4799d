// Estimates in the report of a lesson.
#include "report/lesson_document.hpp"
#include "report/sample_run.hpp"
#include "screens.hpp"

namespace gemm_tutor {
namespace {

std::string report_of(const Sample& sample, const Terminal& terminal = golden_terminal) {
  return terminal_text(lesson_document({sample.run}), terminal);
}

const Screens estimates("estimate", [](const Show& show) {
  Sample sample = estimated_sample();
  show("limited by shared memory", sections(report_of(sample), "Limits", "Timing", "Try"));
  show("in ASCII", section_of(report_of(sample, {false, false, 80}), "Limits"));
  sample.run.launch->grid = {8, 8, 1};
  sample.run.problem.k = 2047;  // for which there is no record of cuBLAS
  sample.run.estimate->low_ms = 0.98;
  sample.run.recorded.reset();
  show("few blocks, and nothing recorded", sections(report_of(sample), "Limits", "Timing"));

  sample = estimated_sample();
  simt::Estimate& estimate = *sample.run.estimate;
  for (const simt::Limit limit : {simt::Limit::shared, simt::Limit::registers}) {
    estimate.cycles[static_cast<std::size_t>(limit)] = 0;
  }
  estimate.cycles[static_cast<std::size_t>(simt::Limit::latency)] = 1.37e6;
  estimate.instructions_per_barrier = 0;
  estimate.warps_per_scheduler = 1;
  show("without shared memory and barriers", section_of(report_of(sample), "Limits"));

  sample = estimated_sample();
  sample.run.estimate->doubts = {"atomics", "a loop whose length depends on data"};
  show("not reliable", section_of(report_of(sample), "Timing"));
  show("of three GPUs", section_of(report_of(on_three_gpus()), "GPUs"));
});

}  // namespace
}  // namespace gemm_tutor
