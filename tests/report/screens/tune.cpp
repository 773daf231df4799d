// Tables of tunings that are filled in by hand.
#include "report/tune_report.hpp"

#include "report/sample_tuning.hpp"
#include "screens.hpp"

namespace gemm_tutor {
namespace {

std::string screen(const Tuning& tuning) {
  return terminal_text(tune_document(tuning), golden_terminal);
}

// Without the table.
std::string beginning(const Tuning& tuning) {
  const std::string text = screen(tuning);
  return text.substr(0, text.find("\n\n") + 1);
}

const Screens measured("tune_measured", [](const Show& show) {
  Tuning tuning = sample_tuning();
  show("measured and stored", screen(tuning));
  tuning.result.out_of_time = true;
  show("cut short", beginning(tuning));
  tuning.result.out_of_time = false;
  tuning.result.interrupted = true;
  show("interrupted", beginning(tuning));
  tuning = sample_tuning();
  tuning.result.candidates.resize(3);
  for (int i = 0; i < 20; ++i) {
    const auto before = tuning.result.candidates.end() - 1;
    tuning.result.candidates.insert(before, measured_candidate(tile_settings(64, 8), 2.1));
  }
  show("a long table", screen(tuning));
});

const Screens why("tune_why", [](const Show& show) {
  Tuning tuning = sample_tuning();
  tuning.counted = count_best(tuning, nullptr);
  show("why the winner wins", screen(tuning));
});

const Screens estimated("tune_estimated", [](const Show& show) {
  Tuning tuning = sample_tuning();
  tuning.measured = false;
  tuning.stored = {};
  for (Candidate& candidate : tuning.result.candidates) candidate.measurements.clear();
  show("all estimated", screen(tuning));
  tuning.result.candidates[2].estimate->doubts = {"atomic operations"};
  show("one that cannot be estimated", screen(tuning));
});

}  // namespace
}  // namespace gemm_tutor
