// What is known of a GPU besides its limits: the rates and latencies of an SM's units and of the
// memories, from which a kernel's time is estimated, and sources. Cycles are cycles of the SM's
// clock. Lanes are lanes per SM. docs/gpus.md describes each.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "simt/gpu_spec.hpp"

namespace gemm_tutor::simt {

// Keys of a GPU's file and the source of their values.
struct SourcedKeys {
  std::string source;
  std::vector<std::string> keys;
};

struct GpuDetails {
  std::vector<std::string> driver_names;  // the driver's other names for it
  std::string released;                   // "2023-11"; empty if not known
  std::vector<SourcedKeys> sources;       // the sources of all numbers

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
  int tensor_fmas(Product product) const;
  // FMAs per cycle that an SM does with the instruction; 0 if that is not known.
  double mma_fmas(Product product, bool is_shallow) const;
  double highest_clock_ghz() const { return std::max(loaded_clock_ghz, light_clock_ghz); }
};

// Returns the GPU's details; without any, those with all numbers 0.
const GpuDetails& details_of(const GpuSpec& gpu);

// Gives the GPU details of its own, to be changed.
inline GpuDetails& own_details(GpuSpec& gpu) {
  const auto own = std::make_shared<GpuDetails>(details_of(gpu));
  gpu.details = own;
  return *own;
}

// The GPUs that are known by name, oldest first.
const std::vector<GpuSpec>& known_gpus();

// Returns the one of known_gpus() that is most similar: the one of the same name, otherwise one of
// the same or the next older compute capability with the nearest number of multiprocessors.
const GpuSpec& nearest_gpu(const GpuSpec& gpu);

}  // namespace gemm_tutor::simt
