// The CUDA driver. It is loaded at first use. Functions with several versions are loaded in the
// header's version. All of them exist since CUDA 12.
#pragma once

#include <cuda.h>

#include <string>

namespace gemm_tutor::gpu {

struct Driver {
  decltype(&cuInit) init = nullptr;
  decltype(&cuDriverGetVersion) version = nullptr;
  decltype(&cuGetErrorName) error_name = nullptr;
  decltype(&cuGetErrorString) error_string = nullptr;
  decltype(&cuDeviceGetCount) device_count = nullptr;
  decltype(&cuDeviceGet) device = nullptr;
  decltype(&cuDeviceGetName) device_name = nullptr;
  decltype(&cuDeviceGetAttribute) device_attribute = nullptr;
  decltype(&cuDevicePrimaryCtxRetain) retain_context = nullptr;
  decltype(&cuCtxSetCurrent) set_context = nullptr;
  decltype(&cuCtxSynchronize) synchronize = nullptr;
  decltype(&cuMemGetInfo) memory_info = nullptr;
  decltype(&cuMemAlloc) allocate = nullptr;
  decltype(&cuMemFree) free = nullptr;
  decltype(&cuMemcpyHtoD) copy_to_device = nullptr;
  decltype(&cuMemcpyDtoH) copy_to_host = nullptr;
  decltype(&cuMemsetD32) fill_words = nullptr;
  decltype(&cuModuleLoadData) load_module = nullptr;
  decltype(&cuModuleUnload) unload_module = nullptr;
  decltype(&cuModuleGetFunction) function = nullptr;
  decltype(&cuFuncSetAttribute) set_attribute = nullptr;
  decltype(&cuOccupancyMaxActiveBlocksPerMultiprocessor) active_blocks = nullptr;
  decltype(&cuLaunchKernel) launch = nullptr;
  decltype(&cuEventCreate) create_event = nullptr;
  decltype(&cuEventDestroy) destroy_event = nullptr;
  decltype(&cuEventRecord) record = nullptr;
  decltype(&cuEventSynchronize) wait = nullptr;
  decltype(&cuEventElapsedTime) elapsed = nullptr;

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
