// Whether findings come from an edge that nothing guards.

#include <string>

#include "run/cuda_run.hpp"
#include "run/run_checks.hpp"

namespace gemm_tutor {
namespace {

// One thread an element, in tiles of 16 × 8.
KernelSource edge_kernel(const std::string& guard, const std::string& loop = "k < K") {
  KernelSource kernel;
  kernel.file_name = "edge.cu";
  kernel.source = R"(
__global__ void edge(const float* A, const float* B, float* C, int M, int N, int K) {
  const int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 8 + threadIdx.x;
  if ()" + guard + R"() return;
  float sum = 0;
  for (int k = 0; )" +
                  loop + R"(; ++k) {
    sum += A[row * K + k]
         * B[k * N + column];
  }
  C[row * N + column] = sum;
}
)";
  kernel.shape.block = {8, 16};
  kernel.shape.tile_rows = 16;
  kernel.shape.tile_columns = 8;
  return kernel;
}

// What is said of the edge; "-" if a finding out of bounds has another cause.
std::string edge_of(const KernelSource& kernel, const Problem& problem) {
  const RunOptions options = on_emulator(problem);
  const KernelRun result = run_cuda(prepare(kernel, options), options);
  std::string edge;
  for (const simt::Finding& finding : result.emulation->findings) {
    const bool is_outside = finding.kind() == simt::FindingKind::bounds;
    if (is_outside && edge.empty()) edge = finding.edge.empty() ? "-" : finding.edge;
    if (is_outside) CHECK(edge == (finding.edge.empty() ? "-" : finding.edge));
  }
  return edge;
}

TEST_CASE("an edge that nothing guards is named with its sizes") {
  const KernelSource none = edge_kernel("M < 0");
  CHECK(edge_of(none, {37, 24, 20}) ==
        "M = 37 is not a multiple of 16, and nothing guards the edge");
  CHECK(edge_of(none, {64, 21, 20}) ==
        "N = 21 is not a multiple of 8, and nothing guards the edge");
  CHECK(
      edge_of(none, {5, 21, 20}) ==
      "M = 5 is not a multiple of 16, N = 21 is not a multiple of 8, and nothing guards the edge");
  CHECK(edge_of(edge_kernel("M < 0", "k < (K + 15) / 16 * 16"), {41, 16, 41}) ==
        "M = K = 41 is not a multiple of 16, and nothing guards the edge");
  CHECK(edge_of(none, {32, 16, 20}) == "");
  CHECK(edge_of(edge_kernel("row >= M"), {37, 21, 20}) ==
        "N = 21 is not a multiple of 8, and nothing guards the edge");
}

TEST_CASE("the last step along K may go over the edge") {
  const KernelSource steps = edge_kernel("row >= M || column >= N", "k < (K + 15) / 16 * 16");
  CHECK(edge_of(steps, {32, 16, 37}) ==
        "K = 37 is not a multiple of 16, and nothing guards the edge");
  CHECK(edge_of(steps, {32, 16, 48}) == "");
}

TEST_CASE("a guard that lets one row through is no missing one") {
  CHECK(edge_of(edge_kernel("row > M || column >= N"), {37, 21, 20}) ==
        "M = 37 is not a multiple of 16, and the guard of the edge lets some through");
}

TEST_CASE("what is out of bounds at whole tiles, too, does not come from the edge") {
  CHECK(edge_of(edge_kernel("row >= M || column >= N", "k <= K"), {37, 21, 20}) == "-");
  CHECK(edge_of(edge_kernel("row >= M || column >= N", "k <= K"), {32, 16, 99}) == "-");
  CHECK(edge_of(edge_kernel("row >= M || column >= N"), {37, 21, 20}) == "");
}

}  // namespace
}  // namespace gemm_tutor
