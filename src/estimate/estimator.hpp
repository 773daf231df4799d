// From a kernel's counts and machine code to the time that it takes on a GPU.
#pragma once

#include "estimate/estimate.hpp"
#include "estimate/work.hpp"
#include "model/gpu_spec.hpp"
#include "model/launch.hpp"

namespace gemm_tutor {

// How a kernel is launched, and how many of its blocks share an SM.
struct LaunchedCode {
  CountedCode code;
  Launch launch;
  int resident = 1;
  int registers = 0;              // of a thread
  bool has_loop_by_data = false;  // as emulator::Program says
  std::size_t bytes = 0;          // of all buffers
};

// Simulates one SM: a wave of blocks, some further ones, and some iterations of their loops, from
// which the rest follows.
Estimate estimate_time(const LaunchedCode& launched, const GpuSpec& gpu);

}  // namespace gemm_tutor
