// --gpu a100,h100: what a kernel's time is on each.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "course/kernel_run.hpp"

namespace gemm_tutor::cli {

// Adds the estimates for all of `gpus` to the run, which is on the first of them; does nothing for
// fewer than two, for a kernel that has no launch, and where something was found in it. `run_on`
// compiles, counts and estimates it for another GPU. Throws what that throws.
void estimate_on_each(KernelRun& run, const std::vector<std::string>& gpus, RunOptions options,
                      const std::function<KernelRun(const RunOptions&)>& run_on);

}  // namespace gemm_tutor::cli
