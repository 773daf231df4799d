// The occupancy that is computed here, beside what the toolkit's own calculator computes.
#include <climits>

#include "catch.hpp"
#include "simt/gpu_spec.hpp"
#include "simt/gpus/gpu_details.hpp"
#include "support/error.hpp"

#if __has_include(<cuda_occupancy.h>)
#include <cuda_occupancy.h>
#endif

namespace gemm_tutor::simt {
namespace {

#if __has_include(<cuda_occupancy.h>)

cudaOccDeviceProp device_properties(const GpuSpec& gpu) {
  cudaOccDeviceProp device;
  device.computeMajor = gpu.compute_major;
  device.computeMinor = gpu.compute_minor;
  device.maxThreadsPerBlock = gpu.max_threads_per_block;
  device.maxThreadsPerMultiprocessor = gpu.max_threads_per_multiprocessor;
  device.regsPerBlock = gpu.registers_per_block;
  device.regsPerMultiprocessor = gpu.registers_per_multiprocessor;
  device.warpSize = gpu.warp_size;
  device.sharedMemPerBlock = gpu.shared_bytes_per_block;
  device.sharedMemPerMultiprocessor = gpu.shared_bytes_per_multiprocessor;
  device.numSms = gpu.multiprocessors;
  device.sharedMemPerBlockOptin = gpu.shared_bytes_per_block_optin;
  device.reservedSharedMemPerBlock = gpu.reserved_shared_bytes_per_block;
  return device;
}

// The toolkit's number of blocks; -1 where it is older than the GPU.
int blocks_by_toolkit(const GpuSpec& gpu, int threads, int registers, int shared_bytes) {
  const cudaOccDeviceProp device = device_properties(gpu);
  cudaOccFuncAttributes function;
  function.maxThreadsPerBlock = INT_MAX;
  function.numRegs = registers;
  function.sharedSizeBytes = 0;
  function.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  function.maxDynamicSharedSizeBytes = static_cast<std::size_t>(shared_bytes);
  const cudaOccDeviceState state;
  cudaOccResult result = {};
  const cudaOccError error = cudaOccMaxActiveBlocksPerMultiprocessor(
      &result, &device, &function, &state, threads, static_cast<std::size_t>(shared_bytes));
  return error == CUDA_OCC_SUCCESS ? result.activeBlocksPerMultiprocessor : -1;
}

// Zero where such a block is refused.
int blocks_here(const GpuSpec& gpu, int threads, int registers, int shared_bytes) {
  try {
    return occupancy(gpu, {.registers_per_thread = registers},
                     {.block = {static_cast<std::uint32_t>(threads)},
                      .dynamic_shared_bytes = static_cast<std::uint32_t>(shared_bytes)})
        .blocks_per_multiprocessor;
  } catch (const Error&) {
    return 0;
  }
}

TEST_CASE("the toolkit's calculator finds as many blocks") {
  for (const GpuSpec& gpu : known_gpus()) {
    if (blocks_by_toolkit(gpu, 32, 32, 0) < 0) continue;  // a toolkit older than the GPU
    for (int threads = 1; threads <= 1024; threads += threads < 70 ? 1 : 31) {
      for (int registers = 1; registers <= 255; registers += 6) {
        for (const int bytes : {0, 1, 1000, 5 * 1024, 17 * 1024 + 4, 33 * 1024, 60 * 1024}) {
          const int here = blocks_here(gpu, threads, registers, bytes);
          const int toolkit = blocks_by_toolkit(gpu, threads, registers, bytes);
          if (here == toolkit) continue;
          INFO(gpu.name << ": " << threads << " threads, " << registers << " registers, " << bytes
                        << " bytes");
          REQUIRE(here == toolkit);
        }
      }
    }
  }
}

#else

TEST_CASE("the toolkit's calculator finds as many blocks") {
  SKIP_BECAUSE("there was no CUDA Toolkit with cuda_occupancy.h at build time");
}

#endif

}  // namespace
}  // namespace gemm_tutor::simt
