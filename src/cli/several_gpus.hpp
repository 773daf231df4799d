// --gpu a100,h100: estimates a kernel's time on each GPU.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "course/kernel_run.hpp"

namespace gemm_tutor::cli {

// Adds the estimates for all of `gpus` to the run, which is on the first of them. Does nothing for
// fewer than two GPUs, for a kernel without a launch, or if the run has findings. `run_on`
// compiles, counts and estimates the kernel for another GPU. Throws what `run_on` throws.
void estimate_on_each(KernelRun& run, const std::vector<std::string>& gpus, RunOptions options,
                      const std::function<KernelRun(const RunOptions&)>& run_on);

}  // namespace gemm_tutor::cli
