#include <algorithm>

#include "checks.hpp"
#include "gemm/matrices.hpp"
#include "gpu/gpu.hpp"
#include "ptx_kernels.hpp"
#include "support/error.hpp"
#include "timing_checks.hpp"

using namespace gemm_tutor;

namespace {

const Problem problem{50, 20, 30};

gpu::Session session() {
  const Matrices matrices = make_matrices(problem, 1);
  return {problem, matrices.a, matrices.b};
}

// Enough threads for C, in blocks of `threads`.
simt::Launch launch(std::uint32_t threads, std::uint32_t dynamic_shared_bytes = 0) {
  const auto elements = static_cast<std::uint32_t>(problem.c_elements());
  return {{(elements + threads - 1) / threads}, {threads}, dynamic_shared_bytes};
}

bool is_unwritten(const std::vector<float>& c) {
  return std::ssize(c) == problem.c_elements() && std::all_of(c.begin(), c.end(), is_poison);
}

// The error of `action`, which must throw one that says the GPU cannot do it.
template <class Action>
std::string unavailable(const Action& action) {
  const Error error = error_of(action);
  CHECK(error.status() == ExitStatus::unavailable);
  CHECK_FALSE(error.help().empty());
  return error.what();
}

}  // namespace

TEST_CASE("a kernel gets A, B, C, M, N and K, and what it writes to C comes back") {
  if (!gpu::status().available) SKIP_BECAUSE(gpu::status().problem);
  const Matrices matrices = make_matrices(problem, 7);
  gpu::Session copying(problem, matrices.a, matrices.b);
  const std::vector<float> first(matrices.a.begin(), matrices.a.begin() + problem.c_elements());
  CHECK(copying.run(gpu::ptx_kernel("copy_a", launch(128))) == first);
}

TEST_CASE("an element that a kernel leaves out is known by its poison, whatever C held before") {
  if (!gpu::status().available) SKIP_BECAUSE(gpu::status().problem);
  gpu::Session on_gpu = session();
  CHECK(is_unwritten(on_gpu.run(gpu::ptx_kernel("leave_c", launch(64)))));
  CHECK_FALSE(is_unwritten(on_gpu.run(gpu::ptx_kernel("copy_a", launch(64)))));
  CHECK(is_unwritten(on_gpu.run(gpu::ptx_kernel("leave_c", launch(64)))));

  // One block of several: only its elements are written.
  simt::Launch one_block = launch(64);
  one_block.grid.x = 1;
  const std::vector<float> c = on_gpu.run(gpu::ptx_kernel("copy_a", one_block));
  CHECK(std::count_if(c.begin(), c.end(), is_poison) == problem.c_elements() - 64);
  CHECK(std::none_of(c.begin(), c.begin() + 64, is_poison));
}

TEST_CASE("a session can be moved") {
  if (!gpu::status().available) SKIP_BECAUSE(gpu::status().problem);
  gpu::Session first = session();
  gpu::Session second = std::move(first);
  first = session();
  second = std::move(first);
  CHECK(is_unwritten(second.run(gpu::ptx_kernel("leave_c", launch(32)))));
}

TEST_CASE("a kernel is timed, and cuBLAS beside it where it is there") {
  if (!gpu::status().available) SKIP_BECAUSE(gpu::status().problem);
  const gpu::KernelTiming timing = session().time(gpu::ptx_kernel("copy_a", launch(256)));
  check_timing(timing.kernel);
  if (gpu::status().cublas_available) {
    check_timing(timing.cublas);
  } else {
    CHECK(timing.cublas.runs == 0);
  }
}

TEST_CASE("timing is stopped between runs, and the session goes on") {
  if (!gpu::status().available) SKIP_BECAUSE(gpu::status().problem);
  gpu::Session on_gpu = session();
  Activity activity;
  activity.stop();
  CHECK_THROWS_AS(on_gpu.time(gpu::ptx_kernel("copy_a", launch(256)), &activity), Interrupted);
  check_timing(on_gpu.time(gpu::ptx_kernel("copy_a", launch(256))).kernel);
}

TEST_CASE("the driver tells how many blocks of a small kernel an SM holds") {
  if (!gpu::status().available) SKIP_BECAUSE(gpu::status().problem);
  const simt::GpuSpec& spec = gpu::status().spec;
  gpu::Session on_gpu = session();
  const auto blocks = [&](const simt::Launch& shape) {
    return on_gpu.active_blocks_per_multiprocessor(gpu::ptx_kernel("leave_c", shape));
  };
  CHECK(blocks(launch(1024)) == spec.max_threads_per_multiprocessor / 1024);
  CHECK(blocks(launch(32)) ==
        std::min(spec.max_blocks_per_multiprocessor, spec.max_threads_per_multiprocessor / 32));
  // All the shared memory that a block can have, most of it beyond what it gets unasked.
  const auto most = static_cast<std::uint32_t>(spec.shared_bytes_per_block_optin);
  CHECK(blocks(launch(32, most)) == 1);
  CHECK(is_unwritten(on_gpu.run(gpu::ptx_kernel("leave_c", launch(32, most)))));
}

TEST_CASE("what the driver refuses is an error that names the call, and the session goes on") {
  if (!gpu::status().available) SKIP_BECAUSE(gpu::status().problem);
  gpu::Session on_gpu = session();
  const auto error_of = [&](const gpu::DeviceKernel& kernel) {
    return unavailable([&] { on_gpu.run(kernel); });
  };
  CHECK(contains(error_of(gpu::ptx_kernel("no_such_kernel", launch(32))), "cuModuleGetFunction"));
  CHECK(contains(error_of(gpu::ptx_kernel("leave_c", launch(2048))), "cuLaunchKernel"));
  const auto too_much =
      static_cast<std::uint32_t>(gpu::status().spec.shared_bytes_per_block_optin) + 1024;
  CHECK(contains(error_of(gpu::ptx_kernel("leave_c", launch(32, too_much))), "cuFuncSetAttribute"));
  const std::string_view text = "neither PTX nor a cubin";
  CHECK(contains(error_of({{text.data(), text.size() + 1}, "leave_c", launch(32)}),
                 "cuModuleLoadData"));
  CHECK(is_unwritten(on_gpu.run(gpu::ptx_kernel("leave_c", launch(32)))));
}

TEST_CASE("matrices that the GPU's memory cannot hold are refused before anything is copied") {
  if (!gpu::status().available) SKIP_BECAUSE(gpu::status().problem);
  for (const int size : {1 << 20, 2147483647}) {
    const std::string message = unavailable([&] {
      gpu::Session too_large({size, size, size}, {}, {});
    });
    CHECK(contains(message, "the matrices need"));
    CHECK(contains(message, "is free"));
  }
}
