// The roofline model (Williams, Waterman and Patterson, 2009). A kernel with `intensity` FLOP per
// byte of memory traffic is limited by arithmetic or by bandwidth, whichever is lower.
#pragma once

#include <algorithm>

#include "simt/gpu_spec.hpp"

namespace gemm_tutor {

// Returns FLOP/s.
inline double attainable_flops(const GpuSpec& gpu, double intensity) {
  return std::min(gpu.peak_flops(), gpu.memory_bandwidth * intensity);
}

// Returns the intensity, in FLOP per byte, above which arithmetic is the limit.
inline double ridge_intensity(const GpuSpec& gpu) {
  return gpu.peak_flops() / gpu.memory_bandwidth;
}

}  // namespace gemm_tutor
