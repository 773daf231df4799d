// Runs a kernel on one thread of this machine's CPU.
#pragma once

#include <cstdint>
#include <string>

namespace gemm_tutor {

class CountedFloat;
struct RunOptions;
struct KernelRun;

template <typename Float>
using CpuFunction = void (*)(const Float* A, const Float* B, Float* C, int M, int N, int K);

// The same code, instantiated for both types.
struct CpuKernel {
  CpuFunction<float> multiply = nullptr;
  CpuFunction<CountedFloat> counted = nullptr;  // counts loads and stores
};

// Counts loads and stores without running all of it, which takes about 0.1 s at any size.
KernelRun count_on_cpu(const CpuKernel& kernel, const RunOptions& options);

// Runs, times, counts and verifies it.
KernelRun run_on_cpu(const CpuKernel& kernel, const RunOptions& options);

// Returns the CPU's model, "AMD EPYC 9B14", or "this CPU" if it is not known.
std::string cpu_name();

// A float that counts reads and writes of memory. A CPU kernel runs with this type to count its
// memory accesses.
class CountedFloat {
 public:
  CountedFloat& operator=(float value) {
    ++stores;
    value_ = value;
    return *this;
  }
  CountedFloat& operator+=(float value) { return *this = *this + value; }
  operator float() const {
    ++loads;
    return value_;
  }

  inline static thread_local std::int64_t loads = 0, stores = 0;  // of all objects

 private:
  float value_ = 0;
};

}  // namespace gemm_tutor
