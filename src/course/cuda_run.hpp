// A CUDA kernel: on the GPU with the emulator's counts, or on the emulator alone.
#pragma once

#include "course/kernel_run.hpp"

namespace gemm_tutor {

// Compiles, counts, executes, times and verifies `kernel`; fills in the rest of `run`.
void run_cuda(KernelRun& run, const KernelSource& kernel, const RunOptions& options);

}  // namespace gemm_tutor
