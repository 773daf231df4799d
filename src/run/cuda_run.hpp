// A CUDA kernel: on the GPU with the emulator's counts, or on the emulator alone.
#pragma once

#include "run/kernel_source.hpp"
#include "run/run.hpp"

namespace gemm_tutor {

// Compiles `kernel`: how it is launched, what it needs and where it is to run.
RunResult plan_cuda(const KernelSource& kernel, const RunOptions& options);

// Compiles, counts, executes, times and verifies it.
RunResult run_cuda(const KernelSource& kernel, const RunOptions& options);

}  // namespace gemm_tutor
