// What the course knows about a GPU without having it: its limits and its peaks.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gemm_tutor {

// What the units of an SM and the memories can do: what a kernel's time is estimated from. Cycles
// are those of the SM's clock, lanes are of one SM. docs/gpus.md says more of each.
struct MachineTimes {
  int schedulers = 0;
  int int32_lanes = 0;
  bool int32_shares_fp32 = false;  // integer instructions take the place of FP32 instructions
  int fp64_lanes = 0, special_function_lanes = 0;
  int load_store_lanes = 0;  // 16: the SM starts a memory instruction every second cycle
  // From a load to the first instruction that can use its result, one load at a time.
  double shared_latency = 0, l1_latency = 0, l2_latency = 0, dram_latency = 0;
  // Of an L2 cache in two halves, once its data has no room to be in both; 0 for one of one piece.
  double l2_far_latency = 0;
  double shared_bytes_per_cycle = 0, l1_bytes_per_cycle = 0;  // of one SM
  double l1_lines_per_cycle = 0;   // of 128 bytes, that one SM's L1 cache looks up
  double memory_issue_cycles = 0;  // between two memory instructions of one scheduler
  int memory_queue = 0;            // memory instructions that a scheduler issues before it waits
  int l1_bytes = 0;                // of one SM, the L1 cache and shared memory together
  int l2_bytes = 0;
  double l2_bytes_per_cycle_per_sm = 0;
  double l2_bandwidth = 0;     // bytes per second, of the whole GPU
  double dram_efficiency = 0;  // share of GpuSpec::memory_bandwidth that a kernel can reach
  // Between two warps that arrive at a barrier at the same time, and from the last arrival on.
  double barrier_arrival_cycles = 0, barrier_cycles = 0;
  double block_start_cycles = 0;    // from a block's end to the first instruction of the next
  int instruction_cache_bytes = 0;  // longer loops are fetched anew in each iteration
  double fetch_cycles = 0;          // then, between two instructions that a scheduler fetches
  double copy_cycles = 0;           // by which a copy past the registers takes longer than a load
  double bulk_copy_cycles = 0;      // between two bulk copies of one SM; 0 where there are none
  double launch_us = 0;             // of an empty kernel in a queue of kernels
  double loaded_clock_ghz = 0;      // while all FP32 lanes work
};

// Keys of a GPU's file, and where their values come from.
struct SourcedKeys {
  std::string source;
  std::vector<std::string> keys;
};

struct GpuSpec {
  std::string name;                       // what --gpu takes: "h200", or a file's path
  std::string full_name;                  // "NVIDIA H200"
  std::vector<std::string> driver_names;  // what else the driver calls it
  std::string released;                   // "2023-11"; empty where that is not known
  int compute_major = 0, compute_minor = 0;
  int multiprocessors = 0;
  double clock_ghz = 0;                   // the clock that the peak is computed with (boost)
  int fp32_lanes_per_multiprocessor = 0;  // FFMAs an SM starts each cycle
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
  int reserved_shared_bytes_per_block = 0;  // what the system keeps of each block's shared memory
  MachineTimes times;
  std::vector<SourcedKeys> sources;  // where these numbers come from

  std::string architecture() const;  // "sm_90"
  double peak_flops() const;         // FP32, an FFMA being two
  int compute_capability() const { return 10 * compute_major + compute_minor; }  // 90 for 9.0
};

// The GPUs known by name, in the order of their age.
const std::vector<GpuSpec>& known_gpus();

// By --gpu name, case ignored; or from a file, where the name has a slash or ends in .toml. Throws
// Error (usage) that names the nearest name, or the file and its line.
GpuSpec find_gpu(std::string_view name);

// The one of known_gpus() that the driver calls so, or null.
const GpuSpec* known_by_driver_name(std::string_view driver_name);

// The one of known_gpus() whose machine is most like it: of that name, else of the same or the next
// older compute capability, and there of the nearest number of multiprocessors.
const GpuSpec& nearest_gpu(const GpuSpec& gpu);

// Throws Error (usage) that names `what`, the compute capability it needs (80 for 8.0) and the
// GPU's, where that is older.
void require_capability(const GpuSpec& gpu, int capability, std::string_view what);

}  // namespace gemm_tutor
