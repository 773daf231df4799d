#include "simt/gpu_spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <climits>

#include "support/error.hpp"
#include "support/numbers.hpp"
#include "support/text.hpp"

namespace gemm_tutor::simt {

Dim3 place_in(const Dim3& all, std::uint64_t number) {
  return {static_cast<std::uint32_t>(number % all.x),
          static_cast<std::uint32_t>(number / all.x % all.y),
          static_cast<std::uint32_t>(number / all.x / all.y)};
}

namespace {

// The number of blocks that fit into each of an SM's resources (CUDA C++ Programming Guide,
// hardware multithreading; tests/model compares it with the toolkit's calculator).
struct Room {
  int threads, registers, shared_memory, blocks;
  int least() const { return std::min({threads, registers, shared_memory, blocks}); }
};

constexpr int no_limit = INT_MAX;

int warps_of(const GpuSpec& gpu, const Launch& launch) {
  return ceil_divide(static_cast<int>(launch.block.count()), gpu.warp_size);
}

// A warp's registers are allocated in units of 256 from one quarter of the SM's registers.
int room_by_registers(const GpuSpec& gpu, int registers_per_thread, int warps) {
  constexpr int unit = 256, quarters = 4;
  if (registers_per_thread == 0) return no_limit;  // not known
  const int of_warp = rounded_up(registers_per_thread * gpu.warp_size, unit);
  if (of_warp * rounded_up(warps, quarters) > gpu.registers_per_block) return 0;
  return gpu.registers_per_multiprocessor / quarters / of_warp * quarters / warps;
}

int room_by_shared_memory(const GpuSpec& gpu, std::int64_t bytes) {
  const int unit = gpu.compute_major >= 8 ? 128 : 256;
  const std::int64_t of_block =
      ceil_divide(bytes + gpu.reserved_shared_bytes_per_block, std::int64_t{unit}) * unit;
  return of_block == 0 ? no_limit
                       : static_cast<int>(gpu.shared_bytes_per_multiprocessor / of_block);
}

Room room_for(const GpuSpec& gpu, const KernelResources& kernel, const Launch& launch) {
  const int warps = warps_of(gpu, launch);
  const std::int64_t shared =
      std::int64_t{kernel.static_shared_bytes} + launch.dynamic_shared_bytes;
  return {.threads = gpu.max_threads_per_multiprocessor / gpu.warp_size / warps,
          .registers = room_by_registers(gpu, kernel.registers_per_thread, warps),
          .shared_memory = room_by_shared_memory(gpu, shared),
          .blocks = gpu.max_blocks_per_multiprocessor};
}

// If several limits are equal, threads are named first.
std::string limiting_factor(const Room& room) {
  const int least = room.least();
  if (room.threads == least) return "threads";
  if (room.registers == least) return "registers";
  if (room.shared_memory == least) return "shared memory";
  return "blocks";
}

// "64×64", without trailing 1s, as in dim3(64, 64).
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
  // Each extent is checked first, because the product of all three can overflow 64 bits.
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
  const Room room = room_for(gpu, kernel, launch);
  const int most_warps = gpu.max_threads_per_multiprocessor / gpu.warp_size;
  return {.blocks_per_multiprocessor = room.least(),
          .occupancy = static_cast<double>(room.least() * warps_of(gpu, launch)) / most_warps,
          .limited_by = limiting_factor(room),
          .exact = kernel.registers_per_thread > 0};
}

void check_launch(const GpuSpec& gpu, const KernelResources& kernel, const Launch& launch) {
  check_grid(launch.grid);
  check_block(gpu, launch.block);
  check_shared_memory(gpu, kernel.static_shared_bytes, launch.dynamic_shared_bytes);
  if (room_for(gpu, kernel, launch).registers == 0) {
    throw Error(ExitStatus::usage,
                fmt::format("a block of {} threads with {} registers each needs more than the {} "
                            "registers a block may have",
                            with_thousands(static_cast<std::int64_t>(launch.block.count())),
                            kernel.registers_per_thread, with_thousands(gpu.registers_per_block)),
                "Make the block smaller, or say __launch_bounds__(threads) in the kernel.");
  }
}

}  // namespace gemm_tutor::simt
