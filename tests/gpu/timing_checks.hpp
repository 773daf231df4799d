// What holds for every time, however fast the machine.
#pragma once

#include "catch.hpp"
#include "gpu/gpu.hpp"

namespace gemm_tutor {

inline void check_timing(const gpu::Timing& timing) {
  CHECK(timing.runs >= (timing.max_ms > 1000 ? 3 : 20));
  CHECK(timing.min_ms > 0);
  CHECK(timing.min_ms <= timing.median_ms);
  CHECK(timing.median_ms <= timing.max_ms);
}

}  // namespace gemm_tutor
