// cuBLAS in a lesson: executed where there is a GPU, explained where there is none.
#pragma once

#include "course/kernel_run.hpp"
#include "course/target.hpp"

namespace gemm_tutor {

// Where it is to run: fills in that much of `run`, as the next does, too.
Target plan_library(KernelRun& run, const RunOptions& options);

void run_library(KernelRun& run, const RunOptions& options);

}  // namespace gemm_tutor
