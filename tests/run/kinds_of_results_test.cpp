// What is said of wrong kernels in the styles that people write, with and without host code. Each
// case is a right kernel with one change. The launch is found, as for `gemm-tutor run FILE.cu`.
#include <map>

#include "run/cuda_run.hpp"
#include "run/further_sizes.hpp"
#include "run/launch_search.hpp"
#include "run/prepared_kernel.hpp"
#include "run/run_checks.hpp"
#include "sample.hpp"
#include "simt/gpu_spec.hpp"
#include "support/file.hpp"
#include "temporary_directory.hpp"

namespace gemm_tutor {
namespace {

const std::map<std::string, std::string> kernels = {
    {"naive", R"(
__global__ void mm(const float* A, const float* B, float* C, int M, int N, int K) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < M && col < N) {
    float sum = 0.0f;
    for (int k = 0; k < K; k++) sum += A[row * K + k] * B[k * N + col];
    C[row * N + col] = sum;
  }
}
)"},
    {"square", R"(
__global__ void mm(float *A, float *B, float *C, int N) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= N || col >= N) return;
  float sum = 0;
  for (int k = 0; k < N; ++k) sum += A[row * N + k] * B[k * N + col];
  C[row * N + col] = sum;
}
)"},
    {"line", R"(
__global__ void mm(const float* a, const float* b, float* c, size_t m, size_t n, size_t k) {
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  if (i >= m * n) return;
  size_t row = i / n, col = i % n;
  float s = 0;
  for (size_t p = 0; p < k; ++p) s += a[row * k + p] * b[p * n + col];
  c[i] = s;
}
)"},
    {"tiled", R"(
#define TILE 16
__global__ void mm(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float As[TILE][TILE];
  __shared__ float Bs[TILE][TILE];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
  float acc = 0.0f;
  for (int t = 0; t < (K + TILE - 1) / TILE; ++t) {
    As[ty][tx] = row < M && t * TILE + tx < K ? A[row * K + t * TILE + tx] : 0.0f;
    Bs[ty][tx] = col < N && t * TILE + ty < K ? B[(t * TILE + ty) * N + col] : 0.0f;
    __syncthreads();  // loaded
    for (int k = 0; k < TILE; ++k) acc += As[ty][k] * Bs[k][tx];
    __syncthreads();  // used
  }
  if (row < M && col < N) C[row * N + col] = acc;
}
)"},
    {"blocked", R"(
constexpr int BM = 64, BN = 64, BK = 16;
__global__ void mm(int M, int N, int K, const float* A, const float* B, float* C) {
  __shared__ float sA[BM * BK], sB[BK * BN];
  const int tx = threadIdx.x, ty = threadIdx.y, tid = ty * 16 + tx;
  const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
  float acc[4][4] = {};
  for (int k0 = 0; k0 < K; k0 += BK) {
    for (int i = tid; i < BM * BK; i += 256) {
      int r = i / BK, c = i % BK;
      sA[i] = row0 + r < M && k0 + c < K ? A[(row0 + r) * K + k0 + c] : 0.f;
    }
    for (int i = tid; i < BK * BN; i += 256) {
      int r = i / BN, c = i % BN;
      sB[i] = k0 + r < K && col0 + c < N ? B[(k0 + r) * N + col0 + c] : 0.f;
    }
    __syncthreads();
    for (int k = 0; k < BK; ++k)
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) acc[i][j] += sA[(ty * 4 + i) * BK + k] * sB[k * BN + tx * 4 + j];
    __syncthreads();  // used
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) {
      int r = row0 + ty * 4 + i, c = col0 + tx * 4 + j;
      if (r < M && c < N) C[r * N + c] = acc[i][j];
    }
}
)"},
    {"vector", R"(
#define TS 32
__global__ void mm(float* A, float* B, float* C, int M, int N, int K) {
  __shared__ float sA[TS][TS], sB[TS][TS];
  int t = threadIdx.x, r = t / 8, c4 = (t % 8) * 4, row0 = blockIdx.y * TS, col0 = blockIdx.x * TS;
  float acc[4] = {0.f, 0.f, 0.f, 0.f};
  for (int k0 = 0; k0 < K; k0 += TS) {
    *reinterpret_cast<float4*>(&sA[r][c4]) =
        *reinterpret_cast<float4*>(&A[(row0 + r) * K + k0 + c4]);
    *reinterpret_cast<float4*>(&sB[r][c4]) =
        *reinterpret_cast<float4*>(&B[(k0 + r) * N + col0 + c4]);
    __syncthreads();
    for (int k = 0; k < TS; k++)
      for (int j = 0; j < 4; j++) acc[j] += sA[r][k] * sB[k][c4 + j];
    __syncthreads();
  }
  float4 out = make_float4(acc[0], acc[1], acc[2], acc[3]);
  *reinterpret_cast<float4*>(&C[(row0 + r) * N + col0 + c4]) = out;
}
void launch(float* A, float* B, float* C, int M, int N, int K) {
  dim3 grid(N / TS, M / TS);
  mm<<<grid, 256>>>(A, B, C, M, N, K);
}
)"},
    {"scaled", R"(
__global__ void mm(int M, int N, int K, float alpha, const float *A, const float *B, float beta,
                   float *C) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < M && y < N) {
    float tmp = 0.0;
    for (int i = 0; i < K; ++i) tmp += A[x * K + i] * B[i * N + y];
    C[x * N + y] = alpha * tmp + beta * C[x * N + y];
  }
}
)"},
    {"pointers", R"(
#define BS 16
__global__ void mm(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float As[BS * BS], Bs[BS * BS];
  const int tx = threadIdx.x % BS, ty = threadIdx.x / BS;
  A += blockIdx.y * BS * K;
  B += blockIdx.x * BS;
  C += blockIdx.y * BS * N + blockIdx.x * BS;
  float acc = 0.0f;
  for (int k0 = 0; k0 < K; k0 += BS) {
    As[ty * BS + tx] = A[ty * K + tx];
    Bs[ty * BS + tx] = B[ty * N + tx];
    __syncthreads();
    A += BS;
    B += BS * N;
    for (int k = 0; k < BS; ++k) acc += As[ty * BS + k] * Bs[k * BS + tx];
    __syncthreads();
  }
  C[ty * N + tx] = acc;
}
void launch(float* A, float* B, float* C, int M, int N, int K) {
  mm<<<dim3(N / BS, M / BS), BS * BS>>>(A, B, C, M, N, K);
}
)"},
    {"template", R"(
template <typename T, int TILE>
__global__ void mm(const T* __restrict__ A, const T* __restrict__ B, T* __restrict__ C, int m,
                   int n, int k) {
  int row = blockIdx.y * TILE + threadIdx.y;
  int col = (blockIdx.x * TILE + threadIdx.x) * 2;
  if (row >= m) return;
  T s0 = 0, s1 = 0;
  for (int i = 0; i < k; ++i) {
    if (col < n) s0 += A[row * k + i] * B[i * n + col];
    if (col + 1 < n) s1 += A[row * k + i] * B[i * n + col + 1];
  }
  if (col < n) C[row * n + col] = s0;
  if (col + 1 < n) C[row * n + col + 1] = s1;
}
void run(const float* A, const float* B, float* C, int m, int n, int k) {
  constexpr int T = 16;
  dim3 block(T, T), grid((n + 2 * T - 1) / (2 * T), (m + T - 1) / T);
  mm<float, T><<<grid, block>>>(A, B, C, m, n, k);
}
)"},
};

const std::map<std::string, std::string> host_code = {
    {"none", ""},
    {"sizes", R"(
int main() {
  int M = 512, N = 768, K = 256;
  float *dA, *dB, *dC;
  cudaMalloc(&dA, M * K * sizeof(float));
  dim3 block(16, 16);
  dim3 grid((N + 15) / 16, (M + 15) / 16);
  mm<<<grid, block>>>(dA, dB, dC, M, N, K);
}
)"},
    {"side", R"(
int main(int argc, char** argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 1024;
  float *d_a, *d_b, *d_c;
  dim3 threads(16, 16), blocks((n + 15) / 16, (n + 15) / 16);
  mm<<<blocks, threads>>>(d_a, d_b, d_c, n);
}
)"},
    {"scales", R"(
int main() {
  int M = 1024, N = 512, K = 256;
  float alpha = 1.0f, beta = 0.0f, *dA, *dB, *dC;
  dim3 gridDim((M + 31) / 32, (N + 31) / 32), blockDim(32, 32);
  mm<<<gridDim, blockDim>>>(M, N, K, alpha, dA, dB, beta, dC);
}
)"},
};

struct Change {
  std::string from, to;
};

struct Case {
  std::string kernel, host;
  std::vector<Change> changes;
  std::string said;          // a part of what is said of it
  std::string options = "";  // a part of the options that are right
};

std::string text_of(const Case& one) {
  std::string text = kernels.at(one.kernel) + host_code.at(one.host);
  for (const Change& change : one.changes) text = replaced(text, change.from, change.to);
  return text;
}

KernelRun run_of(const std::string& text) {
  const TemporaryDirectory folder;  // with no other files, which might launch the kernel
  const auto path = folder.path() / "mine.cu";
  REQUIRE(write_file_atomically(path, text));
  RunOptions options = on_emulator({64, 64, 64});
  options.further = std::vector<Problem>{};
  const KernelSource kernel =
      find_launch(read_kernel_file(path), {}, simt::find_gpu("h200"), "run");
  PreparedKernel prepared = prepare(kernel, options);
  KernelRun result = run_cuda(prepared, options);
  try_further_sizes(result, prepared, options);
  result.wrong.right_options = kernel.found.right_options;
  if (result.wrong.right_options.empty() && kernel.found.is_guess && !is_clean(result))
    result.wrong.right_options = right_options(kernel, simt::find_gpu("h200"));
  return result;
}

// All that a report says of the result.
std::string said_of(const KernelRun& run) {
  std::string text = run.wrong.kind ? run.wrong.kind->text : "";
  if (!run.source.found.reading.empty()) text += "; right as " + run.source.found.reading;
  if (run.emulation) {
    for (const auto& finding : run.emulation->findings) text += "; " + simt::message(finding);
  }
  return text;
}

void check(const std::vector<Case>& cases) {
  for (const Case& one : sample_of(cases, 10)) {
    const std::string text = text_of(one);
    INFO(one.kernel << ", host code: " << one.host << text);
    const KernelRun run = run_of(text);
    INFO(said_of(run) << " | " << run.wrong.right_options);
    CHECK(contains(said_of(run), one.said));
    CHECK(contains(run.wrong.right_options, one.options));
  }
}

}  // namespace

TEST_CASE("kinds: nothing is said of right kernels", "[long]") {
  for (const auto& [kernel, host] : {std::pair{"naive", "none"},
                                     {"naive", "sizes"},
                                     {"square", "none"},
                                     {"square", "side"},
                                     {"line", "none"},
                                     {"tiled", "none"},
                                     {"tiled", "sizes"},
                                     {"blocked", "none"},
                                     {"vector", "none"},
                                     {"pointers", "none"},
                                     {"scaled", "none"},
                                     {"scaled", "scales"},
                                     {"template", "none"}}) {
    INFO(kernel << ", host code: " << host);
    const KernelRun run = run_of(text_of({kernel, host, {}, ""}));
    CHECK(is_clean(run));
    CHECK(said_of(run) == "");
    CHECK(run.wrong.right_options == "");
  }
}

TEST_CASE("kinds: a tile of A that is stored transposed is right, if it is read so", "[long]") {
  const std::string store = "As[ty][tx] =", load = "As[ty][k]";
  const KernelRun run =
      run_of(text_of({"tiled", "none", {{store, "As[tx][ty] ="}, {load, "As[k][ty]"}}, ""}));
  CHECK(is_clean(run));
  CHECK(said_of(run) == "");
  check({{"tiled",
          "none",
          {{store, "As[tx][ty] ="}},
          "A's rows and columns are exchanged in each 16×16 elements"},
         {"tiled",
          "none",
          {{"ty) * N + col]", "ty) * N + t * TILE + tx]"}},
          "B is read in tiles of 16 columns that begin where the step along K does"}});
}

TEST_CASE("kinds: a kernel that nothing launches", "[long]") {
  check({
      {"naive", "none", {{"B[k * N + col]", "B[col * K + k]"}}, "C is A·Bᵀ", "--transposed b"},
      {"naive", "none", {{"A[row * K + k]", "A[k * M + row]"}}, "C is Aᵀ·B", "--transposed a"},
      {"naive", "none", {{"A[row * K", "A[col * K"}}, "A is read at index column·K + k"},
      {"naive", "none", {{"k * N + col", "k * K + col"}}, "B is read at index k·K + column"},
      {"naive", "none", {{"C[row * N", "C[row * M"}}, "C is written at index row·M + column"},
      {"naive",
       "none",
       {{"A[row * K + k] * B[k * N + col]", "A[k * M + row] * B[col * K + k]"},
        {"C[row * N + col]", "C[col * M + row]"}},
       "A·B of matrices that are stored column by column"},
      {"naive",
       "none",
       {{"    C[row * N + col] = sum;\n", ""}},
       "4,096 of the 4,096 elements of C"},
      {"naive", "none", {{"= sum;", "= 0;"}}, "C is 0 everywhere"},
      {"naive", "none", {{"= sum;", "+= sum;"}}, "right as A·B + C"},
      {"naive", "none", {{"= sum;", "= 2 * sum;"}}, "C is exactly 2 times too large"},
      {"naive", "none", {{"k < K", "k < K - 1"}}, "The last product is missing"},
      {"naive", "none", {{"k++", "k += 2"}}, "only the products of even k"},
      {"naive", "none", {{"row < M", "row < M - 1"}}, "C's last row is missing"},
      {"naive", "none", {{"sum +=", "sum ="}}, "Only the last of the 64 products is there"},
      {"line", "none", {{"b[p * n + col]", "b[col * k + p]"}}, "C is A·Bᵀ", "--transposed b"},
      {"line", "none", {{"] * b", "] + b"}}, "C is the sum of A's and B's values"},
      {"naive", "none", {{"K + k]", "K + k + 4]"}}, "A is read at index row·K + k + 4"},
      {"naive",
       "none",
       {{"A[row * K + k] * B[k *", "A[row * K + col] * B[row *"}},
       "C is K times the product of one element of A, at index row·K + column, and one of B"},
      {"naive",
       "sizes",
       {{"sum += A[row * K + k] * B[k *", "sum = A[row * N + col] * B[row *"}},
       "C is the product of one element of A, at index row·N + column, and one of B"},
      {"pointers",
       "none",
       {{"B += BS * N", "B += BS"}},
       "B moves on by 16 elements from each step along K to the next, not by 16·N elements"},
      {"pointers", "none", {{"A += BS;", "A += BS * K;"}}, "A moves on by 1024 elements"},
      {"naive",
       "none",
       {{"float sum = 0.0f;",
         "float sum = 0.0f, a[4]; for (int i = 0; i <= 4; "
         "++i) a[i] = B[i]; sum += 0 * a[0];"}},
       "a loop writes a[4], outside a, which has 4 floats"},
      {"tiled",
       "none",
       {{"(K + TILE - 1) / TILE", "K / TILE - 1"}},
       "The last products are missing"},
      {"tiled",
       "none",
       {{"Bs[k][tx]", "Bs[tx][k]"}},
       "B's rows and columns are exchanged in each 16"},
      {"blocked",
       "none",
       {{"k0 + c]", "c]"}},
       "Every step along K uses the first step's tile of A"},
      {"blocked", "none", {{"= acc[i][j]", "= acc[j][i]"}}, "exchanged in each 4×4 elements of C"},
      {"blocked", "none", {{"j < 4; ++j) {", "j < 3; ++j) {"}}, "The last of each 4 columns of C"},
      {"vector", "none", {{"k0 < K;", "k0 < K - TS;"}}, "The last step along K is missing"},
      {"template", "none", {{"B[i * n + col + 1]", "B[i * n + col]"}}, "Each 2 columns of C hold"},
      {"scaled", "none", {{"B[i * N + y]", "B[y * K + i]"}}, "C is A·Bᵀ", "--transposed b"},
  });
}

TEST_CASE("kinds: a kernel with one size", "[long]") {
  check({
      {"square", "none", {{"B[k * N + col]", "B[col * N + k]"}}, "C is A·Bᵀ"},
      {"square", "side", {{"B[k * N + col]", "B[col * N + k]"}}, "right as A·Bᵀ, but not as A·B,"},
      {"square", "none", {{"C[row * N + col]", "C[col * N + row]"}}, "C is (A·B)ᵀ"},
      {"square", "none", {{"A[row * N", "A[col * N"}}, "A is read at index column·K + k"},
      {"square",
       "none",
       {{"A[row * N + k] * B[k", "B[row * N + k] * A[k"}},
       "right as B·A, or A·B of matrices that are stored column by column"},
      {"square", "side", {{"B[k", "A[k"}}, "C is A·A"},
      {"square",
       "none",
       {{"sum += A[row * N + k] * B[k *", "sum = A[row * N + col] * B[row *"}},
       "C is the product of A and B element by element"},
      {"square", "none", {{"k = 0", "k = 1"}}, "The first product is missing"},
      {"square", "none", {{"k < N", "k < N / 2"}}, "the products of the first half of K"},
      {"square", "none", {{"  C[row * N + col] = sum;\n", ""}}, "4,096 of the 4,096 elements of C"},
  });
}

TEST_CASE("kinds: host code that exchanges arguments, or x and y of the grid", "[long]") {
  const std::string names = "--args A,B,C,M,N,K", exchanged = "has the grid's x and y exchanged";
  check({
      {"naive", "sizes", {{"(dA, dB", "(dB, dA"}}, "passes dB for A and dA for B", names},
      {"naive", "sizes", {{"dC, M, N", "dC, N, M"}}, "passes N for M and M for N", names},
      {"tiled", "sizes", {{"M, N, K);", "M, K, N);"}}, "passes K for N and N for K", names},
      {"tiled", "sizes", {{"dB, dC", "dC, dB"}}, "passes dC for B and dB for C", names},
      {"naive", "sizes", {{"int M, int N, int", "int N, int M, int"}}, "passes M for N", "N,M,K"},
      {"scaled",
       "scales",
       {{"alpha, dA, dB, beta", "beta, dA, dB, alpha"}},
       "passes beta for alpha"},
      {"naive", "sizes", {{"(N + 15) / 16, (M", "(M + 15) / 16, (N"}}, exchanged, "--grid-x n"},
      {"tiled", "sizes", {{"(N + 15) / 16, (M", "(M + 15) / 16, (N"}}, exchanged, "--tile 16x16"},
      {"scaled", "scales", {{"(M + 31) / 32, (N", "(N + 31) / 32, (M"}}, exchanged, "--grid-x m"},
      {"vector", "none", {{"N / TS, M", "M / TS, N"}}, exchanged, "--grid"},
      {"template",
       "none",
       {{"(n + 2 * T - 1) / (2 * T), (m + T - 1) / T",
         "(m + T - 1) / T, (n + 2 * T - 1) / (2 * T)"}},
       exchanged,
       "--tile 16x32"},
  });
}

TEST_CASE("kinds: the kernel's rows may be anything, if host code passes them so", "[long]") {
  const std::string inner_is_n = R"(
__global__ void mm(const float* A, const float* B, float* C, int M, int N, int K) {
  int r = blockIdx.y * 16 + threadIdx.y, c = blockIdx.x * 16 + threadIdx.x;
  float s = 0;
  if (r < M && c < K) {
    for (int i = 0; i < N; ++i) s += A[r * N + i] * B[i * K + c];
    C[r * K + c] = s;
  }
}
)";
  const std::string host = R"(
void f(float* A, float* B, float* C, int M, int N, int K) {  // A is M×N, and B N×K
  dim3 b(16, 16), g((K + 15) / 16, (M + 15) / 16);
  mm<<<g, b>>>(A, B, C, M, )";
  const std::string naive = kernels.at("naive");
  for (const std::string& text :
       {inner_is_n + host + "N, K);\n}\n", naive + host + "K, N);\n}\n"}) {
    INFO(text);
    const KernelRun run = run_of(text);
    CHECK(is_clean(run));
    CHECK(said_of(run) == "");
    for (const FurtherSize& size : run.further) CHECK(size.is_right);
  }
}

TEST_CASE("kinds: alpha and beta, which host code sets to 1 and 0", "[long]") {
  std::vector<Case> cases;
  for (const std::string host : {"none", "scales"}) {
    cases.insert(cases.end(),
                 {{"scaled", host, {{"alpha * tmp", "tmp"}}, "alpha is ignored"},
                  {"scaled",
                   host,
                   {{"alpha * tmp + beta * C[x * N + y]", "tmp"}},
                   "alpha and beta are ignored"},
                  {"scaled", host, {{" + beta * C[x * N + y]", ""}}, "overwrites what C held"},
                  {"scaled", host, {{"beta * C", "C"}}, "what C held before is added as it is"},
                  {"scaled",
                   host,
                   {{"alpha * tmp + beta", "beta * tmp + alpha"}},
                   "alpha and beta are exchanged"}});
  }
  check(cases);
}

TEST_CASE("kinds: a kernel that adds to C, which host code may clear") {
  const std::string store = "C[row * N + col] = sum;", add = "atomicAdd(&C[row * N + col], sum);";
  const std::string launch = "  mm<<<", clear = "  cudaMemset(dC, 0, M * N * 4);\n" + launch;
  check(
      {{"naive", "sizes", {{store, add}}, "right as A·B + C, which is A·B only if C holds zeros"}});
  const KernelRun run = run_of(text_of({"naive", "sizes", {{store, add}, {launch, clear}}, ""}));
  CHECK(is_clean(run));
  CHECK(said_of(run) == "");
}

TEST_CASE("kinds: a variable that nothing sets", "[long]") {
  const std::string said = "Nothing sets a variable before it is read: if it begins with 0, C is ";
  check({
      {"naive", "sizes", {{"sum = 0.0f", "sum"}}, said},
      {"naive", "none", {{"sum = 0.0f", "sum"}}, said},
      {"square", "side", {{"sum = 0", "sum"}}, said},
      {"tiled", "none", {{"acc = 0.0f", "acc"}}, said},
      {"blocked", "none", {{"acc[4][4] = {}", "acc[4][4]"}}, said},
  });
}

TEST_CASE("kinds: a barrier is advised only where it makes the result right", "[long]") {
  const std::string advice = "put one";
  check({
      {"tiled", "sizes", {{"__syncthreads();  // loaded", ""}}, advice},
      {"tiled", "none", {{"__syncthreads();  // used", ""}}, advice},
      {"blocked", "none", {{"__syncthreads();  // used", ""}}, advice},
  });
  // Nor would one help where the index is wrong, too.
  const KernelRun run =
      run_of(text_of({"tiled",
                      "sizes",
                      {{"__syncthreads();  // used", ""}, {"A[row * K + t", "A[row * K + 1 + t"}},
                      ""}));
  CHECK(contains(said_of(run), "with no __syncthreads() between"));
  CHECK_FALSE(contains(said_of(run), advice));
}

TEST_CASE("kinds: nothing is said of a kernel whose launch no guess finds", "[long]") {
  // It takes blocks along z, too.
  const std::string split = R"(
__global__ void mm(const float* A, const float* B, float* C, int M, int N, int K) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  int begin = blockIdx.z * (K / 4), end = begin + K / 4;
  if (row >= M || col >= N) return;
  float sum = 0.0f;
  for (int k = begin; k < end; ++k) sum += A[row * K + k] * B[k * N + col];
  atomicAdd(&C[row * N + col], sum);
}
)";
  CHECK(contains(error_of([&] { run_of(split); }).what(), "are missing, because nothing launches"));
}

}  // namespace gemm_tutor
