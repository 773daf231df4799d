#include "model/gpu_spec.hpp"

#include <cmath>
#include <set>

#include "catch.hpp"
#include "support/error.hpp"

using namespace gemm_tutor;

TEST_CASE("every GPU's peak is the one NVIDIA publishes") {
  const auto teraflops = [](const char* name) { return find_gpu(name).peak_flops() / 1e12; };
  CHECK(std::abs(teraflops("t4") - 8.1) < 0.05);
  CHECK(std::abs(teraflops("a100") - 19.5) < 0.05);
  CHECK(std::abs(teraflops("rtx3090") - 35.6) < 0.05);
  CHECK(std::abs(teraflops("h100") - 66.9) < 0.05);
  CHECK(std::abs(teraflops("h200") - 66.9) < 0.05);
  CHECK(std::abs(teraflops("rtx4090") - 82.6) < 0.05);
  CHECK(std::abs(teraflops("rtx5090") - 104.8) < 0.05);
  CHECK(std::abs(teraflops("b200") - 75) < 1);  // published without a decimal
}

TEST_CASE("an H200's facts are those measured on one") {
  const GpuSpec& gpu = find_gpu("h200");
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

TEST_CASE("every GPU is complete, has a name of its own and says where its numbers come from") {
  std::set<std::string> names;
  for (const GpuSpec& gpu : known_gpus()) {
    INFO(gpu.name);
    CHECK(names.insert(gpu.name).second);
    CHECK(gpu.source.find("NVIDIA") != std::string::npos);
    CHECK(gpu.max_threads_per_multiprocessor >= gpu.max_threads_per_block);
    CHECK(gpu.shared_bytes_per_block_optin >= gpu.shared_bytes_per_block);
    CHECK(gpu.memory_bandwidth > 1e11);
    CHECK(&find_gpu(gpu.name) == &gpu);
  }
  CHECK(names.size() == 8);
}

TEST_CASE("a GPU is found whatever the case of its name, and an unknown one names the nearest") {
  CHECK(find_gpu("H200").name == "h200");
  CHECK(find_gpu("RTX4090").name == "rtx4090");
  try {
    find_gpu("h2000");
    FAIL("found");
  } catch (const Error& error) {
    CHECK(error.status() == ExitStatus::usage);
    CHECK(std::string(error.what()) == "there is no GPU named 'h2000'");
    CHECK(error.help().find("Did you mean h200?") != std::string::npos);
    CHECK(error.help().find("rtx5090") != std::string::npos);
  }
  CHECK_THROWS_AS(find_gpu(""), Error);
}

TEST_CASE("a compute capability that a GPU does not have is refused, with one that has it") {
  CHECK(find_gpu("t4").compute_capability() == 75);
  CHECK_NOTHROW(require_capability(find_gpu("t4"), 0, "a kernel"));
  CHECK_NOTHROW(require_capability(find_gpu("h200"), 90, "a kernel"));
  try {
    require_capability(find_gpu("a100"), 90, "bulk_copy");
    FAIL("not refused");
  } catch (const Error& error) {
    CHECK(error.status() == ExitStatus::usage);
    CHECK(std::string(error.what()) ==
          "bulk_copy needs a GPU of compute capability 9.0 or newer, and the NVIDIA A100 SXM 80 GB "
          "has 8.0");
    CHECK(error.help() == "Choose another GPU with --gpu, such as --gpu h100.");
  }
}
