// cuBLAS: executed where there is a GPU with it.
#pragma once

#include "run/run.hpp"

namespace gemm_tutor {

// Where it is to run; on no backend where there is no GPU with cuBLAS, or another's limits are
// asked for.
RunResult plan_library(const RunOptions& options);

// Runs, times and verifies it there; without one all that is filled in is the order of operands.
RunResult run_library(const RunOptions& options);

}  // namespace gemm_tutor
