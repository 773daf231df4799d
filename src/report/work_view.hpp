// The Work section of a report: what the warps' instructions were, and what shared memory cost.
#pragma once

#include "course/kernel_run.hpp"
#include "report/layout.hpp"

namespace gemm_tutor {

// Nothing for a run that was not emulated, or not to its end.
void add_work(Page& page, const KernelRun& run);

}  // namespace gemm_tutor
