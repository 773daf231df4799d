// Configurations of a kernel are estimated without a GPU, and measured where there is one.
#include "tune/tuning.hpp"

#include <chrono>

#include "catch.hpp"
#include "gpu/gpu.hpp"
#include "simt/compiler.hpp"
#include "support/error.hpp"

using namespace gemm_tutor;

namespace {

Settings tile(int bm, int bn, int bk, int tm, int tn) {
  return {{"BM", bm}, {"BN", bn}, {"BK", bk}, {"TM", tm}, {"TN", tn}};
}

std::vector<Settings> some_configurations() {
  return {tile(128, 128, 8, 8, 8), tile(64, 64, 16, 4, 4), tile(64, 64, 16, 8, 8),
          tile(128, 128, 16, 8, 8), tile(64, 64, 32, 4, 4)};
}

// A lesson with a kernel that can be tuned: lesson 9's, with a few configurations.
Lesson tunable_lesson() {
  Lesson lesson = find_lesson("9");
  lesson.kernels.resize(1);
  lesson.kernels.front().configurations = [](const simt::GpuSpec&, const Problem&) {
    return some_configurations();
  };
  return lesson;
}

using Estimator = std::function<std::optional<simt::Estimate>(const Settings&)>;

Estimator on_h200(const Lesson& lesson, const Problem& problem) {
  return estimates_of({lesson, lesson.kernels.front()}, simt::find_gpu("h200"), problem).estimate;
}

Estimator on_h200(const Problem& problem) {
  static const Lesson tunable = tunable_lesson();
  return on_h200(tunable, problem);
}

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

SearchResult tuned(const Lesson& lesson, const Problem& problem) {
  const Kernel& kernel = lesson.kernels.front();
  const simt::GpuSpec& gpu = gpu::status().spec;
  const SearchRequest request{.configurations = kernel.configurations(gpu, problem),
                              .own = kernel.settings,
                              .budget = 60,
                              .threads = 2,
                              .seconds = seconds};
  return search(request, trials_on_gpu({lesson, kernel}, gpu, problem));
}

}  // namespace

TEST_CASE("a configuration's estimate is near the time that was recorded of it") {
  if (!simt::compiler_status().has_assembler) SKIP_BECAUSE("this compiler makes no machine code");
  // docs/results/nvidia-h200.json: lesson 9's own settings.
  const auto estimate = on_h200({2048, 2048, 2048})(tile(128, 128, 8, 8, 8));
  REQUIRE(estimate.has_value());
  REQUIRE(estimate->is_reliable());
  CHECK(estimate->low_ms < 0.355232);
  CHECK(estimate->high_ms > 0.355232);
  CHECK(estimate->gpu == "NVIDIA H200");
}

TEST_CASE("a small problem leaves SMs idle, and small tiles fewer of them") {
  if (!simt::compiler_status().has_assembler) SKIP_BECAUSE("this compiler makes no machine code");
  const Estimator of = on_h200({512, 512, 512});
  CHECK(of(tile(64, 64, 16, 4, 4))->median_ms < of(tile(128, 128, 16, 8, 8))->median_ms);
}

TEST_CASE(
    "lesson 14's orders of the sums are ranked as they were measured, and so are its blocks") {
  if (!simt::compiler_status().has_assembler) SKIP_BECAUSE("this compiler makes no machine code");
  const Lesson& beyond = find_lesson("beyond-cublas");
  const Kernel& kernel = beyond.kernels.front();
  const Problem problem{2048, 2048, 2048};
  const simt::GpuSpec gpu = simt::find_gpu("h200");
  const Estimator estimator = on_h200(beyond, problem);
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
  if (!simt::compiler_status().has_assembler) SKIP_BECAUSE("this compiler makes no machine code");
  Lesson wrong = tunable_lesson();
  const std::string right = "const float* A, const float* B, float* C, int M, int N, int K) {";
  const std::size_t at = wrong.source.find(right);
  REQUIRE(at != std::string::npos);
  wrong.source.insert(at + right.size(), "\n  if (BK == 32) C[-1000000] = 0;");
  const Estimator of = on_h200(wrong, {256, 256, 256});
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

TEST_CASE("the size with edges has parts of tiles, in the alignment of the problem") {
  LaunchShape shape;
  shape.tile_rows = 128;
  shape.tile_columns = 64;
  shape.tile_depth = 16;
  for (const Problem problem : {Problem{4096, 4096, 4096}, {4095, 4097, 4098}, {512, 511, 512}}) {
    const Problem edges = problem_with_edges(shape, problem);
    CHECK(edges.m % shape.tile_rows != 0);
    CHECK(edges.n % shape.tile_columns != 0);
    CHECK(edges.k % shape.tile_depth != 0);
    CHECK(edges.m > shape.tile_rows);
    CHECK(edges.n > shape.tile_columns);
    CHECK((edges.n % 4 == 0) == (problem.n % 4 == 0));
    CHECK((edges.k % 4 == 0) == (problem.k % 4 == 0));
  }
}

TEST_CASE("every configuration is measured on the GPU, beside cuBLAS") {
  if (!gpu::status().available) SKIP_BECAUSE(gpu::status().problem);
  const Lesson lesson = tunable_lesson();
  for (const Problem problem : {Problem{1024, 1024, 1024}, {999, 1001, 500}}) {
    const SearchResult result = tuned(lesson, problem);
    for (const Candidate& candidate : result.candidates) {
      INFO(lesson.kernels.front().name_expression(candidate.settings, problem));
      CHECK(candidate.failure == "");
      REQUIRE(candidate.measured());
      CHECK(candidate.median_ms() > 0);
      CHECK(candidate.percent_of_cublas().has_value() == gpu::status().cublas_available);
    }
  }
}

TEST_CASE("a configuration with a wrong result is found on the way to the GPU") {
  if (!gpu::status().available) SKIP_BECAUSE(gpu::status().problem);
  Lesson lesson = tunable_lesson();
  const std::string right = "sum[i][j] +=";
  const std::size_t at = lesson.source.find(right);
  REQUIRE(at != std::string::npos);
  lesson.source.replace(at, right.size(), "sum[i][j] += 0.5f *");
  const SearchResult result = tuned(lesson, {512, 512, 512});
  CHECK(result.winner() == nullptr);
  for (const Candidate& candidate : result.candidates) CHECK(candidate.failure != "");
}
