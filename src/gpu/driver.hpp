// The CUDA driver. It is loaded at first use.
#pragma once

#include <string>

#include "support/cuda_api.hpp"

namespace gemm_tutor::gpu {

using namespace cuda;

struct Driver : DriverFunctions {
  // Throws Error (unavailable) with the call and the driver's message unless it succeeded.
  void check(CUresult result, const char* call) const;
  // Makes the primary context of device 0 current in the calling thread. cuBLAS uses it, too. It is
  // created once and kept until the program ends, because this takes some tenths of a second.
  void use_context() const;
  std::string describe(CUresult result) const;  // "CUDA_ERROR_OUT_OF_MEMORY: out of memory"
};

struct DriverStatus {
  const Driver* driver = nullptr;  // null if it is not available
  std::string problem, help;
};

// Loads and initialises the driver at the first call. Returns the same result every time.
const DriverStatus& driver_status();

}  // namespace gemm_tutor::gpu
