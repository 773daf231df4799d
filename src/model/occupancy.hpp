// How many blocks of a kernel fit on a multiprocessor, and what stops more.
#pragma once

#include <string>

#include "model/gpu_spec.hpp"
#include "model/launch.hpp"

namespace gemm_tutor {

struct KernelResources {
  int registers_per_thread = 0;  // 0: not known, as only NVIDIA's assembler decides it
  int static_shared_bytes = 0;
  int local_bytes_per_thread = 0;  // stack frame: arrays and spills that are not in registers
  int spill_store_bytes = 0;
  int spill_load_bytes = 0;

  bool operator==(const KernelResources&) const = default;
};

struct Occupancy {
  int blocks_per_multiprocessor = 0;
  double occupancy = 0;    // resident warps over the most there can be, 0 to 1
  std::string limited_by;  // "threads", "registers", "shared memory" or "blocks"
  // False where the registers are not known: they may leave room for fewer blocks.
  bool exact = true;
};

// Throws Error as check_launch does.
Occupancy occupancy(const GpuSpec& gpu, const KernelResources& kernel, const Launch& launch);

// Throws Error (usage) when `launch` cannot run on `gpu` at all: no threads, too many threads in a
// block, too much shared memory or too many registers, a grid over its limits.
void check_launch(const GpuSpec& gpu, const KernelResources& kernel, const Launch& launch);

}  // namespace gemm_tutor
