// Estimates a kernel's time on a GPU from its counts and machine code.
#pragma once

#include "simt/estimate.hpp"
#include "simt/estimate/work.hpp"
#include "simt/gpu_spec.hpp"
#include "simt/launch.hpp"

namespace gemm_tutor {

// Counted code, its launch, and the number of blocks per SM.
struct LaunchedCode {
  CountedCode code;
  Launch launch;
  int resident = 1;
  int registers = 0;              // per thread
  bool has_loop_by_data = false;  // emulator::Program::has_loop_by_data()
};

// Simulates one SM with a wave of blocks, some more blocks, and some iterations of their loops, and
// extrapolates the rest.
Estimate estimate_time(const LaunchedCode& launched, const GpuSpec& gpu);

}  // namespace gemm_tutor
