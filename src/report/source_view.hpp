// The kernel's excerpt, with what was counted beside each line and a "…" where lines are left out.
#pragma once

#include "course/kernel_run.hpp"
#include "report/layout.hpp"

namespace gemm_tutor {

// The file's own line numbers; sectors a request of global memory and wavefronts a request of
// shared memory, for lines that have any, in columns at the right; bank conflicts are marked. Code
// is never cut: a line that is too long goes on below, and counts with no room beside their line
// stand on a line of their own.
void add_source(Page& page, const KernelRun& run);

}  // namespace gemm_tutor
