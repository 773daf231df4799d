// A CUDA kernel: on the GPU with the emulator's counts, or on the emulator alone.
#pragma once

#include "course/kernel_run.hpp"

namespace gemm_tutor {

// Compiles `kernel`; fills in how it is launched, what it needs and where it is to run, as the next
// does, too.
void plan_cuda(KernelRun& run, const KernelSource& kernel, const RunOptions& options);

// Compiles, counts, executes, times and verifies `kernel`; fills in the rest of `run`.
void run_cuda(KernelRun& run, const KernelSource& kernel, const RunOptions& options);

}  // namespace gemm_tutor
