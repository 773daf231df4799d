// Traffic: by the formula, and as counted.
#pragma once

#include "course/kernel_run.hpp"
#include "report/layout.hpp"

namespace gemm_tutor {

void add_traffic(Page& page, const KernelRun& run);

}  // namespace gemm_tutor
