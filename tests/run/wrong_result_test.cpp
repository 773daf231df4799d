// What a wrong result is, and what holds at further sizes.
#include "run/wrong_result.hpp"

#include "run/cuda_run.hpp"
#include "run/further_sizes.hpp"
#include "run/launch_search.hpp"
#include "run/prepared_kernel.hpp"
#include "run/run_checks.hpp"
#include "simt/gpu_spec.hpp"

namespace gemm_tutor {
namespace {

const std::string naive = R"(
constexpr int SPLIT = 8;
__global__ void mine(const float* A, const float* B, float* C, int M, int N, int K) {
  const int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  if (row >= M || column >= N) return;
  float sum = 0.0f;
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + column];
  C[row * N + column] = sum;
})";

const std::string tiled = R"(
constexpr int BK = 8;
__global__ void mine(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float a_tile[16][BK], b_tile[BK][16];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * 16 + ty, column = blockIdx.x * 16 + tx;
  const int steps = (K + BK - 1) / BK;
  float sum = 0.0f;
  for (int step = 0; step < steps; ++step) {
    const int k0 = step * BK;
    if (tx < BK) a_tile[ty][tx] = row < M && k0 + tx < K ? A[row * K + k0 + tx] : 0.0f;
    if (ty < BK) b_tile[ty][tx] = k0 + ty < K && column < N ? B[(k0 + ty) * N + column] : 0.0f;
    __syncthreads();
    for (int k = 0; k < BK; ++k) sum += a_tile[ty][k] * b_tile[k][tx];
    __syncthreads();
  }
  if (row < M && column < N) C[row * N + column] = sum;
})";

const std::string updating = R"(
__global__ void mine(const float* A, const float* B, float* C, int M, int N, int K, float alpha,
                     float beta) {
  const int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  if (row >= M || column >= N) return;
  float sum = 0.0f;
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + column];
  C[row * N + column] = alpha * sum + beta * C[row * N + column];
})";

KernelSource kernel_of(const std::string& text) {
  KernelSource kernel;
  kernel.source = text;
  kernel.file_name = "mine.cu";
  kernel.name_expression = "mine";
  kernel.shape.block = {16, 16};
  kernel.shape.tile_rows = kernel.shape.tile_columns = 16;
  kernel.arguments = {};
  if (contains(text, "beta")) kernel.scales = {"3", "-2"};
  return kernel;
}

KernelRun run(const KernelSource& kernel, const Problem& problem,
              const std::vector<Problem>& further = {}) {
  RunOptions options = on_emulator(problem);
  options.further = further;
  PreparedKernel prepared = prepare(kernel, options);
  KernelRun result = run_cuda(prepared, options);
  try_further_sizes(result, prepared, options);
  return result;
}

std::string kind_of(const std::string& text) {
  const KernelRun result = run(kernel_of(text), {64, 64, 64});
  return result.wrong.kind ? result.wrong.kind->text : "";
}

std::string naive_with(const std::string& from, const std::string& to) {
  return kind_of(replaced(naive, from, to));
}
std::string tiled_with(const std::string& from, const std::string& to) {
  return kind_of(replaced(tiled, from, to));
}
std::string updating_with(const std::string& to) {
  return kind_of(replaced(updating, "alpha * sum + beta * C[row * N + column]", to));
}

}  // namespace

TEST_CASE("a right result has no kind, and is right at further sizes") {
  for (const std::string& text : {naive, tiled, updating}) {
    const KernelRun result = run(kernel_of(text), {64, 64, 64});
    CHECK(result.verification.passed);
    CHECK_FALSE(result.wrong.kind);
    REQUIRE(result.further.size() == 2);
    for (const FurtherSize& size : result.further) {
      CHECK(size.is_right);
      CHECK(contains(size.text, "right at "));
      CHECK(size.problem.m != size.problem.n);
    }
  }
}

TEST_CASE("wrong indices are named by the matrix and the index", "[long]") {
  CHECK(naive_with("B[k * N + column]", "B[column * K + k]") ==
        "C is A·Bᵀ: B is read at index column·K + k, not k·N + column");
  CHECK(naive_with("A[row * K + k]", "A[k * M + row]") ==
        "C is Aᵀ·B: A is read at index k·M + row, not row·K + k");
  CHECK(contains(kind_of(replaced(replaced(naive, "A[row * K + k]", "A[k * M + row]"),
                                  "B[k * N + column]", "B[column * K + k]")),
                 "C is Aᵀ·Bᵀ: A is read at index k·M + row, not row·K + k, and B is read"));
  CHECK(naive_with("C[row * N + column]", "C[column * M + row]") ==
        "C is (A·B)ᵀ: C is written at index column·M + row, not row·N + column");
  CHECK(contains(kind_of(replaced(replaced(replaced(naive, "A[row * K + k]", "A[k * M + row]"),
                                           "B[k * N + column]", "B[column * K + k]"),
                                  "C[row * N + column]", "C[column * M + row]")),
                 "C is (Aᵀ·Bᵀ)ᵀ: A is read at index k·M + row"));
  CHECK(naive_with("A[row * K + k]", "A[row * N + k]") ==
        "A is read at index row·N + k, not row·K + k");
  CHECK(naive_with("A[row * K + k]", "A[row * M + k]") ==
        "A is read at index row·M + k, not row·K + k");
  CHECK(naive_with("B[k * N + column]", "B[k * K + column]") ==
        "B is read at index k·K + column, not k·N + column");
  CHECK(naive_with("B[k * N + column]", "B[k * M + column]") ==
        "B is read at index k·M + column, not k·N + column");
  CHECK(naive_with("A[row * K + k]", "A[k * K + row]") ==
        "C is Aᵀ·B: A is read at index k·K + row, not row·K + k");
  CHECK(naive_with("C[row * N + column]", "C[row * M + column]") ==
        "C is written at index row·M + column, not row·N + column");
  CHECK(naive_with("A[row * K + k] * B[k * N + column]", "B[row * K + k] * A[k * N + column]") ==
        "C is B·A");
}

TEST_CASE("products that are missing, or added too often, are named by the k that are there",
          "[long]") {
  CHECK(naive_with("k < K", "k < K - 1") ==
        "The last product is missing: the sums are of k < 63 of 64");
  CHECK(naive_with("k = 0", "k = 1") == "The first product is missing: the sums begin at k = 1");
  CHECK(contains(naive_with("sum +=", "sum ="), "Only the last of the 64 products is there"));
  CHECK(contains(naive_with("++k", "k += 2"), "only the products of even k are there"));
  CHECK(contains(naive_with("k = 0; k < K; ++k", "k = 1; k < K; k += 2"),
                 "only the products of odd k are there"));
  CHECK(contains(naive_with("k < K", "k < K / 2"),
                 "only the products of the first half of K are there, k < 32 of 64"));
  CHECK(contains(naive_with("k = 0", "k = K / 2"),
                 "only the products of the second half of K are there, from k = 32 of 64"));
  CHECK(naive_with("k = 0; k < K", "k = -0; k < K / SPLIT") ==
        "Only the first of 8 parts of K is there: the sums are of k < 8 of 64");
  CHECK(tiled_with("step < steps", "step < steps - 1") ==
        "The last step along K is missing: the sums are of k < 56 of 64");
  CHECK(tiled_with("int step = 0", "int step = 1") ==
        "The first step along K is missing: the sums begin at k = 8");
  CHECK(tiled_with("step < steps; ++step", "step < steps; step += 2") ==
        "Only every second step along K is there, from the first");
  CHECK(tiled_with("const int k0 = step * BK", "const int k0 = 0") ==
        "Every step along K uses the first step's tile of A and of B");
  CHECK(tiled_with("A[row * K + k0 + tx]", "A[row * K + tx]") ==
        "Every step along K uses the first step's tile of A");
  CHECK(tiled_with("B[(k0 + ty) * N + column]", "B[ty * N + column]") ==
        "Every step along K uses the first step's tile of B");
  CHECK(contains(tiled_with("const int k0 = step * BK;", "const int k0 = step * BK; sum = 0.0f;"),
                 "Only the last step along K is there: the sums begin at k = 56 of 64"));
  CHECK(contains(tiled_with("k < BK; ++k", "k < BK - 1; ++k"),
                 "The last product of every step along K is missing: k = 7, 15, …"));
  CHECK(contains(tiled_with("int k = 0; k < BK", "int k = 1; k < BK"),
                 "The first product of every step along K is missing"));
  CHECK(contains(tiled_with("k < BK; ++k", "k < BK / 2; ++k"),
                 "Only the first 4 of every 8 products along K are there"));
}

TEST_CASE("a last step along K that is not whole shows at a further size alone", "[long]") {
  const KernelRun result =
      run(kernel_of(replaced(tiled, "(K + BK - 1) / BK", "K / BK")), {64, 64, 64});
  CHECK(result.verification.passed);
  REQUIRE(result.wrong.kind);
  CHECK(result.wrong.kind->text ==
        "Only whole steps along K are added: the sums are of k < 64 of 65");
  REQUIRE(result.further.size() == 2);
  CHECK(result.further[0].text == "right at 64×96×40");
  CHECK(result.further[1].text ==
        "whole tiles only: at 97×130×65, only whole steps along K are added: the sums are of k < "
        "64 of 65");
}

TEST_CASE("factors are named with the constant that they are", "[long]") {
  CHECK(naive_with("= sum;", "= SPLIT * sum;") ==
        "C is exactly 8 times too large, and 8 is the value of SPLIT");
  CHECK(naive_with("= sum;", "= 3 * sum;") == "C is exactly 3 times too large");
  CHECK(naive_with("= sum;", "= -sum;") == "C has the wrong sign everywhere");
  CHECK(naive_with("= sum;", "= sum / 2;") == "C is exactly 1/2 of what is right");
  CHECK(naive_with("= sum;", "= gridDim.x * sum;") ==
        "C is exactly 4 times too large, and 4 is the value of gridDim.x");
  CHECK(naive_with("sum = 0.0f", "sum = 1.0f") == "Each element of C is 1 too large");
  CHECK(naive_with("= sum;", "= 0;") == "C is 0 everywhere");

  KernelSource split = kernel_of(
      replaced(naive, "C[row * N + column] = sum;", "atomicAdd(&C[row * N + column], sum);"));
  split.shape.blocks_of_tile = 8;
  split.c_before = InitialC::zero;
  const KernelRun result = run(split, {64, 64, 64});
  REQUIRE(result.wrong.kind);
  CHECK(result.wrong.kind->text ==
        "C is exactly 8 times too large, and 8 is the value of SPLIT and of gridDim.z");
}

TEST_CASE("which column or row of a group another one holds is found, and not listed", "[long]") {
  const std::string store = "C[row * N + column] = sum;";
  CHECK(naive_with("B[k * N + column]", "B[k * N + (column % 4 == 3 ? column - 1 : column)]") ==
        "In each 4 columns of C, column 3 holds what belongs to column 2");
  CHECK(naive_with("A[row * K + k]",
                   "A[(row % 8 == 1 ? row + 4 : row % 8 == 5 ? row - 4 : row) * K + k]") ==
        "In each 8 rows of C, rows 1 and 5 are exchanged");
  CHECK(naive_with(store,
                   "C[row * N + column / 32 * 32 + column % 4 * 8 + column % 32 / 4] = sum;") ==
        "In each 32 columns of C, columns 1, 2, 3 and so on hold what belongs to columns 4, 8, 12, "
        "16, 20, 24, 28, 1, …");
  CHECK(naive_with("= sum;", "= column % 64 < 16 ? 3 * sum + row : 0;") ==
        "In each 64 columns of C, columns 16 to 63 are 0");
  CHECK(naive_with("= sum;", "= row % 4 == 2 ? 0 : sum + row;") ==
        "In each 4 rows of C, row 2 is 0");
  CHECK(naive_with("= sum;", "= row % 32 > 23 ? __int_as_float(0x7fc00000) : sum + row;") ==
        "In each 32 rows of C, rows 24 to 31 are NaN");
  CHECK(naive_with("= sum;", "= (row + column) % 4 == 2 ? 0 : sum + row;") == "");
}

TEST_CASE("what holds for whole tiles is said of them, and not of edges") {
  const std::string text = replaced(replaced(naive, "if (row >= M || column >= N) return;", ""),
                                    "k < K; ++k", "k < K / 8 * 8 - 8; ++k");
  KernelSource kernel = kernel_of(text);
  kernel.shape.grid = GridExpressions{"N / 16", "M / 16", "1"};
  const KernelRun result = run(kernel, {64, 64, 64});
  REQUIRE(result.wrong.kind);
  CHECK(contains(result.wrong.kind->text, "The last step along K is missing"));
  REQUIRE(result.further.size() == 2);
  CHECK(contains(result.further[0].text, "likewise"));
  CHECK(contains(result.further[1].text, "never written"));
}

TEST_CASE("a kernel that overwrites a random C is distinguished from one that is wrong otherwise") {
  KernelSource kernel = kernel_of(naive);
  kernel.c_before = InitialC::random;
  const KernelRun overwrites = run(kernel, {64, 64, 64});
  REQUIRE(overwrites.wrong.kind);
  CHECK(overwrites.wrong.kind->text ==
        "C is A·B, not A·B + C: the kernel overwrites what C held (leave --c out, if it is meant "
        "to)");
  kernel.source = replaced(naive, "= sum;", "= 2 * sum;");
  CHECK_FALSE(run(kernel, {64, 64, 64}).wrong.kind);
}

TEST_CASE("alpha, beta and what C held are named", "[long]") {
  CHECK(updating_with("sum + beta * C[row * N + column]") == "alpha is ignored");
  CHECK(updating_with("alpha * alpha * sum + beta * C[row * N + column]") ==
        "alpha is applied twice");
  CHECK(updating_with("alpha * sum + beta * beta * C[row * N + column]") ==
        "beta is applied twice");
  CHECK(updating_with("alpha * sum + C[row * N + column]") ==
        "C is alpha·A·B + C, not alpha·A·B + beta·C: what C held before is added as it is");
  CHECK(updating_with("alpha * sum") ==
        "C is alpha·A·B, not alpha·A·B + beta·C: the kernel overwrites what C held");
  CHECK(updating_with("beta * sum + alpha * C[row * N + column]") ==
        "alpha and beta are exchanged: C is beta·A·B + alpha·C");
  CHECK(updating_with("alpha * (sum + beta * C[row * N + column])") ==
        "alpha scales what C held as well: C is alpha·(A·B + beta·C)");
  CHECK(updating_with("sum") == "alpha and beta are ignored: C is A·B");
  CHECK(updating_with("alpha * sum * (1 + beta)") ==
        "beta scales the new product, not what C held, which is overwritten before: C is "
        "(1 + beta)·alpha·A·B");
  CHECK(updating_with("alpha * sum - beta * C[row * N + column]") ==
        "What C held is subtracted, not added");
  CHECK(updating_with("C[row * N + column]") ==
        "C holds what it held before: nothing new was written");
  CHECK(updating_with("beta * C[row * N + column]") == "The product is missing: C is beta·C");
}

TEST_CASE("a scale that is applied in every step along K is named with the step") {
  const std::string step = "sum += A[row * K + k] * B[k * N + column];";
  const std::string unscaled = replaced(updating, "alpha * sum", "sum");
  CHECK(kind_of(replaced(unscaled, step,
                         "{ " + step + " if (k % 8 == 7 || k == K - 1) sum *= alpha; }")) ==
        "alpha scales all sums so far again for each 8 values of k, not once");
  CHECK(kind_of(R"(
__global__ void mine(const float* A, const float* B, float* C, int M, int N, int K, float alpha,
                     float beta) {
  const int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  if (row >= M || column >= N) return;
  for (int k0 = 0; k0 < K; k0 += 8) {
    float sum = 0.0f;
    for (int k = k0; k < min(k0 + 8, K); ++k) sum += A[row * K + k] * B[k * N + column];
    C[row * N + column] = alpha * sum + beta * C[row * N + column];
  }
})") == "beta scales all sums so far again for each 8 values of k, not once");
}

TEST_CASE("tiles that begin at multiples of another side are named") {
  const std::string text = R"(
constexpr int BM = 32, BN = 16;
__global__ void mine(const float* A, const float* B, float* C, int M, int N, int K) {
  const int row = threadIdx.y, column = threadIdx.x;
  const float* a = A + blockIdx.y * BM * K;
  const float* b = B + blockIdx.x * BN;
  float* c = C + blockIdx.y * BM * N + blockIdx.x * BN;
  if (blockIdx.y * BM + row >= M || blockIdx.x * BN + column >= N) return;
  float sum = 0.0f;
  for (int k = 0; k < K; ++k) sum += a[row * K + k] * b[k * N + column];
  c[row * N + column] = sum;
})";
  const auto kind = [&](const std::string& from, const std::string& to) {
    KernelSource kernel = kernel_of(replaced(text, from, to));
    kernel.shape = {.block = {16, 32}, .tile_rows = 32, .tile_columns = 16};
    const KernelRun result = run(kernel, {96, 64, 64});
    return result.wrong.kind ? result.wrong.kind->text : "";
  };
  CHECK(kind("sum;", "sum;") == "");
  CHECK(kind("A + blockIdx.y * BM", "A + blockIdx.y * BN") ==
        "Tiles of 32 rows of A are read 16 rows apart");
  CHECK(kind("C + blockIdx.y * BM", "C + blockIdx.y * BN") ==
        "Tiles of 32 rows of C are written 16 rows apart");
  CHECK(kind("N + blockIdx.x * BN;", "N + blockIdx.x * (BN / 2);") ==
        "Tiles of 16 columns of C are written 8 columns apart");
}

TEST_CASE("accumulators that are one by mistake, or integers, are named", "[long]") {
  const std::string two = R"(
constexpr int TM = 2, TN = 4;
__global__ void mine(const float* A, const float* B, float* C, int M, int N, int K) {
  const int row = (blockIdx.y * 8 + threadIdx.y) * TM, column = (blockIdx.x * 8 + threadIdx.x) * TN;
  float sums[TM * TN] = {};
  for (int k = 0; k < K; ++k)
    for (int i = 0; i < TM; ++i)
      for (int j = 0; j < TN; ++j)
        if (row + i < M && column + j < N)
          sums[i * TN + j] += A[(row + i) * K + k] * B[k * N + column + j];
  for (int i = 0; i < TM; ++i)
    for (int j = 0; j < TN; ++j)
      if (row + i < M && column + j < N) C[(row + i) * N + column + j] = sums[i * TN + j];
})";
  KernelSource kernel = kernel_of(two);
  kernel.shape = {.block = {8, 8}, .tile_rows = 16, .tile_columns = 32};
  CHECK_FALSE(run(kernel, {64, 64, 64}).wrong.kind);
  std::string wrong = two;
  for (std::size_t at = 0; (at = wrong.find("i * TN + j]", at)) != std::string::npos;)
    wrong.replace(at, 11, "i * TM + j]");
  kernel.source = wrong;
  const KernelRun result = run(kernel, {64, 64, 64});
  REQUIRE(result.wrong.kind);
  CHECK(result.wrong.kind->text ==
        "At 128×160×96, 10,239 of C's 20,480 elements hold two sums, as if two accumulators were "
        "one: row 0, column 2 has that of row 1, column 0 as well");

  CHECK(kind_of(replaced(naive, "float sum = 0.0f", "int sum = 0")) ==
        "C is 0 everywhere: 'sum' is an integer, and loses what is after the point");
  CHECK(kind_of(replaced(naive, "= sum;", "= 0 * sum;")) == "C is 0 everywhere");
}

TEST_CASE("sums at the wrong place of C are named by their shift or exchange") {
  const std::string at = "C[row * N + column] = sum;";
  CHECK(contains(naive_with(at, "C[(M - 1 - row) * N + column] = sum;"),
                 "C's rows are in the opposite order"));
  CHECK(contains(naive_with(at, "C[row * N + N - 1 - column] = sum;"),
                 "C's columns are in the opposite order"));
  CHECK(contains(naive_with(at, "if (row + 1 < M) C[(row + 1) * N + column] = sum;"),
                 "C is written at index (row + 1)·N + column, not row·N + column"));
  CHECK(contains(naive_with(at, "if (column > 0) C[row * N + column - 1] = sum;"),
                 "C's columns are shifted: column 0 holds what belongs to column 1"));
}

TEST_CASE("rows and columns in place of each other, and indices that are off by one, are named",
          "[long]") {
  CHECK(naive_with("A[row * K + k]", "A[column * K + k]") ==
        "A is read at index column·K + k, not row·K + k");
  CHECK(naive_with("B[k * N + column]", "B[k * N + row]") ==
        "B is read at index k·N + row, not k·N + column");
  CHECK(naive_with("A[row * K + k]",
                   "(row / 16 * 16 + k % 16 < M && k / 16 * 16 + row % 16 < K"
                   " ? A[(row / 16 * 16 + k % 16) * K + k / 16 * 16 + row % 16] : 0)") ==
        "A's rows and columns are exchanged in each 16×16 elements");
  CHECK(naive_with("A[row * K + k]", "A[row * K + max(k - 1, 0)]") ==
        "At 128×144×96, A's columns 0 to 94 are read in place of 1 to 95");
  CHECK(naive_with("B[k * N + column]", "B[k * N + max(column - 1, 0)]") ==
        "C's columns are shifted: column 1 holds what belongs to column 0, and so on, and so does "
        "each column before it");
  CHECK(naive_with("B[k * N + column]", "B[k * N + (column + 1) % N]") ==
        "C's columns are rotated: column 0 holds what belongs to column 1, and the "
        "last column what belongs to column 0");
  CHECK(naive_with("A[row * K + k]", "A[min(row + 2, M - 1) * K + k]") ==
        "C's rows are shifted: row 0 holds what belongs to row 2, and so on up to the last row, "
        "whose values come more than once");
  CHECK(naive_with("B[k * N + column]",
                   "B[(column / 16 * 16 + k % 16) * N + k / 16 * 16 + column % 16]") ==
        "B's tiles of 16×16 elements are exchanged: the tile in row i and column j of the tiles "
        "with that in row j and column i");
  CHECK(contains(naive_with("C[row * N + column] = sum;",
                            "if (row + column > 0) C[row * N + column - 1] = sum;"),
                 "C is written at index row·N + column - 1, not row·N + column"));
}

TEST_CASE("parts of C that are missing, and operations that are not the product, are named",
          "[long]") {
  const std::string at = "C[row * N + column] = sum;";
  const auto only = [&](const std::string& condition) {
    return naive_with(at, "C[row * N + column] = " + condition + " ? sum : 0;");
  };
  CHECK(only("row < M - 1") == "C's last row is missing, and the rest is right");
  CHECK(only("column > 0") == "C's first column is missing, and the rest is right");
  CHECK(only("row % 2 == 0") == "Only C's even rows are there");
  CHECK(only("row <= column") == "Only the elements of C on its diagonal and above are there");
  CHECK(contains(naive_with("if (row >= M || column >= N) return;",
                            "if (row >= M / 16 * 16 || column >= N) return;"),
                 "C's last rows are missing, from row 96 of 97, and the rest is right"));
  CHECK(naive_with("A[row * K + k] * B", "A[row * K + k] + B") ==
        "C is the sum of A's and B's values, not of their products");
  CHECK(naive_with("= sum;", "= fmaxf(sum, 0.0f);") ==
        "C is what is right where that is positive, and else 0, as of a ReLU");
}

TEST_CASE("A and B of less precision are named") {
  CHECK(contains(naive_with("A[row * K + k] * B[k * N + column]",
                            "__uint_as_float((__float_as_uint(A[row * K + k]) + 0x1000) & "
                            "0xffffe000) * __uint_as_float((__float_as_uint(B[k * N + column]) + "
                            "0x1000) & 0xffffe000)"),
                 "A and B are rounded to TF32"));
}

TEST_CASE("where no formula gives a result, its values show what was read and added", "[long]") {
  CHECK(kind_of(replaced(replaced(naive, "k = 0", "k = 1"), "= sum;", "= 2 * sum;")) ==
        "At 128×144×96, the product of k = 0 is missing, and the products of k = 1 to 95 are added "
        "twice");
  CHECK(naive_with("k < K", "k < K - row % 2") ==
        "At 128×144×96, in C's rows 1, 3, 5, …, 127 the product of k = 95 is missing");
  CHECK(naive_with("= sum;", "= row == 5 ? 2 * sum : sum;") ==
        "At 128×144×96, C's row 5 is exactly 2 times too large");
  CHECK(naive_with("= sum;", "= sum * (1 + column % 3);") ==
        "At 128×144×96, C's columns 1, 4, 7, …, 142 are exactly 2 times too large, and C's "
        "columns 2, 5, 8, …, 143 are exactly 3 times too large");
  CHECK(naive_with("A[row * K + k]", "A[row * K + (k % 4 == 3 ? k - 1 : k)]") ==
        "At 128×144×96, in each 4 values of k, A's column 2 is read in place of 3");
  CHECK(naive_with("B[k * N + column]", "B[(k % 32 < 16 ? k : k - 16) * N + column]") ==
        "At 128×144×96, in each 32 values of k, B's rows 0 to 15 are read in place of 16 to 31");
  CHECK(naive_with("A[row * K + k]", "A[row * K + k / 8 * 8 + (k + 3) % 8]") ==
        "At 128×144×96, in each 8 values of k, B's rows 0 to 4 are multiplied by A's columns 3 to "
        "7, and B's rows 5 to 7 are multiplied by A's columns 0 to 2");
  CHECK(naive_with("A[row * K + k]", "A[row * K + k / 16 * 16 + row % 16]") ==
        "At 128×144×96, in each 16×16 elements of A, row i, column i is read in place of row i, "
        "column j");
  CHECK(naive_with("= sum;",
                   "= sum;\n  if (row % 2 == 1 && column % 2 == 0) {\n"
                   "    sum = 0;\n    for (int k = 0; k < K; ++k)\n"
                   "      sum += A[(row - 1) * K + k] * B[k * N + column];\n"
                   "    C[row * N + column] = sum;\n  }") ==
        "At 128×144×96, in each 2×2 elements of C, row 1, column 0 holds what belongs to row 0, "
        "column 0");
}

TEST_CASE(
    "sums that go on from one element to the next, and columns that are left out, are named") {
  const std::string over_elements = R"(
__global__ void mine(const float* A, const float* B, float* C, int M, int N, int K) {
  float sum = 0;
  for (int i = blockIdx.x * 128 + threadIdx.x; i < M * N; i += gridDim.x * 128) {
    for (int k = 0; k < K; ++k) sum += A[i / N * K + k] * B[k * N + i % N];
    C[i] = sum;
  }
})";
  KernelSource kernel = kernel_of(over_elements);
  kernel.shape = {.block = {128}};
  kernel.shape.tile_rows = kernel.shape.tile_columns = 0;
  kernel.shape.grid = GridExpressions{"8", "1", "1"};
  const KernelRun result = run(kernel, {64, 64, 64});
  REQUIRE(result.wrong.kind);
  CHECK(
      result.wrong.kind->text ==
      "At 128×160×96, 19,450 of C's 20,480 elements hold another element's value added to their "
      "own "
      "sum, as if a sum went on from one element to the next: row 6, column 64 has that of row 0, "
      "column 0");

  CHECK(
      naive_with("if (row >= M || column >= N) return;",
                 "if (row >= M || column >= N * 2 / 3 + 5) return;") ==
      "At 128×144×96, C's last columns are missing, from column 101 of 144, and the rest is right");
}

TEST_CASE("sums that go on from one tile of a block to its next one are named", "[long]") {
  KernelSource kernel = kernel_of(R"(
constexpr int BM = 32, BN = 16;
__global__ void mine(const float* A, const float* B, float* C, int M, int N, int K) {
  const int across = N / BN, tiles = M / BM * across;
  float sums[2] = {};
  for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const int row = tile / across * BM + threadIdx.y * 2;
    const int column = tile % across * BN + threadIdx.x;
    for (int i = 0; i < 2; ++i) {
      for (int k = 0; k < K; ++k) sums[i] += A[(row + i) * K + k] * B[k * N + column];
      C[(row + i) * N + column] = sums[i];
    }
  }
})");
  kernel.shape.grid = GridExpressions{"108", "1", "1"};
  const KernelRun result = run(kernel, {256, 384, 192});
  REQUIRE(result.wrong.kind);
  CHECK(contains(result.wrong.kind->text,
                 "tiles of 32×32 elements hold another tile's sums added to their own"));
}

TEST_CASE("a wrong index and missing products are named together") {
  CHECK(kind_of(
            replaced(replaced(naive, "A[row * K + k]", "A[k * M + row]"), "k < K", "k < K - 1")) ==
        "C is Aᵀ·B: A is read at index k·M + row, not row·K + k, and the last product is missing: "
        "the sums are of k < 63 of 64");
}

TEST_CASE("what is wrong at edges alone is named, and that size is said once", "[long]") {
  KernelSource kernel = kernel_of(naive);
  kernel.shape.grid = GridExpressions{"N / 16", "M / 16", "1"};
  const KernelRun small = run(kernel, {64, 64, 64});
  REQUIRE(small.wrong.kind);
  CHECK(small.wrong.kind->text ==
        "C's last rows and columns are missing, from row 96 of 97 and column 128 of 130, and the "
        "rest is right");
}

TEST_CASE("parts of a tile, and the last row and column together, are named") {
  CHECK(naive_with("= sum;",
                   "= sum;\n  if (row % 64 < 32 && column % 64 >= 32) {\n"
                   "    sum = 0;\n    for (int k = 0; k < K; ++k)\n"
                   "      sum += A[row * K + k] * B[k * N + column - 32];\n"
                   "    C[row * N + column] = sum;\n  }") ==
        "At 128×144×96, in each 64×64 elements of C, rows 0 to 31 of columns 32 to 63 hold what "
        "belongs to rows 0 to 31 of columns 0 to 31");
  CHECK(naive_with("if (row >= M || column >= N) return;",
                   "if (row >= M - 1 || column >= N - 1) return;") ==
        "C's last row and last column are missing, and the rest is right");
}

TEST_CASE("a wrong product of a matrix that is stored transposed is named as that") {
  CHECK(naive_with("B[k * N + column]",
                   "(column / 16 * 16 + k % 16 < N && k / 16 * 16 + column % 16 < K"
                   " ? B[(column / 16 * 16 + k % 16) * K + k / 16 * 16 + column % 16] : 0)") ==
        "If B is stored transposed, B's rows and columns are exchanged in each 16×16 elements");
}

TEST_CASE("nothing is said of a result that no formula gives and whose values show nothing",
          "[long]") {
  CHECK(naive_with("= sum;", "= sum + row;") == "");
  // Right in most elements.
  CHECK(naive_with("= sum;", "= row == 3 && column == 5 ? 0 : sum;") == "");
  CHECK(naive_with("= sum;", "= row == 50 && column == 5 ? 7 * sum : sum;") == "");
}

TEST_CASE("edges that nothing guards are said to be whole tiles only, with the first fault",
          "[long]") {
  const KernelRun result =
      run(kernel_of(replaced(naive, "if (row >= M || column >= N) return;", "")), {64, 64, 64});
  CHECK(result.verification.passed);
  REQUIRE(result.further.size() == 2);
  CHECK(result.further[0].is_right);
  INFO(result.further[1].text);
  CHECK(contains(result.further[1].text, "whole tiles only: at 97×130×65 reads outside"));
  CHECK(contains(result.further[1].text, "(line 7)"));
}

TEST_CASE("a kernel with one size alone is tried at square sizes") {
  KernelSource kernel = kernel_of(R"(
__global__ void mine(const float* A, const float* B, float* C, int N) {
  const int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  if (row >= N || column >= N) return;
  float sum = 0.0f;
  for (int k = 0; k < N; ++k) sum += A[row * N + k] * B[k * N + column];
  C[row * N + column] = sum;
})");
  kernel.arguments = {{Role::a}, {Role::b}, {Role::c}, {Role::n}};
  const KernelRun result = run(kernel, {64, 64, 64});
  REQUIRE(result.further.size() == 2);
  for (const FurtherSize& size : result.further) {
    CHECK(size.is_right);
    CHECK(size.problem.m == size.problem.k);
  }
}

TEST_CASE("an order of the arguments that is right is found by trying", "[long]") {
  const auto options = [](const std::string& text, const std::string& given) {
    KernelSource kernel = kernel_of(text);
    if (!given.empty()) kernel.arguments = parse_arguments(given);
    return right_options(kernel, simt::find_gpu("h200"));
  };
  CHECK(options(naive, "A,B,C,N,M,K") == "--args A,B,C,M,N,K");
  CHECK(options(naive, "B,A,C,M,N,K") == "--args A,B,C,M,N,K");
  CHECK(options(naive, "A,B,C,M,K,N") == "--args A,B,C,M,N,K");
  CHECK(options(replaced(naive, "int M, int N, int K", "int N, int M, int K"), "") == "");
  CHECK(options(replaced(naive, "B[k * N + column]", "B[column * K + k]"), "") == "--transposed b");
  CHECK(options(replaced(naive, "= sum;", "+= sum;"), "") == "--c zero");
  CHECK(options(replaced(naive, "= sum;", "= 2 * sum;"), "") == "");
}

TEST_CASE("sizes that are given take the place of the usual ones") {
  const KernelRun result = run(kernel_of(naive), {64, 64, 64}, {{5, 7, 9}, {33, 1, 2}, {8, 8, 8}});
  REQUIRE(result.further.size() == 3);
  CHECK(result.further[0].text == "right at 5×7×9");
  CHECK(result.further[2].text == "right at 8");
}

}  // namespace gemm_tutor
