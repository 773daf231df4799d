// Configurations of a kernel are estimated without a GPU.
#include "tune/estimates.hpp"

#include "catch.hpp"
#include "simt/compiler.hpp"
#include "support/error.hpp"
#include "tunable_lesson.hpp"

using namespace gemm_tutor;

namespace {

const Lesson& lesson() {
  static const Lesson tunable = tunable_lesson();
  return tunable;
}

Estimator on_h200(const Problem& problem) {
  return estimator_of(lesson(), lesson().kernels.front(), find_gpu("h200"), problem);
}

}  // namespace

TEST_CASE("a configuration's estimate is near the time that was recorded of it") {
  if (!compiler_status().has_assembler) SKIP_BECAUSE("this compiler makes no machine code");
  // docs/results/nvidia-h200.json: lesson 9's own settings.
  const auto estimate = on_h200({2048, 2048, 2048})(tile(128, 128, 8, 8, 8));
  REQUIRE(estimate.has_value());
  REQUIRE(estimate->is_reliable());
  CHECK(estimate->low_ms < 0.355232);
  CHECK(estimate->high_ms > 0.355232);
  CHECK(estimate->gpu == "NVIDIA H200");
}

TEST_CASE("a small problem leaves SMs idle, and small tiles fewer of them") {
  if (!compiler_status().has_assembler) SKIP_BECAUSE("this compiler makes no machine code");
  const Estimator of = on_h200({512, 512, 512});
  CHECK(of(tile(64, 64, 16, 4, 4))->median_ms < of(tile(128, 128, 16, 8, 8))->median_ms);
}

TEST_CASE(
    "lesson 14's orders of the sums are ranked as they were measured, and so are its blocks") {
  if (!compiler_status().has_assembler) SKIP_BECAUSE("this compiler makes no machine code");
  const Lesson& beyond = find_lesson("beyond-cublas");
  const Kernel& kernel = beyond.kernels.front();
  const Problem problem{2048, 2048, 2048};
  const GpuSpec gpu = find_gpu("h200");
  const Estimator estimator = estimator_of(beyond, kernel, gpu, problem);
  const auto milliseconds = [&](const std::string& setting, int value) {
    Settings settings = untuned_settings(kernel, gpu, problem);
    settings.set(setting, value);
    return estimator(settings)->median_ms;
  };
  // Of cuBLAS 102.3, 105.2 and 104.5 % (lessons/14-beyond-cublas/lesson.md).
  CHECK(milliseconds("ORDER", 1) > milliseconds("ORDER", 3));
  CHECK(milliseconds("ORDER", 3) > milliseconds("ORDER", 2));
  // 128 blocks have a tile each. 132 share them, which a second launch has to pay for.
  CHECK(milliseconds("BLOCKS", 132) > milliseconds("BLOCKS", 128));
}

TEST_CASE("a configuration that leaves its matrices has no estimate, and those after it have") {
  if (!compiler_status().has_assembler) SKIP_BECAUSE("this compiler makes no machine code");
  Lesson wrong = tunable_lesson();
  const std::string right = "const float* A, const float* B, float* C, int M, int N, int K) {";
  const std::size_t at = wrong.source.find(right);
  REQUIRE(at != std::string::npos);
  wrong.source.insert(at + right.size(), "\n  if (BK == 32) C[-1000000] = 0;");
  const Estimator of =
      estimator_of(wrong, wrong.kernels.front(), find_gpu("h200"), {256, 256, 256});
  for (int times = 0; times < 5; ++times) {
    CHECK_THROWS_AS(of(tile(64, 64, 32, 4, 4)), Error);
  }
  CHECK(of(tile(64, 64, 16, 4, 4)).has_value());
}

TEST_CASE("settings that cannot be compiled or launched have no estimate") {
  const Estimator of = on_h200({64, 64, 64});
  CHECK_THROWS_AS(of(tile(512, 512, 32, 8, 8)), Error);
  CHECK_THROWS_AS(of(tile(128, 128, 6, 8, 8)), Error);
}
