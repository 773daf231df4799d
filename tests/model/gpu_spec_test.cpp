#include "simt/gpu_spec.hpp"

#include <cmath>
#include <set>

#include "checks.hpp"
#include "simt/gpus/gpu_details.hpp"
#include "support/error.hpp"

using namespace gemm_tutor;
using namespace gemm_tutor::simt;

TEST_CASE("every GPU's peak is the one NVIDIA publishes") {
  const auto teraflops = [](const char* name) { return find_gpu(name).peak_flops() / 1e12; };
  CHECK(std::abs(teraflops("t4") - 8.1) < 0.05);
  CHECK(std::abs(teraflops("a100") - 19.5) < 0.05);
  CHECK(std::abs(teraflops("rtx3090") - 35.6) < 0.05);
  CHECK(std::abs(teraflops("h100") - 66.9) < 0.05);
  CHECK(std::abs(teraflops("h200") - 66.9) < 0.05);
  CHECK(std::abs(teraflops("rtx4090") - 82.6) < 0.05);
  CHECK(std::abs(teraflops("rtx5090") - 104.8) < 0.05);
  CHECK(std::abs(teraflops("a10") - 31.2) < 0.05);
  CHECK(std::abs(teraflops("l4") - 30.3) < 0.05);
  CHECK(std::abs(teraflops("l40s") - 91.6) < 0.05);
  CHECK(std::abs(teraflops("rtx3060") - 12.7) < 0.05);
  CHECK(std::abs(teraflops("rtx4060") - 15.1) < 0.05);
  CHECK(std::abs(teraflops("jetson-orin") - 5.3) < 0.05);
  CHECK(std::abs(teraflops("b200") - 75) < 1);  // published without a decimal
}

TEST_CASE("peaks of tensor cores are those that NVIDIA publishes, at the boost clock") {
  using enum Product;
  const auto is_near = [](const char* name, Product product, double teraflops) {
    INFO(name << ", product " << static_cast<int>(product));
    CHECK(find_gpu(name).peak_flops(product) / 1e12 == Approx(teraflops).epsilon(0.01));
  };
  is_near("t4", fp16_fp32, 65);
  is_near("a100", fp16_fp32, 312);
  is_near("a100", tf32, 156);
  is_near("a100", int8, 624);
  is_near("a100", fp64, 19.5);
  is_near("rtx3090", fp16, 142);
  is_near("rtx3090", fp16_fp32, 71);
  is_near("rtx-a6000", tf32, 77.4);
  is_near("a10", fp16_fp32, 125);
  is_near("rtx4090", fp8, 660.6);
  is_near("l4", int8, 242);
  is_near("l40s", fp16_fp32, 366);
  is_near("rtx5090", fp16_fp32, 209.5);
  is_near("jetson-orin", int8, 85);
  is_near("h200", fp64, 66.9);
  is_near("h100", fp16_fp32, 989 * 1.98 / 1.83);  // published for 1.83 GHz
  CHECK(find_gpu("t4").peak_flops(tf32) == 0);
  CHECK(find_gpu("rtx4090").peak_flops(fp64) == 0);  // not published
  CHECK(find_gpu("h100").peak_flops(none) == find_gpu("h100").peak_flops());
}

TEST_CASE("instructions of one warp reach a share of the tensor cores' rate") {
  using enum Product;
  const GpuDetails ampere = *find_gpu("a100").details, hopper = *find_gpu("h200").details;
  CHECK(ampere.mma_fmas(fp16_fp32, false) == 1024);
  CHECK(ampere.mma_fmas(fp16_fp32, true) == 1024);
  CHECK(hopper.mma_fmas(fp16_fp32, false) == Approx(2048 * 0.667));
  CHECK(hopper.mma_fmas(fp16_fp32, true) == 1024);
  CHECK(hopper.mma_fmas(fp64, false) == 128);
  CHECK(find_gpu("jetson-orin").details->mma_fmas(tf32, false) == 0);
}

TEST_CASE("an H200's facts are those measured on one") {
  const GpuSpec gpu = find_gpu("h200");
  CHECK(gpu.full_name == "NVIDIA H200");
  CHECK(gpu.architecture() == "sm_90");
  CHECK(gpu.multiprocessors == 132);
  CHECK(gpu.clock_ghz == 1.98);
  CHECK(gpu.memory_bandwidth == 4.8e12);
  CHECK(gpu.shared_bytes_per_multiprocessor == 233472);
  CHECK(gpu.shared_bytes_per_block_optin == 232448);
}

TEST_CASE("an architecture is written as the compiler takes it") {
  CHECK(find_gpu("t4").architecture() == "sm_75");
  CHECK(find_gpu("rtx5090").architecture() == "sm_120");
}

TEST_CASE("every GPU is complete, and has a name of its own") {
  std::set<std::string> names;
  for (const GpuSpec& gpu : known_gpus()) {
    INFO(gpu.name);
    CHECK(names.insert(gpu.name).second);
    CHECK(gpu.full_name.starts_with("NVIDIA "));
    CHECK(gpu.details->released.size() == 7);  // "2023-11"
    CHECK(gpu.max_threads_per_multiprocessor >= gpu.max_threads_per_block);
    CHECK(gpu.shared_bytes_per_block_optin >= gpu.shared_bytes_per_block);
    CHECK(gpu.memory_bandwidth > 1e11);
    CHECK(find_gpu(gpu.name).full_name == gpu.full_name);
  }
  CHECK(names.size() == 15);
}

TEST_CASE("GPUs are in the order of their age") {
  CHECK(known_gpus().front().name == "t4");
  CHECK(known_gpus().back().name == "rtx5090");
}

TEST_CASE("what is farther away takes longer and delivers less") {
  for (const GpuSpec& gpu : known_gpus()) {
    INFO(gpu.name);
    const GpuDetails& times = *gpu.details;
    CHECK(times.shared_latency < times.l1_latency);
    CHECK(times.l1_latency < times.l2_latency);
    CHECK(times.l2_latency < times.dram_latency);
    CHECK(times.l1_bytes >= gpu.shared_bytes_per_multiprocessor);
    CHECK(times.l2_bytes > times.l1_bytes);
    const double cycles = gpu.clock_ghz * 1e9 * gpu.multiprocessors;  // of all SMs, per second
    CHECK(times.l1_bytes_per_cycle * cycles > times.l2_bandwidth);
    CHECK(times.l2_bytes_per_cycle_per_sm * cycles > times.l2_bandwidth);
    CHECK(times.l2_bandwidth > gpu.memory_bandwidth);
    CHECK(times.loaded_clock_ghz <= gpu.clock_ghz);
    CHECK(times.loaded_clock_ghz > 0.4 * gpu.clock_ghz);  // small power limits halve it
    if (times.light_clock_ghz > 0) CHECK(times.light_clock_ghz > times.loaded_clock_ghz);
  }
}

TEST_CASE("a GPU is known by what its driver calls it, else by the one most like it") {
  const auto nearest = [](std::string name, int major, int minor, int multiprocessors) {
    GpuSpec gpu;
    gpu.full_name = std::move(name);
    gpu.compute_major = major;
    gpu.compute_minor = minor;
    gpu.multiprocessors = multiprocessors;
    return nearest_gpu(gpu).name;
  };
  CHECK(known_by_driver_name("NVIDIA H200")->name == "h200");
  CHECK(known_by_driver_name("NVIDIA H100 80GB HBM3")->name == "h100");
  CHECK(known_by_driver_name("NVIDIA H100") == nullptr);
  CHECK(nearest("Tesla T4", 7, 5, 40) == "t4");
  CHECK(nearest("NVIDIA GeForce RTX 4070", 8, 9, 46) == "l4");
  CHECK(nearest("NVIDIA GeForce RTX 3070", 8, 6, 46) == "rtx3060");
  CHECK(nearest("NVIDIA GB300", 10, 3, 148) == "b200");
  CHECK(nearest("older than any", 7, 0, 80) == "t4");
}

TEST_CASE("a GPU is found whatever the case of its name, and an unknown one names the nearest") {
  CHECK(find_gpu("H200").name == "h200");
  CHECK(find_gpu("RTX4090").name == "rtx4090");
  const Error error = error_of([&] { find_gpu("h2000"); });
  CHECK(error.status() == ExitStatus::usage);
  CHECK(std::string(error.what()) == "there is no GPU named 'h2000'");
  CHECK(contains(error.help(), "Did you mean h200?"));
  CHECK(contains(error.help(), "rtx5090"));
  CHECK_THROWS_AS(find_gpu(""), Error);
}

TEST_CASE("a compute capability that a GPU does not have is refused, with one that has it") {
  CHECK(find_gpu("t4").compute_capability() == 75);
  CHECK_NOTHROW(require_capability(find_gpu("t4"), 0, "a kernel"));
  CHECK_NOTHROW(require_capability(find_gpu("h200"), 90, "a kernel"));
  const Error error = error_of([&] { require_capability(find_gpu("a100"), 90, "bulk_copy"); });
  CHECK(error.status() == ExitStatus::usage);
  CHECK(std::string(error.what()) ==
        "bulk_copy needs a GPU of compute capability 9.0 or newer, and the NVIDIA A100 SXM 80 GB "
        "has 8.0");
  CHECK(error.help() == "Choose another GPU with --gpu, such as --gpu h100.");
}
