#include "benchmarks/calibrate/results.hpp"

#include <algorithm>
#include <map>

#include "catch.hpp"
#include "simt/gpus/gpu_details.hpp"
#include "simt/gpus/gpu_file.hpp"
#include "support/error.hpp"

using namespace gemm_tutor::simt;

namespace gemm_tutor::calibration {
namespace {

std::string source_of(const GpuSpec& gpu, const std::string& key) {
  for (const SourcedKeys& sourced : gpu.details->sources) {
    if (std::ranges::count(sourced.keys, key) > 0) return sourced.source;
  }
  return "";
}

// An RTX 4070, as its driver describes it.
GpuSpec driver_gpu() {
  GpuSpec gpu = find_gpu("rtx4090");
  gpu.name = "geforce-rtx-4070";
  gpu.full_name = "NVIDIA GeForce RTX 4070";
  gpu.multiprocessors = 46;
  own_details(gpu).sources.clear();
  return gpu;
}

}  // namespace

TEST_CASE("lanes are the power of two that was nearly measured") {
  CHECK(nearest_power_of_two(15.7) == 16);
  CHECK(nearest_power_of_two(31.1) == 32);
  CHECK(nearest_power_of_two(60.4) == 64);
  CHECK(nearest_power_of_two(127.2) == 128);
  CHECK(nearest_power_of_two(0.2) == 1);
}

TEST_CASE("a queue is as long as loads are issued faster than in the long run") {
  CHECK(queue_length({0, 2, 4, 6, 8, 12, 16, 20}, 4) == 5);
  CHECK(queue_length({0, 2, 4, 6}, 4) == 4);  // or longer
  CHECK(queue_length({0, 4, 8}, 4) == 1);
}

TEST_CASE("a pause is from a block's end to the next one's beginning on the same SM") {
  CHECK(median_pause({{0, 100, 200}, {1, 5000, 5100}, {0, 700, 900}, {0, 250, 600}}) == 75);
  CHECK_THROWS_AS(median_pause({{0, 100, 200}, {1, 250, 300}}), Error);
}

TEST_CASE("a calibrated GPU says of each value whether it was measured, and is read again") {
  const std::map<std::string, double> measured = {{"l2_latency", 271.4}, {"memory_queue", 5}};
  const GpuSpec& nearest = nearest_gpu(driver_gpu());
  CHECK(nearest.name == "l4");
  const GpuSpec gpu = calibrated(driver_gpu(), nearest, measured, 36 << 20, "2026-12-01");
  const GpuSpec again = read_gpu(written_gpu(gpu), "again.toml");
  CHECK(again.full_name == "NVIDIA GeForce RTX 4070");
  CHECK(again.multiprocessors == 46);
  CHECK(again.details->l2_bytes == 36 << 20);
  CHECK(again.details->l2_latency == 271);
  CHECK(again.details->memory_queue == 5);
  CHECK(again.details->l1_latency == nearest.details->l1_latency);
  CHECK(source_of(again, "l2_latency") == "measured on this GPU, 2026-12-01, by scripts/calibrate");
  CHECK(source_of(again, "multiprocessors") == "the driver of this GPU, 2026-12-01");
  CHECK(source_of(again, "l1_latency").starts_with("as measured on the NVIDIA L40"));
  CHECK(source_of(again, "schedulers").starts_with("as the NVIDIA L4: NVIDIA Ada"));
}

TEST_CASE("what is known of the same GPU keeps its source") {
  GpuSpec driver = find_gpu("h200");
  own_details(driver).sources.clear();
  const GpuSpec gpu = calibrated(driver, nearest_gpu(driver), {}, 60 << 20, "2026-12-01");
  CHECK(source_of(gpu, "l2_latency") == "measured on this GPU, 2026-11-23, by scripts/calibrate");
}

}  // namespace gemm_tutor::calibration
