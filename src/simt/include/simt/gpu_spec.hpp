// The description of a GPU: its limits, its peak rates and its latencies.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "simt/instruction.hpp"
#include "simt/launch.hpp"

namespace gemm_tutor {

// The rates and latencies of an SM's units and of the memories. A kernel's time is estimated from
// them. Cycles are cycles of the SM's clock. Lanes are lanes per SM. docs/gpus.md describes each.
struct MachineTimes {
  int schedulers = 0;
  int int32_lanes = 0;
  bool int32_shares_fp32 = false;  // integer and FP32 instructions use the same lanes
  int fp64_lanes = 0, special_function_lanes = 0;
  int load_store_lanes = 0;  // 16: the SM starts a memory instruction every second cycle
  // Cycles from a load to the first instruction that can use its result, with one load in flight.
  double shared_latency = 0, l1_latency = 0, l2_latency = 0, dram_latency = 0;
  // The latency of an L2 cache in two partitions if its data is too large to be in both. 0 for an
  // L2 cache with one partition.
  double l2_far_latency = 0;
  double l2_line_cycles = 0;  // from one line of a load that L2 answers to the next; 0: not known
  double shared_bytes_per_cycle = 0, l1_bytes_per_cycle = 0;  // per SM
  double l1_lines_per_cycle = 0;   // lines of 128 bytes that one SM's L1 cache looks up
  double memory_issue_cycles = 0;  // between two memory instructions of one scheduler
  int memory_queue = 0;            // memory instructions that a scheduler issues before it waits
  int l1_bytes = 0;                // per SM, L1 cache and shared memory together
  int l2_bytes = 0;
  double l2_bytes_per_cycle_per_sm = 0;
  double l2_bandwidth = 0;     // bytes per second of the whole GPU
  double dram_efficiency = 0;  // share of GpuSpec::memory_bandwidth that a kernel can reach
  // Cycles between two warps that reach a barrier at the same time, and from the last arrival until
  // the warps continue.
  double barrier_arrival_cycles = 0, barrier_cycles = 0;
  double block_start_cycles = 0;    // from a block's end to the next block's first instruction
  int instruction_cache_bytes = 0;  // longer loops are fetched in each iteration
  double fetch_cycles = 0;          // between two instructions that a scheduler fetches
  double copy_cycles = 0;           // an asynchronous copy takes this much longer than a load
  double bulk_copy_cycles = 0;      // between two bulk copies of one SM; 0 if it has none
  // FMAs per cycle of an SM's tensor cores, by what is multiplied and added in; 0: not known, or it
  // has no such products.
  int tensor_fp16_fmas = 0, tensor_fp16_fp32_fmas = 0, tensor_tf32_fmas = 0, tensor_int8_fmas = 0;
  int tensor_fp8_fmas = 0, tensor_fp8_fp32_fmas = 0, tensor_fp64_fmas = 0;
  // The share of that rate which the instructions of one warp (mma.sync) reach, and those of half
  // the depth. 0: not known; the same as the others.
  double mma_share = 0, shallow_mma_share = 0;
  double launch_us = 0;         // time of an empty kernel in a queue of kernels
  double loaded_clock_ghz = 0;  // while all FP32 lanes work
  double light_clock_ghz = 0;   // while few of them work; 0: the same
  // The mean clock of kernels with products of matrices, however few, which is the highest that an
  // estimate has for them; 0: not known.
  double tensor_clock_ghz = 0;
  // In how many cycles of a nanosecond an SM's tensor cores can be busy at the power limit, which
  // lowers the clock of what keeps them busier; 0: not known.
  double tensor_busy_ghz = 0;
  int tensor_fmas(machine::Product product) const;
  // FMAs per cycle that an SM does with the instruction; 0 if that is not known.
  double mma_fmas(machine::Product product, bool is_shallow) const;
  double highest_clock_ghz() const { return std::max(loaded_clock_ghz, light_clock_ghz); }
};

// Keys of a GPU's file and the source of their values.
struct SourcedKeys {
  std::string source;
  std::vector<std::string> keys;
};

struct GpuSpec {
  std::string name;                       // the value of --gpu: "h200", or a file's path
  std::string full_name;                  // "NVIDIA H200"
  std::vector<std::string> driver_names;  // the driver's other names for it
  std::string released;                   // "2023-11"; empty if not known
  int compute_major = 0, compute_minor = 0;
  int multiprocessors = 0;
  double clock_ghz = 0;                   // the boost clock, from which the peak is computed
  int fp32_lanes_per_multiprocessor = 0;  // FFMAs that an SM starts per cycle
  double memory_bandwidth = 0;            // bytes per second
  int warp_size = 32;
  int max_threads_per_block = 1024;
  int max_threads_per_multiprocessor = 0;
  int max_blocks_per_multiprocessor = 0;
  int registers_per_multiprocessor = 65536;
  int registers_per_block = 65536;
  int shared_bytes_per_multiprocessor = 0;
  int shared_bytes_per_block = 49152;       // without opting in
  int shared_bytes_per_block_optin = 0;     // with cudaFuncAttributeMaxDynamicSharedMemorySize
  int reserved_shared_bytes_per_block = 0;  // shared memory that the system uses per block
  MachineTimes times;
  std::vector<SourcedKeys> sources;  // the sources of these numbers

  std::string architecture() const;  // "sm_90"
  // FP32 FLOP/s; an FFMA counts as two. With a product, that of its tensor cores for matrices that
  // are not sparse; 0 if it is not known.
  double peak_flops(machine::Product product = machine::Product::none) const;
  int compute_capability() const { return 10 * compute_major + compute_minor; }  // 90 for 9.0
};

// The GPUs that are known by name, oldest first.
const std::vector<GpuSpec>& known_gpus();

// Finds a GPU by its --gpu name, without regard to case. If the name has a slash or ends in .toml,
// reads that file. Throws Error (usage) with the nearest name, or with the file and its line.
GpuSpec find_gpu(std::string_view name);

// Returns the one of known_gpus() with that name of the driver, or null.
const GpuSpec* known_by_driver_name(std::string_view driver_name);

// Returns the one of known_gpus() that is most similar: the one of the same name, otherwise one of
// the same or the next older compute capability with the nearest number of multiprocessors.
const GpuSpec& nearest_gpu(const GpuSpec& gpu);

// Throws Error (usage) if the GPU's compute capability is lower than `capability` (80 for 8.0),
// which `what` needs. The message has all three.
void require_capability(const GpuSpec& gpu, int capability, std::string_view what);

// Returns FLOP/s by the roofline model (Williams, Waterman and Patterson, 2009). A kernel with
// `intensity` FLOP per byte of memory traffic is limited by arithmetic or by bandwidth, whichever
// is lower.
inline double attainable_flops(const GpuSpec& gpu, double intensity,
                               machine::Product product = machine::Product::none) {
  return std::min(gpu.peak_flops(product), gpu.memory_bandwidth * intensity);
}

// Returns the intensity, in FLOP per byte, above which arithmetic is the limit.
inline double ridge_intensity(const GpuSpec& gpu,
                              machine::Product product = machine::Product::none) {
  return gpu.peak_flops(product) / gpu.memory_bandwidth;
}

// What a kernel needs of a multiprocessor.
struct KernelResources {
  int registers_per_thread = 0;  // 0 if not known: only NVIDIA's assembler decides it
  int static_shared_bytes = 0;
  int local_bytes_per_thread = 0;  // stack frame: arrays and spills that are not in registers
  int spill_store_bytes = 0;
  int spill_load_bytes = 0;

  bool operator==(const KernelResources&) const = default;
};

// How many blocks of a kernel fit on a multiprocessor, and which resource is the limit.
struct Occupancy {
  int blocks_per_multiprocessor = 0;
  double occupancy = 0;    // resident warps divided by the maximum, 0 to 1
  std::string limited_by;  // "threads", "registers", "shared memory" or "blocks"
  // False if the registers are not known. Then this is an upper bound.
  bool exact = true;
};

// Throws the errors of check_launch().
Occupancy occupancy(const GpuSpec& gpu, const KernelResources& kernel, const Launch& launch);

// Throws Error (usage) if `launch` cannot run on `gpu`: no threads, too many threads per block, too
// much shared memory, too many registers, or too large a grid.
void check_launch(const GpuSpec& gpu, const KernelResources& kernel, const Launch& launch);

}  // namespace gemm_tutor
