// What the course knows about a GPU without having it: its limits and its peaks.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gemm_tutor {

struct GpuSpec {
  std::string name;       // what --gpu takes: "h200"
  std::string full_name;  // "NVIDIA H200"
  int compute_major = 0, compute_minor = 0;
  int multiprocessors = 0;
  double clock_ghz = 0;                   // the clock that the peak is computed with (boost)
  int fp32_lanes_per_multiprocessor = 0;  // FFMAs an SM starts each cycle
  double memory_bandwidth = 0;            // bytes a second
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
  std::string source;                       // where these numbers come from

  std::string architecture() const;  // "sm_90"
  double peak_flops() const;         // FP32, an FFMA being two
  int compute_capability() const { return 10 * compute_major + compute_minor; }  // 90 for 9.0
};

// The GPUs known by name, in the order of their age.
const std::vector<GpuSpec>& known_gpus();

// By --gpu name, case ignored. Throws Error (usage) that names the nearest.
const GpuSpec& find_gpu(std::string_view name);

// Throws Error (usage) that names `what`, the compute capability it needs (80 for 8.0) and the
// GPU's, where that is older.
void require_capability(const GpuSpec& gpu, int capability, std::string_view what);

}  // namespace gemm_tutor
