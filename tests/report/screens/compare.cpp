// Ladders that are filled in by hand.
#include "report/compare_report.hpp"
#include "report/sample_ladder.hpp"
#include "screens.hpp"

namespace gemm_tutor {
namespace {

std::string screen(const SampleLadder& sample) {
  return terminal_text(compare_document(sample.ladder), golden_terminal);
}

const Screens ladders("ladder", [](const Show& show) {
  show("measured", screen(sample_ladder(true)));
  SampleLadder sample = sample_ladder(false);
  show("recorded", screen(sample));
  sample.ladder.runs[1].launch->tuning = sample.ladder.runs[3].launch->tuning =
      "What is stored is ignored.";
  sample.ladder.runs[1].verification.passed = false;
  for (LessonRun& run : sample.ladder.runs) {
    run.compiler = "clang 14.0.6";
    run.emulation->shared_as_in_machine_code = false;
  }
  Kernel kernel;
  kernel.name = "bulk_copy";
  kernel.compute_capability = 90;
  sample.ladder.gpu = simt::find_gpu("a100");
  sample.ladder.left_out = {&kernel};
  show("recorded; tuned settings ignored, one kernel wrong, one left out, no machine code",
       screen(sample));
});

const Screens estimated("ladder_estimated", [](const Show& show) {
  show("measured", screen(estimated_ladder(true)));
  SampleLadder sample = estimated_ladder(false);
  sample.ladder.runs[1].launch->grid = {8, 8, 1};
  show("recorded; one does not fill the GPU", screen(sample));
  sample = estimated_ladder(false);
  for (LessonRun& run : sample.ladder.runs) run.recorded.reset();
  show("neither", screen(sample));
  sample.ladder.runs[1].estimate->doubts = {"atomics"};
  show("neither; one cannot be estimated", screen(sample));
});

}  // namespace
}  // namespace gemm_tutor
