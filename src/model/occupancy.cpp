#include "model/occupancy.hpp"

#include <cuda_occupancy.h>
#include <fmt/format.h>

#include <climits>

#include "support/error.hpp"
#include "support/text.hpp"

namespace gemm_tutor {
namespace {

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

cudaOccFuncAttributes function_attributes(const KernelResources& kernel, const Launch& launch) {
  cudaOccFuncAttributes function;
  function.maxThreadsPerBlock = INT_MAX;  // that is checked against the GPU alone
  function.numRegs = kernel.registers_per_thread;
  function.sharedSizeBytes = kernel.static_shared_bytes;
  function.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  function.maxDynamicSharedSizeBytes = launch.dynamic_shared_bytes;
  return function;
}

cudaOccResult calculate(const GpuSpec& gpu, const KernelResources& kernel, const Launch& launch) {
  const cudaOccDeviceProp device = device_properties(gpu);
  const cudaOccFuncAttributes function = function_attributes(kernel, launch);
  const cudaOccDeviceState state;
  cudaOccResult result = {};
  const cudaOccError error = cudaOccMaxActiveBlocksPerMultiprocessor(
      &result, &device, &function, &state, static_cast<int>(launch.block.count()),
      launch.dynamic_shared_bytes);
  if (error != CUDA_OCC_SUCCESS) {
    throw Error(ExitStatus::unavailable,
                fmt::format("the CUDA Toolkit that gemm-tutor was built with does not know the {} "
                            "(compute capability {}.{})",
                            gpu.full_name, gpu.compute_major, gpu.compute_minor),
                "Build gemm-tutor with a newer CUDA Toolkit, or choose another GPU with --gpu.");
  }
  return result;
}

// Where several limits are equal, full use of the threads is named first.
std::string limiting_factor(unsigned int factors) {
  if (factors & OCC_LIMIT_WARPS) return "threads";
  if (factors & OCC_LIMIT_REGISTERS) return "registers";
  if (factors & OCC_LIMIT_SHARED_MEMORY) return "shared memory";
  return "blocks";
}

// "64×64"; trailing ones are left out, as in dim3(64, 64).
std::string extent(const Dim3& size) {
  if (size.z != 1) return fmt::format("{}×{}×{}", size.x, size.y, size.z);
  if (size.y != 1) return fmt::format("{}×{}", size.x, size.y);
  return fmt::format("{}", size.x);
}

void check_block(const GpuSpec& gpu, const Dim3& block) {
  constexpr std::uint32_t max_depth = 64;  // CUDA C++ Programming Guide: z-dimension of a block
  const std::uint32_t most = gpu.max_threads_per_block;
  if (block.x == 0 || block.y == 0 || block.z == 0) {
    throw Error(ExitStatus::usage, fmt::format("a block of {} has no threads", extent(block)),
                "Every dimension of a block is at least 1.");
  }
  // Each by itself first: the product of all three can exceed 64 bits.
  const bool is_long = block.x > most || block.y > most || block.z > most;
  if (is_long || block.count() > most) {
    const std::string threads =
        is_long ? extent(block)
                : fmt::format("{} = {}", extent(block),
                              with_thousands(static_cast<std::int64_t>(block.count())));
    throw Error(ExitStatus::usage,
                fmt::format("a block of {} threads is more than the {} a block may have", threads,
                            with_thousands(most)),
                "Make the block smaller, and let each thread compute more.");
  }
  if (block.z > max_depth) {
    throw Error(ExitStatus::usage,
                fmt::format("a block of {} is deeper than the {} threads it may have along z",
                            extent(block), max_depth),
                "Put the threads along x or y.");
  }
}

void check_grid(const Dim3& grid) {
  // CUDA C++ Programming Guide: dimensions of a grid of thread blocks.
  constexpr std::uint32_t max_x = INT_MAX, max_yz = 65535;
  if (grid.x == 0 || grid.y == 0 || grid.z == 0) {
    throw Error(ExitStatus::usage, fmt::format("a grid of {} has no blocks", extent(grid)),
                "Every dimension of a grid is at least 1.");
  }
  if (grid.x > max_x || grid.y > max_yz || grid.z > max_yz) {
    throw Error(ExitStatus::usage,
                fmt::format("a grid of {} blocks is over the limit: {} along x, {} along y and z",
                            extent(grid), with_thousands(max_x), with_thousands(max_yz)),
                "Choose a smaller problem, or a larger tile for each block.");
  }
}

void check_shared_memory(const GpuSpec& gpu, std::int64_t static_bytes,
                         std::int64_t dynamic_bytes) {
  const bool fits = static_bytes <= gpu.shared_bytes_per_block &&
                    static_bytes + dynamic_bytes <= gpu.shared_bytes_per_block_optin;
  if (fits) return;
  throw Error(
      ExitStatus::usage,
      fmt::format("a block needs {} of shared memory; a block on the {} may have {} ({} if asked "
                  "for when launched)",
                  human_bytes(static_cast<double>(static_bytes + dynamic_bytes)), gpu.full_name,
                  human_bytes(gpu.shared_bytes_per_block),
                  human_bytes(gpu.shared_bytes_per_block_optin)),
      "Make the tile smaller; more than 48 KiB must be dynamic (extern __shared__).");
}

}  // namespace

Occupancy occupancy(const GpuSpec& gpu, const KernelResources& kernel, const Launch& launch) {
  check_launch(gpu, kernel, launch);
  const cudaOccResult result = calculate(gpu, kernel, launch);
  const int blocks = result.activeBlocksPerMultiprocessor;
  const std::uint64_t warps_per_block = (launch.block.count() + gpu.warp_size - 1) / gpu.warp_size;
  const int most_warps = gpu.max_threads_per_multiprocessor / gpu.warp_size;
  return {.blocks_per_multiprocessor = blocks,
          .occupancy = static_cast<double>(blocks * warps_per_block) / most_warps,
          .limited_by = limiting_factor(result.limitingFactors)};
}

void check_launch(const GpuSpec& gpu, const KernelResources& kernel, const Launch& launch) {
  check_grid(launch.grid);
  check_block(gpu, launch.block);
  check_shared_memory(gpu, kernel.static_shared_bytes, launch.dynamic_shared_bytes);
  if (calculate(gpu, kernel, launch).blockLimitRegs == 0) {
    throw Error(ExitStatus::usage,
                fmt::format("a block of {} threads with {} registers each needs more than the {} "
                            "registers a block may have",
                            with_thousands(static_cast<std::int64_t>(launch.block.count())),
                            kernel.registers_per_thread, with_thousands(gpu.registers_per_block)),
                "Make the block smaller, or say __launch_bounds__(threads) in the kernel.");
  }
}

}  // namespace gemm_tutor
