// What a run's kernel asks of memory at first, to be shown beside the run's counts.
#pragma once

#include <vector>

#include "course/kernel_run.hpp"
#include "trace/selection.hpp"

namespace gemm_tutor {

// By line, the requests that warp 0 of the first block makes when it comes there first. `options`
// are those of the run. Empty where nothing was emulated, and where the kernel cannot be traced:
// the run has said all that is wrong. Throws Interrupted.
std::vector<SelectedLine> first_requests(const KernelRun& run, const RunOptions& options);
// Of a trace of that block that was made already.
std::vector<SelectedLine> first_requests(const KernelRun& run, const Trace& trace);
// Of a kernel of the user's own.
std::vector<SelectedLine> first_requests(const KernelSource& kernel, const KernelRun& run,
                                         const RunOptions& options);

}  // namespace gemm_tutor
