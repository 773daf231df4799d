#include "results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "simt/gpus/gpu_details.hpp"
#include "simt/gpus/gpu_file.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"

namespace gemm_tutor::calibration {
namespace {

void set_value(simt::GpuSpec& gpu, const std::string& key, double value) {
  // To three digits: more would differ from run to run.
  const double scale = std::pow(10, 2 - std::floor(std::log10(value)));
  set_gpu_value(gpu, key, std::round(value * scale) / scale);
}

// What the driver says of a GPU, without l2_bytes, which a GpuSpec has among the times.
const std::vector<std::string> driver_keys = {"multiprocessors",
                                              "clock_ghz",
                                              "memory_bandwidth",
                                              "compute_major",
                                              "compute_minor",
                                              "max_threads_per_multiprocessor",
                                              "max_blocks_per_multiprocessor",
                                              "registers_per_multiprocessor",
                                              "shared_bytes_per_multiprocessor",
                                              "reserved_shared_bytes_per_block",
                                              "l2_bytes"};

// A source of the nearest GPU that does not say whose value it is.
std::string source_of(const std::string& source, const simt::GpuSpec& of) {
  return source.starts_with("as ") ? source : fmt::format("as the {}: {}", of.full_name, source);
}

}  // namespace

int nearest_power_of_two(double value) { return 1 << std::lround(std::log2(std::max(1.0, value))); }

int queue_length(const std::vector<double>& issued, double cycles) {
  for (std::size_t i = 1; i < issued.size(); ++i) {
    if (issued[i] - issued[i - 1] > 0.75 * cycles) return static_cast<int>(i);
  }
  return static_cast<int>(issued.size());
}

double median_pause(std::vector<BlockTime> blocks) {
  std::ranges::sort(blocks, {}, [](const BlockTime& b) { return std::pair(b.sm, b.begin); });
  std::vector<double> pauses;
  for (std::size_t i = 1; i < blocks.size(); ++i) {
    if (blocks[i].sm != blocks[i - 1].sm) continue;
    pauses.push_back(static_cast<double>(blocks[i].begin - blocks[i - 1].end));
  }
  if (pauses.empty()) {
    throw Error(ExitStatus::unavailable, "no SM ran two blocks one after the other",
                "Let no other program use the GPU meanwhile.");
  }
  std::ranges::sort(pauses);
  return median(pauses);
}

simt::GpuSpec calibrated(const simt::GpuSpec& driver, const simt::GpuSpec& nearest,
                         const std::map<std::string, double>& measured, int l2_bytes,
                         const std::string& date) {
  simt::GpuSpec gpu = driver;
  gpu.details = nearest.details;
  gpu.fp32_lanes_per_multiprocessor = nearest.fp32_lanes_per_multiprocessor;
  own_details(gpu).l2_bytes = l2_bytes;
  const bool is_same = simt::known_by_driver_name(driver.full_name) == &nearest;
  simt::SourcedKeys here{fmt::format("measured on this GPU, {}, by scripts/calibrate", date), {}};
  for (const auto& [key, value] : measured) {
    set_value(gpu, key, value);
    here.keys.push_back(key);
  }
  std::vector<simt::SourcedKeys>& sources = own_details(gpu).sources;
  sources = {{fmt::format("the driver of this GPU, {}", date), driver_keys}, std::move(here)};
  for (simt::SourcedKeys kept : nearest.details->sources) {
    std::erase_if(kept.keys, [&](const std::string& key) {
      return measured.contains(key) || std::ranges::count(driver_keys, key) > 0;
    });
    if (kept.keys.empty()) continue;
    if (!is_same) kept.source = source_of(kept.source, nearest);
    sources.push_back(std::move(kept));
  }
  return gpu;
}

}  // namespace gemm_tutor::calibration
