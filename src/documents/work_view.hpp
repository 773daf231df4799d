// The Work section of a report: what the warps' instructions were, and what shared memory cost.
#pragma once

#include <vector>

#include "course/kernel_run.hpp"
#include "view/layout.hpp"

namespace gemm_tutor {

// Nothing for a run that was not emulated, or not to its end.
std::vector<Line> work_lines(const KernelRun& run);
void add_work(Page& page, const KernelRun& run);

}  // namespace gemm_tutor
