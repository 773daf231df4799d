// How many blocks of a kernel fit on a multiprocessor, and which resource is the limit.
#pragma once

#include <string>

#include "simt/gpu_spec.hpp"
#include "simt/launch.hpp"

namespace gemm_tutor {

struct KernelResources {
  int registers_per_thread = 0;  // 0 if not known: only NVIDIA's assembler decides it
  int static_shared_bytes = 0;
  int local_bytes_per_thread = 0;  // stack frame: arrays and spills that are not in registers
  int spill_store_bytes = 0;
  int spill_load_bytes = 0;

  bool operator==(const KernelResources&) const = default;
};

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
