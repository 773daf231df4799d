// Configurations tried on a GPU, where there is one.
#include "tune/gpu_trials.hpp"

#include <chrono>

#include "catch.hpp"
#include "gpu/gpu.hpp"
#include "support/error.hpp"
#include "tunable_lesson.hpp"
#include "tune/estimates.hpp"

using namespace gemm_tutor;

namespace {

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

SearchResult tuned(const Lesson& lesson, const Problem& problem) {
  const Kernel& kernel = lesson.kernels.front();
  const GpuSpec& gpu = gpu::status().spec;
  GpuTrials trials(lesson, kernel, gpu, problem);
  SearchRequest request;
  request.budget = 60;
  request.threads = 2;
  request.seconds = seconds;
  return search(ranked(kernel.configurations(gpu, problem), kernel.settings,
                       estimator_of(lesson, kernel, gpu, problem), 2),
                request, trials.trials());
}

}  // namespace

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
