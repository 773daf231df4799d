// cuBLAS in a lesson: executed where there is a GPU, explained where there is none.
#pragma once

#include "course/kernel_run.hpp"

namespace gemm_tutor {

void run_library(KernelRun& run, const RunOptions& options);

}  // namespace gemm_tutor
