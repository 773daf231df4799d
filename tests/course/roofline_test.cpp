#include "course/ladder.hpp"

#include "catch.hpp"

using namespace gemm_tutor;

TEST_CASE("under the ridge bandwidth is the limit, above it arithmetic") {
  simt::GpuSpec gpu;
  gpu.multiprocessors = 10;
  gpu.clock_ghz = 1;
  gpu.fp32_lanes_per_multiprocessor = 100;  // 2·10·100 FLOP a ns
  gpu.memory_bandwidth = 500e9;
  CHECK(gpu.peak_flops() == 2e12);
  CHECK(ridge_intensity(gpu) == 4);
  CHECK(attainable_flops(gpu, 1) == 0.5e12);
  CHECK(attainable_flops(gpu, 4) == 2e12);
  CHECK(attainable_flops(gpu, 100) == 2e12);
}
