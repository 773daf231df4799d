// A CUDA kernel: on the GPU with the emulator's counts, or on the emulator alone.
#pragma once

#include "run/prepared_kernel.hpp"
#include "run/run.hpp"

namespace gemm_tutor {

// How it is launched, what it needs and where it is to run. It is prepared for the same problem.
RunResult plan_cuda(const PreparedKernel& kernel, const RunOptions& options);

// Counts, executes, times and verifies it.
RunResult run_cuda(const PreparedKernel& kernel, const RunOptions& options);

}  // namespace gemm_tutor
