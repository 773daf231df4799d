#include "checks.hpp"
#include "gpu/gpu.hpp"
#include "simt/gpus/gpu_details.hpp"
#include "support/error.hpp"

using namespace gemm_tutor;

TEST_CASE("without a GPU the status says why and what to do, and so does a session") {
  const gpu::Status& status = gpu::status();
  if (status.available) SKIP_BECAUSE("this machine has a GPU");
  CHECK_FALSE(status.problem.empty());
  CHECK_FALSE(status.help.empty());
  const std::vector<float> one(1);
  const Error error = error_of([&] { gpu::Session session({1, 1, 1}, one, one); });
  CHECK(error.status() == ExitStatus::unavailable);
  CHECK(error.what() == status.problem);
  CHECK(error.help() == status.help);
}

TEST_CASE("the status describes the GPU") {
  const gpu::Status& status = gpu::status();
  if (!status.available) SKIP_BECAUSE(status.problem);
  CHECK(status.problem.empty());
  CHECK(status.driver.find('.') != std::string::npos);
  CHECK(status.total_memory >= std::size_t{1} << 30);
  CHECK(status.free_memory > 0);
  CHECK(status.free_memory <= status.total_memory);
  CHECK(status.cublas_available == !status.cublas_version.empty());
  CHECK(status.cublas_available == status.cublas_problem.empty());

  const simt::GpuSpec& spec = status.spec;
  CHECK_FALSE(spec.full_name.empty());
  CHECK_FALSE(spec.name.empty());
  CHECK(spec.name.find(' ') == std::string::npos);
  CHECK(spec.compute_major >= 5);
  CHECK(spec.multiprocessors >= 1);
  CHECK(spec.clock_ghz > 0.3);
  CHECK(spec.clock_ghz < 5);
  CHECK(spec.memory_bandwidth > 1e10);
  CHECK(spec.memory_bandwidth < 1e14);
  CHECK(spec.warp_size == 32);
  CHECK(spec.max_threads_per_block == 1024);
  CHECK(spec.max_threads_per_multiprocessor >= spec.max_threads_per_block);
  CHECK(spec.max_blocks_per_multiprocessor >= 1);
  CHECK(spec.shared_bytes_per_block == 48 * 1024);
  CHECK(spec.shared_bytes_per_block_optin >= spec.shared_bytes_per_block);
  CHECK(spec.shared_bytes_per_multiprocessor >=
        spec.shared_bytes_per_block_optin + spec.reserved_shared_bytes_per_block);
}

TEST_CASE("what is known of a GPU by its name is what its driver says") {
  const gpu::Status& status = gpu::status();
  if (!status.available) SKIP_BECAUSE(status.problem);
  const simt::GpuSpec& driver = status.spec;
  for (const simt::GpuSpec& known : known_gpus()) {
    if (&known != simt::known_by_driver_name(driver.full_name)) continue;
    CHECK(known.compute_major == driver.compute_major);
    CHECK(known.compute_minor == driver.compute_minor);
    CHECK(known.multiprocessors == driver.multiprocessors);
    CHECK(known.fp32_lanes_per_multiprocessor == driver.fp32_lanes_per_multiprocessor);
    CHECK(known.max_threads_per_block == driver.max_threads_per_block);
    CHECK(known.max_threads_per_multiprocessor == driver.max_threads_per_multiprocessor);
    CHECK(known.max_blocks_per_multiprocessor == driver.max_blocks_per_multiprocessor);
    CHECK(known.registers_per_multiprocessor == driver.registers_per_multiprocessor);
    CHECK(known.registers_per_block == driver.registers_per_block);
    CHECK(known.shared_bytes_per_multiprocessor == driver.shared_bytes_per_multiprocessor);
    CHECK(known.shared_bytes_per_block == driver.shared_bytes_per_block);
    CHECK(known.shared_bytes_per_block_optin == driver.shared_bytes_per_block_optin);
    CHECK(known.reserved_shared_bytes_per_block == driver.reserved_shared_bytes_per_block);
    return;
  }
  SKIP_BECAUSE(driver.full_name + " is not known by name");
}
