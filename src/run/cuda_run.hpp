// Runs a CUDA kernel on the GPU, with the emulator's counts, or only on the emulator.
#pragma once

#include "run/prepared_kernel.hpp"
#include "run/run.hpp"

namespace gemm_tutor {

// Returns the launch, the resources and where it would run. `kernel` must be prepared for the same
// problem.
RunResult plan_cuda(const PreparedKernel& kernel, const RunOptions& options);

// Counts, executes, times and verifies it.
RunResult run_cuda(const PreparedKernel& kernel, const RunOptions& options);

}  // namespace gemm_tutor
