#include "simt/gpu_spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <tuple>

#include "simt/gpus/gpu_details.hpp"
#include "simt/gpus/gpu_file.hpp"
#include "support/error.hpp"
#include "support/file.hpp"
#include "support/text.hpp"

namespace gemm_tutor::simt {
namespace {

std::vector<GpuSpec> read_embedded_gpus() {
  std::vector<GpuSpec> gpus;
  for (const GpuFile& file : embedded_gpu_files()) {
    gpus.push_back(read_gpu(file.text, file.name));
  }
  std::ranges::stable_sort(gpus, {}, [](const GpuSpec& gpu) { return gpu.details->released; });
  return gpus;
}

bool is_file_name(std::string_view name) {
  return name.find('/') != name.npos || name.ends_with(".toml");
}

GpuSpec gpu_of_file(const std::string& path) {
  if (const auto text = read_file(path)) {
    GpuSpec gpu = read_gpu(*text, path);
    gpu.name = path;  // what --gpu takes
    return gpu;
  }
  throw Error(ExitStatus::usage, fmt::format("the file '{}' of a GPU cannot be read", path),
              "Give the path of a file, or the name of a known GPU, such as h200.");
}

}  // namespace

int GpuDetails::tensor_fmas(Product product) const {
  using enum Product;
  switch (product) {
    case none:
      break;
    case fp16:
      return tensor_fp16_fmas;
    case fp16_fp32:
      return tensor_fp16_fp32_fmas;
    case tf32:
      return tensor_tf32_fmas;
    case int8:
      return tensor_int8_fmas;
    case fp8:
      return tensor_fp8_fmas;
    case fp8_fp32:
      return tensor_fp8_fp32_fmas;
    case fp64:
      return tensor_fp64_fmas;
  }
  return 0;
}

// Products of several warps, which reach more, are not for FP64.
double GpuDetails::mma_fmas(Product product, bool is_shallow) const {
  const int all = tensor_fmas(product);
  if (product == Product::fp64) return all;
  return all * (is_shallow && shallow_mma_share > 0 ? shallow_mma_share : mma_share);
}

const GpuDetails& details_of(const GpuSpec& gpu) {
  static const GpuDetails none;
  return gpu.details ? *gpu.details : none;
}

std::string GpuSpec::architecture() const {
  return fmt::format("sm_{}{}", compute_major, compute_minor);
}

double GpuSpec::peak_flops(Product product) const {
  const int fmas = product == Product::none ? fp32_lanes_per_multiprocessor
                                            : details_of(*this).tensor_fmas(product);
  return 2.0 * multiprocessors * fmas * clock_ghz * 1e9;
}

const std::vector<GpuSpec>& known_gpus() {
  static const std::vector<GpuSpec> gpus = read_embedded_gpus();
  return gpus;
}

GpuSpec find_gpu(std::string_view name) {
  if (is_file_name(name)) return gpu_of_file(std::string(name));
  const std::string wanted = lower_case(name);
  std::vector<std::string> names;
  for (const GpuSpec& gpu : known_gpus()) {
    if (gpu.name == wanted) return gpu;
    names.push_back(gpu.name);
  }
  const std::string near = near_name(wanted, names);
  throw Error(ExitStatus::usage, fmt::format("there is no GPU named '{}'", name),
              fmt::format("{}Known are {}, and files such as ./mine.toml.",
                          near.empty() ? "" : "Did you mean " + near + "? ", join(names)));
}

const GpuSpec* known_by_driver_name(std::string_view driver_name) {
  for (const GpuSpec& known : known_gpus()) {
    if (known.full_name == driver_name) return &known;
    if (std::ranges::count(known.details->driver_names, driver_name) > 0) return &known;
  }
  return nullptr;
}

const GpuSpec& nearest_gpu(const GpuSpec& gpu) {
  if (const GpuSpec* same = known_by_driver_name(gpu.full_name)) return *same;
  const auto distance = [&](const GpuSpec& known) {
    const int newer = known.compute_capability() - gpu.compute_capability();
    return std::tuple(newer > 0, std::abs(newer),
                      std::abs(known.multiprocessors - gpu.multiprocessors));
  };
  return *std::ranges::min_element(known_gpus(), {}, distance);
}

void set_details(GpuSpec& gpu) {
  const GpuSpec& nearest = nearest_gpu(gpu);
  gpu.details = nearest.details;
  GpuDetails& own = own_details(gpu);
  own.loaded_clock_ghz = std::min(own.loaded_clock_ghz, gpu.clock_ghz);
  if (nearest.name != gpu.name) {  // these are another board's
    own.light_clock_ghz = own.tensor_clock_ghz = own.tensor_busy_ghz = 0;
  }
}

void require_capability(const GpuSpec& gpu, int capability, std::string_view what) {
  if (gpu.compute_capability() >= capability) return;
  const auto suits = [&](const GpuSpec& other) { return other.compute_capability() >= capability; };
  const auto other = std::ranges::find_if(known_gpus(), suits);
  throw Error(ExitStatus::usage,
              fmt::format("{} needs a GPU of compute capability {}.{} or newer, and the {} has "
                          "{}.{}",
                          what, capability / 10, capability % 10, gpu.full_name, gpu.compute_major,
                          gpu.compute_minor),
              other == known_gpus().end()
                  ? "No GPU known by name has it."
                  : fmt::format("Choose another GPU with --gpu, such as --gpu {}.", other->name));
}

}  // namespace gemm_tutor::simt
