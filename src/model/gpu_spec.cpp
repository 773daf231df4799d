#include "model/gpu_spec.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "support/error.hpp"
#include "support/text.hpp"

namespace gemm_tutor {
namespace {

// Limits that all GPUs of one compute capability share: CUDA C++ Programming Guide, "Technical
// Specifications per Compute Capability". `shared_kib` of a multiprocessor; a block that asks for
// it may have all of it but what is reserved.
GpuSpec with_compute_capability(int major, int minor, int fp32_lanes, int threads, int blocks,
                                int shared_kib) {
  GpuSpec gpu;
  gpu.compute_major = major;
  gpu.compute_minor = minor;
  gpu.fp32_lanes_per_multiprocessor = fp32_lanes;
  gpu.max_threads_per_multiprocessor = threads;
  gpu.max_blocks_per_multiprocessor = blocks;
  gpu.shared_bytes_per_multiprocessor = shared_kib * 1024;
  gpu.reserved_shared_bytes_per_block = major >= 8 ? 1024 : 0;
  gpu.shared_bytes_per_block_optin =
      gpu.shared_bytes_per_multiprocessor - gpu.reserved_shared_bytes_per_block;
  return gpu;
}

GpuSpec turing() { return with_compute_capability(7, 5, 64, 1024, 16, 64); }
GpuSpec ampere_data_center() { return with_compute_capability(8, 0, 64, 2048, 32, 164); }
GpuSpec ampere_geforce() { return with_compute_capability(8, 6, 128, 1536, 16, 100); }
GpuSpec ada() { return with_compute_capability(8, 9, 128, 1536, 24, 100); }
GpuSpec hopper() { return with_compute_capability(9, 0, 128, 2048, 32, 228); }
GpuSpec blackwell_data_center() { return with_compute_capability(10, 0, 128, 2048, 32, 228); }
GpuSpec blackwell_geforce() { return with_compute_capability(12, 0, 128, 1536, 24, 100); }

GpuSpec product(GpuSpec gpu, std::string name, std::string full_name, int multiprocessors,
                double clock_ghz, double bandwidth_gb, const std::string& source) {
  gpu.name = std::move(name);
  gpu.full_name = std::move(full_name);
  gpu.multiprocessors = multiprocessors;
  gpu.clock_ghz = clock_ghz;
  gpu.memory_bandwidth = bandwidth_gb * 1e9;
  gpu.source = source + "; limits: CUDA C++ Programming Guide, compute capability " +
               fmt::format("{}.{}", gpu.compute_major, gpu.compute_minor);
  return gpu;
}

}  // namespace

std::string GpuSpec::architecture() const {
  return fmt::format("sm_{}{}", compute_major, compute_minor);
}

double GpuSpec::peak_flops() const {
  return 2.0 * multiprocessors * fp32_lanes_per_multiprocessor * clock_ghz * 1e9;
}

const std::vector<GpuSpec>& known_gpus() {
  static const std::vector<GpuSpec> gpus = {
      product(turing(), "t4", "NVIDIA T4", 40, 1.590, 320,
              "NVIDIA T4 datasheet and Turing architecture white paper"),
      product(ampere_data_center(), "a100", "NVIDIA A100 SXM 80 GB", 108, 1.410, 2039,
              "NVIDIA A100 80 GB datasheet and A100 architecture white paper"),
      product(ampere_geforce(), "rtx3090", "NVIDIA GeForce RTX 3090", 82, 1.695, 936,
              "NVIDIA Ampere GA102 architecture white paper"),
      product(hopper(), "h100", "NVIDIA H100 SXM", 132, 1.980, 3352,
              "NVIDIA H100 datasheet and H100 architecture white paper; clock and bandwidth as the "
              "driver reports them"),
      product(ada(), "rtx4090", "NVIDIA GeForce RTX 4090", 128, 2.520, 1008,
              "NVIDIA Ada architecture white paper"),
      product(hopper(), "h200", "NVIDIA H200", 132, 1.980, 4800,
              "NVIDIA H200 datasheet; clock as the driver reports it"),
      product(
          blackwell_data_center(), "b200", "NVIDIA B200", 148, 1.965, 7672,
          "NVIDIA Blackwell datasheet (HGX B200); clock and bandwidth as the driver reports them"),
      product(blackwell_geforce(), "rtx5090", "NVIDIA GeForce RTX 5090", 170, 2.407, 1792,
              "NVIDIA RTX Blackwell architecture white paper"),
  };
  return gpus;
}

const GpuSpec& find_gpu(std::string_view name) {
  const std::string wanted = lower_case(name);
  std::vector<std::string> names;
  for (const GpuSpec& gpu : known_gpus()) {
    if (gpu.name == wanted) return gpu;
    names.push_back(gpu.name);
  }
  const std::string near = near_name(wanted, names);
  throw Error(ExitStatus::usage, fmt::format("there is no GPU named '{}'", name),
              fmt::format("{}Known are {}.", near.empty() ? "" : "Did you mean " + near + "? ",
                          join(names)));
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

}  // namespace gemm_tutor
