// What a run's kernel asks of memory at first, to be shown beside the run's counts.
#pragma once

#include <vector>

#include "course/kernel_run.hpp"
#include "trace/selection.hpp"

namespace gemm_tutor {

// By line, the requests that warp 0 of the block that the run traced makes when it comes there
// first. Empty where nothing was traced, and where the emulator stopped: the run has said all that
// is wrong.
std::vector<SelectedLine> first_requests(const KernelRun& run);

}  // namespace gemm_tutor
