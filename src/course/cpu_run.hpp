// Lesson 0: a kernel that is a plain loop on one thread of this machine's CPU.
#pragma once

#include "course/kernel_run.hpp"

namespace gemm_tutor {

// Where `run.kernel` is to run: fills in that much of `run`, as the next does, too.
void plan_on_cpu(KernelRun& run);

// Runs, times, counts and verifies `run.kernel`; fills in the rest of `run`.
void run_on_cpu(KernelRun& run, const RunOptions& options);

// As the machine calls it: "AMD EPYC 9B14"; "this CPU" where it does not say.
std::string cpu_name();

}  // namespace gemm_tutor
