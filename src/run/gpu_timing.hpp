// Converts a GPU's measured times to a run's timing.
#pragma once

#include "gpu/gpu.hpp"
#include "run/run.hpp"

namespace gemm_tutor {

inline RunTiming gpu_timing(const gpu::Timing& measured, const Problem& problem) {
  RunTiming timing;
  timing.where = Backend::gpu;
  timing.runs = measured.runs;
  timing.median_ms = measured.median_ms;
  timing.min_ms = measured.min_ms;
  timing.tflops = problem.flops() / (measured.median_ms * 1e9);
  timing.spread_percent = 100 * measured.iqr_ms / measured.median_ms;
  return timing;
}

}  // namespace gemm_tutor
