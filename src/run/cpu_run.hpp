// A kernel that is a plain loop on one thread of this machine's CPU.
#pragma once

#include <string>

namespace gemm_tutor {

class CountedFloat;
struct RunOptions;
struct RunResult;

template <typename Float>
using CpuFunction = void (*)(const Float* A, const Float* B, Float* C, int M, int N, int K);

// The same code twice.
struct CpuKernel {
  CpuFunction<float> multiply = nullptr;
  CpuFunction<CountedFloat> counted = nullptr;  // which counts its loads and stores
};

// Where it is to run.
RunResult plan_on_cpu(const RunOptions& options);

// Runs, times, counts and verifies it.
RunResult run_on_cpu(const CpuKernel& kernel, const RunOptions& options);

// As the machine calls it: "AMD EPYC 9B14"; "this CPU" where it does not say.
std::string cpu_name();

}  // namespace gemm_tutor
