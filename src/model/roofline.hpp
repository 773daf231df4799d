// The roofline model (Williams, Waterman and Patterson, 2009): a kernel that does `intensity` FLOP
// for each byte of memory is bound by arithmetic or by bandwidth, whichever lets it do less.
#pragma once

#include <algorithm>

#include "model/gpu_spec.hpp"

namespace gemm_tutor {

// FLOP/s.
inline double attainable_flops(const GpuSpec& gpu, double intensity) {
  return std::min(gpu.peak_flops(), gpu.memory_bandwidth * intensity);
}

// The intensity, in FLOP per byte, from which on arithmetic is the limit.
inline double ridge_intensity(const GpuSpec& gpu) {
  return gpu.peak_flops() / gpu.memory_bandwidth;
}

}  // namespace gemm_tutor
