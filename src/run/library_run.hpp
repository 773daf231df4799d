// Runs cuBLAS on a GPU.
#pragma once

#include "run/run.hpp"

namespace gemm_tutor {

// Returns where it would run: Backend::none without a GPU with cuBLAS, or if --gpu names another
// GPU.
RunResult plan_library(const RunOptions& options);

// Runs, times and verifies it. Without a GPU, only the order of the operands is computed.
RunResult run_library(const RunOptions& options);

}  // namespace gemm_tutor
