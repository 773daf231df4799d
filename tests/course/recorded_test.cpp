#include "course/recorded.hpp"

#include <nlohmann/json.hpp>

#include "course_checks.hpp"

namespace gemm_tutor {
namespace {

// As scripts/record-results writes it.
constexpr const char* recorded_result = R"({
  "device": "NVIDIA H200", "driver": "580.159.04", "date": "2026-11-21", "clocks": "1980 MHz",
  "runs": [
    {"kernel": "naive_coalesced", "m": 64, "n": 32, "k": 16, "median_ms": 0.5},
    {"kernel": "shared_memory_tile", "m": 64, "n": 64, "k": 64, "settings": {"BM": 32},
     "runs": 50, "median_ms": 1.5, "spread_percent": 0.5, "cublas_median_ms": 0.3}
  ],
  "passes": [
    {"kernel": "naive_coalesced", "m": 64, "n": 64, "k": 64, "median_ms": [2.0, 2.0, 2.0],
     "cublas_median_ms": [1.0, 1.0, 1.0]},
    {"kernel": "shared_memory_tile", "m": 64, "n": 64, "k": 64, "median_ms": [1.0, 1.0, 1.0],
     "cublas_median_ms": [0.6, 0.7, 0.8]},
    {"kernel": "thread_tile", "m": 64, "n": 64, "k": 64, "median_ms": [1.0],
     "cublas_median_ms": [0.6]}
  ]})";

std::optional<RecordedTiming> find(std::string_view kernel, const Problem& problem,
                                   std::string_view device = "NVIDIA H200") {
  return recorded_timing(kernel, problem, device, {recorded_result});
}

}  // namespace

TEST_CASE("a recorded time is found by kernel, size and device") {
  const auto found = find("shared_memory_tile", {64, 64, 64});
  REQUIRE(found);
  CHECK(found->device == "NVIDIA H200");
  CHECK(found->driver == "580.159.04");
  CHECK(found->date == "2026-11-21");
  CHECK(found->median_ms == 1.5);
  CHECK(found->tflops == Approx(2.0 * 64 * 64 * 64 / 1.5e9));
  REQUIRE(found->percent_of_cublas);
  CHECK(*found->percent_of_cublas == Approx(20));

  const auto other = find("naive_coalesced", {64, 32, 16});
  REQUIRE(other);
  CHECK(other->median_ms == 0.5);
  CHECK_FALSE(other->percent_of_cublas);
}

TEST_CASE("what was not recorded is not found") {
  CHECK_FALSE(find("naive_coalesced", {64, 64, 64}));
  CHECK_FALSE(find("naive_coalesced", {16, 32, 64}));
  CHECK_FALSE(find("naive", {64, 32, 16}));
  CHECK_FALSE(find("shared_memory_tile", {64, 64, 64}, "NVIDIA A100"));
  CHECK_FALSE(recorded_timing("shared_memory_tile", {64, 64, 64}, "NVIDIA H200", {}));
}

TEST_CASE("a gain is the mean difference of passes, with its standard deviation") {
  const auto gain = [](std::string_view kernel, std::string_view other, const Problem& problem) {
    return recorded_gain(kernel, other, problem, "NVIDIA H200", {recorded_result});
  };
  const auto found = gain("shared_memory_tile", "naive_coalesced", {64, 64, 64});
  REQUIRE(found);
  CHECK(found->points == Approx(20));
  CHECK(found->deviation == Approx(10));
  CHECK(gain("naive_coalesced", "shared_memory_tile", {64, 64, 64})->points == Approx(-20));
  CHECK_FALSE(gain("thread_tile", "naive_coalesced", {64, 64, 64}));  // not of the same passes
  CHECK_FALSE(gain("thread_tile", "thread_tile", {64, 64, 64}));      // one is no spread
  CHECK_FALSE(gain("shared_memory_tile", "naive_coalesced", {64, 64, 63}));
}

TEST_CASE("the embedded results can all be read") {
  for (const char* text : embedded_results()) {
    const auto json = nlohmann::json::parse(text);
    const std::string device = json.at("device");
    for (const auto& run : json.at("runs")) {
      const std::string kernel = run.at("kernel");
      INFO(device << " " << kernel);
      CHECK(recorded_timing(kernel, {run.at("m"), run.at("n"), run.at("k")}, device));
    }
  }
}

TEST_CASE("a recorded time stands only beside the settings that were timed") {
  const Lesson& lesson = find_lesson("shared-memory-tile");
  Settings settings = lesson.kernels.front().settings;
  settings.set("BK", 64);
  CHECK_FALSE(
      run_kernel(lesson, lesson.kernels.front(), settings, on_emulator({64, 64, 64})).recorded);
}

}  // namespace gemm_tutor
