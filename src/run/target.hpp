// Chooses where a CUDA kernel runs.
#pragma once

#include <string>

#include "run/run.hpp"
#include "simt/gpu_spec.hpp"

namespace gemm_tutor {

// The GPU whose limits are used on a machine without a GPU.
inline constexpr const char* default_gpu = "h200";

struct Target {
  bool on_gpu = false;
  simt::GpuSpec gpu;  // the GPU that runs it, or whose limits the emulator uses
};

// A GPU of --gpu that is not this machine's is emulated. Throws Error (unavailable) for --backend
// gpu without a GPU, and Error (usage) for --backend gpu with another GPU in --gpu.
Target choose_target(const RunOptions& options);

}  // namespace gemm_tutor
