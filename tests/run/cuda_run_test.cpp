// A kernel through compile, execute and verify, without any lesson.
#include "run/cuda_run.hpp"

#include <algorithm>

#include "run/block_trace.hpp"
#include "run/cpu_run.hpp"
#include "run/run_checks.hpp"

namespace gemm_tutor {
namespace {

const Problem uneven{70, 50, 40};

// One thread an element, right for any size.
KernelSource naive_kernel() {
  KernelSource kernel;
  kernel.file_name = "naive.cu";
  kernel.source = R"(
__global__ void naive(const float* A, const float* B, float* C, int M, int N, int K) {
  const int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  if (row >= M || column >= N) return;
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + column];
  C[row * N + column] = sum;
}
)";
  kernel.shape.block = {16, 16};
  kernel.shape.tile_rows = kernel.shape.tile_columns = 16;
  return kernel;
}

KernelRun run(const RunOptions& options) {
  return run_cuda(prepare(naive_kernel(), options), options);
}

template <typename Float>
void multiply(const Float* a, const Float* b, Float* c, int m, int n, int k) {
  for (int row = 0; row < m; ++row) {
    for (int column = 0; column < n; ++column) {
      float sum = a[row * k] * b[column];
      for (int i = 1; i < k; ++i) sum = sum + a[row * k + i] * b[i * n + column];
      c[row * n + column] = sum;
    }
  }
}

}  // namespace

TEST_CASE("a kernel is compiled, executed and verified") {
  const KernelRun result = run(on_emulator(uneven));
  CHECK(result.name == "naive");
  CHECK(result.source.file_name == "naive.cu");
  CHECK(result.backend == Backend::emulator);
  CHECK(result.launch == simt::Launch{{4, 5}, {16, 16}});
  CHECK(result.verification.passed);
  CHECK(result.verification.elements_checked == uneven.c_elements());
  REQUIRE(result.emulation);
  CHECK(result.emulation->findings.empty());
  CHECK(result.emulation->total.ffma == 70 * 50 * 40);
  CHECK(result.traffic.counted_loads == 2 * 70 * 50 * 40);
  CHECK(result.traffic.counted_stores == 70 * 50);
  CHECK_FALSE(result.trace);
}

TEST_CASE("a run traces the block that it is asked for, beside its counts of all blocks") {
  RunOptions options = on_emulator(uneven);
  options.trace = TraceRequest{.block = {1, 2, 0}, .warp = 3};
  const KernelRun result = run(options);
  CHECK(result.emulation->total.ffma == 70 * 50 * 40);
  CHECK(result.verification.passed);
  REQUIRE(result.trace);
  CHECK(result.trace->block == simt::Dim3{1, 2, 0});
  CHECK(result.trace->result.accesses.size() == 2 * 40 + 1);  // loads of A and B, and a store
  for (const simt::Access& access : result.trace->result.accesses) CHECK(access.warp == 3);

  const Trace alone = trace_cuda(prepare(naive_kernel(), options), options);
  REQUIRE(alone.result.accesses.size() == result.trace->result.accesses.size());
  for (std::size_t i = 0; i < alone.result.accesses.size(); ++i) {
    CHECK(alone.result.accesses[i].offsets == result.trace->result.accesses[i].offsets);
  }
}

TEST_CASE("a block that is not in the sample of a run is traced all the same, and not counted") {
  RunOptions options = on_emulator({64, 64, 16});
  options.blocks = 1;
  const KernelRun untraced = run(options);
  REQUIRE(untraced.emulation->blocks_emulated == 4);
  options.trace = TraceRequest();
  const KernelRun result = run(options);
  CHECK(result.emulation->emulated == untraced.emulation->emulated);
  CHECK_FALSE(std::ranges::count(result.emulation->emulated, simt::Dim3{0, 0, 0}));
  CHECK(result.emulation->total == untraced.emulation->total);
  CHECK(result.verification.elements_checked == untraced.verification.elements_checked);
  REQUIRE(result.trace);
  CHECK(result.trace->result.accesses.size() == 8 * (2 * 16 + 1));
}

TEST_CASE("a block that the grid does not have is a wrong command line, of a run and of a trace") {
  RunOptions options = on_emulator(uneven);
  options.trace = TraceRequest{.block = {0, 99, 0}};
  for (const Error& error : {error_of([&] { run(options); }), error_of([&] {
                               trace_cuda(prepare(naive_kernel(), options), options);
                             })}) {
    CHECK(contains(error.what(), "no block (0, 99)"));
    CHECK(error.status() == ExitStatus::usage);
  }
}

TEST_CASE("a plain loop is run and counted on the CPU") {
  const KernelRun result =
      run_on_cpu({multiply<float>, multiply<CountedFloat>}, on_emulator(uneven));
  CHECK(result.backend == Backend::cpu);
  CHECK(result.verification.passed);
  CHECK(result.traffic.counted_loads == 2 * 70 * 50 * 40);
  CHECK(result.traffic.counted_stores == 70 * 50);
  CHECK(result.timing->where == Backend::cpu);
}

TEST_CASE("a library's multiply runs on no backend where another GPU's limits are asked for") {
  const KernelRun result = run_library(on_emulator({4, 4, 4}));
  CHECK_FALSE(result.can_run_here());
  CHECK(result.operand_order);
  CHECK_FALSE(run_library(on_emulator(uneven)).operand_order);  // which needs square matrices
}

}  // namespace gemm_tutor
