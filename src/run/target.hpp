// Which machine a CUDA kernel runs on.
#pragma once

#include <string>

#include "model/gpu_spec.hpp"
#include "run/run.hpp"

namespace gemm_tutor {

// Whose limits are assumed where there is no GPU.
inline constexpr const char* default_gpu = "h200";

struct Target {
  bool on_gpu = false;
  GpuSpec gpu;  // the one that runs it, or whose limits the emulator assumes
};

// A GPU other than this machine's, named by --gpu, is emulated. Throws Error: (unavailable) for
// --backend gpu without a GPU, (usage) for --backend gpu with the --gpu of another.
Target choose_target(const RunOptions& options);

}  // namespace gemm_tutor
