// How the launch of a user's kernel is found.
#include "run/launch_search.hpp"

#include <filesystem>
#include <regex>

#include "emulator/cuda_kernel.hpp"
#include "run/cuda_run.hpp"
#include "run/device_values.hpp"
#include "run/further_sizes.hpp"
#include "run/prepared_kernel.hpp"
#include "run/run_checks.hpp"
#include "simt/compiler.hpp"
#include "simt/gpu_spec.hpp"
#include "source/branches.hpp"
#include "source/host_launch.hpp"
#include "support/file.hpp"
#include "temporary_directory.hpp"

namespace gemm_tutor {
namespace {

const std::string body = R"({
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M || column >= N) return;
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + column];
  C[row * N + column] = sum;
}
)";

std::string kernel_with(const std::string& parameters) {
  return "__global__ void product(" + parameters + ") " + body;
}

const std::string usual =
    kernel_with("const float* A, const float* B, float* C, int M, int N, int K");

// A file in a folder of its own.
class UserFile {
 public:
  explicit UserFile(const std::string& text) { add("kernel.cu", text); }
  void add(const std::string& name, const std::string& text) const {
    REQUIRE(write_file_atomically(folder_.path() / name, text));
  }
  KernelSource find(const LaunchOptions& options = {}) const {
    return find_launch(read_kernel_file(folder_.path() / "kernel.cu"), options,
                       simt::find_gpu("h200"), "run");
  }

  std::filesystem::path path() const { return folder_.path() / "kernel.cu"; }

 private:
  TemporaryDirectory folder_;
};

std::string arguments(const KernelSource& kernel) { return text_of(kernel.arguments); }

void check_right(const KernelSource& kernel, const Problem& problem = {100, 70, 33}) {
  const RunOptions options = on_emulator(problem);
  const KernelRun result = run_cuda(prepare(kernel, options), options);
  INFO(kernel.found.command);
  CHECK(result.verification.passed);
  CHECK(result.emulation->findings.empty());
}

std::string wrong_kind(const KernelSource& kernel) {
  RunOptions options = on_emulator({64, 96, 80});
  options.further.emplace();
  PreparedKernel prepared = prepare(kernel, options);
  KernelRun result = run_cuda(prepared, options);
  try_further_sizes(result, prepared, options);
  return result.wrong.kind ? result.wrong.kind->text : "";
}

bool has_note(const KernelSource& kernel, const std::string& words) {
  for (const std::string& note : kernel.found.notes) {
    if (contains(note, words)) return true;
  }
  return false;
}

// A kernel of matrices that are stored column by column.
std::string column_major_with(const std::string& stride_of_b) {
  return R"(
__global__ void gemm(int m, int n, int k, const float* A, int lda, const float* B, int ldb, float* C,
                     int ldc) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  const int column = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= m || column >= n) return;
  float sum = 0;
  for (int i = 0; i < k; ++i) sum += A[row + i * lda] * B[i + column * )" +
         stride_of_b + R"(];
  C[row + column * ldc] = sum;
}
)";
}

// A kernel whose block is a square tile, and host code that finds its side by these statements.
std::string tiled_with(const std::string& finding_side) {
  return R"(
__global__ void product(const float* A, const float* B, float* C, int M, int N, int K, int side,
                        unsigned floats) {
  extern __shared__ float both[];
  float *a = both, *b = both + floats;
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * side + y, column = blockIdx.x * side + x;
  float sum = 0;
  for (int step = 0; step < K; step += side) {
    a[y * side + x] = row < M && step + x < K ? A[row * K + step + x] : 0;
    b[y * side + x] = step + y < K && column < N ? B[(step + y) * N + column] : 0;
    __syncthreads();
    for (int k = 0; k < side; ++k) sum += a[y * side + k] * b[k * side + x];
    __syncthreads();
  }
  if (row < M && column < N) C[row * N + column] = sum;
}
void go(float* A, float* B, float* C, int M, int N, int K) {
  cudaDeviceProp p;
  cudaGetDeviceProperties(&p, 0);
)" + finding_side +
         R"(
  dim3 block(side, side), grid((N + side - 1) / side, (M + side - 1) / side);
  product<<<grid, block, 2 * side * side * sizeof(float)>>>(A, B, C, M, N, K, side, side * side);
})";
}

// One warp computes 16×16 elements of C.
std::string tile_by_wmma(const std::string& head) {
  return R"(
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda::wmma;
)" + head +
         R"( {
  fragment<matrix_a, 16, 16, 16, half, row_major> a;
  fragment<matrix_b, 16, 16, 16, half, row_major> b;
  fragment<accumulator, 16, 16, 16, float> c;
  fill_fragment(c, 0.0f);
  for (int k = 0; k < K; k += 16) {
    load_matrix_sync(a, A + blockIdx.y * 16 * K + k, K);
    load_matrix_sync(b, B + k * N + blockIdx.x * 16, N);
    mma_sync(c, a, b, c);
  }
  store_matrix_sync(C + blockIdx.y * 16 * N + blockIdx.x * 16, c, N, mem_row_major);
}
)";
}

TEST_CASE("the matrices of a kernel with C linkage have the types that the file says") {
  if (!simt::no_nvrtc().empty()) SKIP_BECAUSE(simt::no_nvrtc());
  const UserFile file(tile_by_wmma(R"(extern "C" __global__ void tile(
    const half* __restrict__ A, const half* __restrict__ B, float* C, int M, int N, int K))") +
                      "void run(half* A, half* B, float* C, int M, int N, int K) {\n"
                      "  tile<<<dim3(N / 16, M / 16), 32>>>(A, B, C, M, N, K);\n}\n");
  check_right(file.find(), {64, 96, 80});
}

TEST_CASE("a struct's three pointers are matrices by the usual names of operands") {
  const UserFile file(R"(
struct Operands { const float *lhs, *rhs; float* dst; int M, N, K; };
__global__ void product(Operands all) {
  const float *A = all.lhs, *B = all.rhs;
  float* C = all.dst;
  const int M = all.M, N = all.N, K = all.K;)" +
                      body.substr(1) + R"(
void launch(Operands all) {
  product<<<dim3((all.N + 15) / 16, (all.M + 15) / 16), dim3(16, 16)>>>(all);
})");
  check_right(file.find());
}

TEST_CASE("a kernel in a branch of #if that only a build's options take is compiled") {
  const std::string launch =
      "void run(const float* A, const float* B, float* C, int M, int N, int K) {\n"
      "  product<<<dim3((N + 15) / 16, (M + 15) / 16), dim3(16, 16)>>>(A, B, C, M, N, K);\n}\n";
  for (const std::string& head :
       {std::string("#ifdef HAS_PRODUCT\n"),
        std::string("#ifndef HAS_PRODUCT\n#define HAS_PRODUCT 0\n#endif\n#if HAS_PRODUCT\n"),
        std::string("#if NO_PRODUCT > 0\nint none;\n#elif WITH_PRODUCT\n"),
        std::string("#if defined(A) && \\\n    (A > 2 || \\\n     defined(B))\n")}) {
    const UserFile file(head + usual + launch + "#endif\n");
    const KernelSource kernel = file.find();
    check_right(kernel);
    CHECK(has_note(kernel, "branch of #if"));
    CHECK(kernel.source == head + usual + launch + "#endif\n");  // as a report shows it
  }
  CHECK(source::with_branch_of_kernel("#ifdef A // yes\n" + usual + "#elif B || \\\n  C\n#endif\n",
                                      "product") == "#if 1" + std::string(10, ' ') + "\n" + usual +
                                                        "#elif 0" + std::string(8, ' ') +
                                                        "\n\n#endif\n");
}

TEST_CASE("a kernel may have constraints of C++20, and words of them in a comment") {
  const UserFile file(
      "template <class T> requires std::same_as<T, float>\n"
      "__global__ void product(const T* A, const T* B, T* C, int M, int N, int K) " +
      body +
      "void run(const float* A, const float* B, float* C, int M, int N, int K) {\n"
      "  product<float><<<dim3((N + 15) / 16, (M + 15) / 16), dim3(16, 16)>>>"
      "(A, B, C, M, N, K);  // requires a GPU\n}\n");
  check_right(file.find());
}

TEST_CASE("halves may be in pointers to 16 bits or to nothing, and in structs") {
  if (!simt::no_nvrtc().empty()) SKIP_BECAUSE(simt::no_nvrtc());
  const std::string launch = "  tile<<<dim3(N / 16, M / 16), 32>>>(A, B, C, M, N, K);\n}\n";
  const std::string halves = "{\n  const half *A = (const half*)p, *B = (const half*)q;";
  for (const std::string type : {"unsigned short", "int16_t", "void"}) {
    const UserFile file(
        std::regex_replace(tile_by_wmma("__global__ void tile(const " + type + "* p, const " +
                                        type + "* q, float* C, int M, int N, int K)"),
                           std::regex(R"( \{)"), " " + halves,
                           std::regex_constants::format_first_only) +
        "void run(half* A, half* B, float* C, int M, int N, int K) {\n" + launch);
    check_right(file.find(), {64, 96, 80});
  }
  const std::string all = R"( const half *A = all.A, *B = all.B; float* C = all.C;
  const int N = all.N, K = all.K;)";
  const UserFile of_struct(
      std::regex_replace(tile_by_wmma("struct All { const half *A, *B; float* C; int M, N, K; };\n"
                                      "__global__ void tile(All all)"),
                         std::regex(R"(all\) \{)"), "all) {" + all) +
      "void run(All all) { tile<<<dim3(all.N / 16, all.M / 16), 32>>>(all); }\n");
  check_right(of_struct.find(), {64, 96, 80});
  const std::string each = R"( const half *A = a_.data, *B = b_.data; float* C = c_.data;
  const int N = b_.cols, K = a_.cols;)";
  const UserFile of_templates(
      std::regex_replace(
          tile_by_wmma("template <class T> struct Matrix { T* data; int rows, cols; };\n"
                       "__global__ void tile(Matrix<half> a_, Matrix<half> b_, Matrix<float> c_)"),
          std::regex(R"(c_\) \{)"), "c_) {" + each) +
      "void run(Matrix<half> A, Matrix<half> B, Matrix<float> C) {\n"
      "  tile<<<dim3(C.cols / 16, C.rows / 16), 32>>>(A, B, C);\n}\n");
  check_right(of_templates.find(), {64, 96, 80});
}

TEST_CASE("what a member of a template points to is known for one argument") {
  const auto element = [](const std::string& parameter, const std::string& members) {
    const UserFile file("#include <cuda_fp16.h>\n" + members + "__global__ void k(" + parameter +
                        " all) { *all.C = 1; }\n");
    const Pass pass = compile_pass(read_kernel_file(file.path()), simt::find_gpu("h200"),
                                   Emulation::required, nullptr);
    const auto& known = pass.signature.members;
    return known.empty() || known[0].empty() ? "" : known[0].back().element;
  };
  const std::string of_one = "template <class T> struct Matrix { int M, N; T* C; };\n";
  CHECK(element("Matrix<half>", of_one) == "__half");
  CHECK(element("const Matrix<float>", of_one) == "float");
  CHECK(element("Matrix<unsigned char>", of_one) == "unsigned char");
  const std::string of_constant =
      "template <class T> struct Matrix { int M, N; T* A; float* C; };\n";
  CHECK(element("Matrix<const float>", of_constant) == "float");
  CHECK(element("Args<half, float>",
                "template <class T, class U> struct Args { const T *A, *B; U* C; };\n")
            .empty());
}

TEST_CASE("a template argument may be an instance of a template") {
  const std::string head = R"(
template <int X, int Y> struct Tile { static constexpr int x = X, y = Y; };
template <class T>
__global__ void product(const float* A, const float* B, float* C, int M, int N, int K) )" +
                           body;
  const std::string of_two =
      "constexpr int W = 64;\ntemplate <int x, int other, int y>\n"
      "void run(const float* A, const float* B, float* C, int M, int N, int K) {\n"
      "  product<Tile<x, y>><<<dim3((N + x - 1) / x, (M + y - 1) / y), dim3(x, y)>>>"
      "(A, B, C, M, N, K);\n}\n"
      "void both(const float* A, const float* B, float* C, int M, int N, int K) {\n";
  for (const std::string& launch :
       {std::string("void run(const float* A, const float* B, float* C, int M, int N, int K) {\n"
                    "  constexpr int side = 16;\n"
                    "  product<Tile<side, 8>><<<dim3((N + 15) / 16, (M + 7) / 8), dim3(16, 8)>>>"
                    "(A, B, C, M, N, K);\n}\n"),
        std::string(
            "template <class T>\n"
            "void run(const float* A, const float* B, float* C, int M, int N, int K) {\n"
            "  product<T><<<dim3((N + T::x - 1) / T::x, (M + T::y - 1) / T::y), dim3(T::x, T::y)>>>"
            "(A, B, C, M, N, K);\n}\n"
            "void both(const float* A, const float* B, float* C, int M, int N, int K) {\n"
            "  run<Tile<16, 8>>(A, B, C, M, N, K);\n}\n"),
        of_two + "  run<16, (W < 32), 8>(A, B, C, M, N, K);\n}\n",
        of_two + "  run<16, (W >> 3), 8>(A, B, C, M, N, K);\n}\n",
        std::string(
            "constexpr int W = 64;\n"
            "void run(const float* A, const float* B, float* C, int M, int N, int K) {\n"
            "  product<Tile<(W >> 2), 8>>"
            "<<<dim3((N + 15) / 16, (M + 7) / 8), dim3(16, 8)>>>(A, B, C, M, N, K);\n}\n")}) {
    INFO(launch);
    const UserFile file(head + launch);
    const KernelSource kernel = file.find();
    check_right(kernel);
    CHECK(kernel.name_expression == "product<Tile<16, 8>>");
  }
}

TEST_CASE("template arguments may be of the kernel's namespace") {
  const UserFile file(R"(
namespace tiles {
struct Small { static constexpr int side = 16; };
enum class Order { rows, columns };
template <class Config, Order order, bool is_safe, class T>
__global__ void product(const T* A, const T* B, T* C, int M, int N, int K) )" +
                      body + R"(
void run(const float* A, const float* B, float* C, int M, int N, int K) {
  const dim3 grid((N + Small::side - 1) / Small::side, (M + Small::side - 1) / Small::side);
  product<Small, Order::rows, true, float>
      <<<grid, dim3(Small::side, Small::side)>>>(A, B, C, M, N, K);
}
})");
  const KernelSource kernel = file.find();
  check_right(kernel);
  CHECK(kernel.name_expression == "tiles::product<tiles::Small, tiles::Order::rows, true, float>");
}

TEST_CASE("a launch in a comment is read where there is no other") {
  if (!simt::no_nvrtc().empty()) SKIP_BECAUSE(simt::no_nvrtc());
  const std::string tile = tile_by_wmma(
      "__global__ void tile(const half* A, const half* B, float* C, int M, int N, int K)");
  const std::string head = "void run(half* A, half* B, float* C, int M, int N, int K) {\n";
  for (const std::string& launch :
       {std::string(
            "  const dim3 grid(N / 16, M / 16);\n  // tile<<<grid, 32>>>(A, B, C, M, N, K);\n"),
        std::string("  int grid = 1;\n  //dim3 grid(N / 16, M / 16), block(32);\n"
                    "  // tile<<<grid, block>>>(A, B, C,\n  //                     M, N, K);\n")}) {
    const UserFile file(tile + head + launch + "}\n");
    const KernelSource kernel = file.find();
    check_right(kernel, {64, 96, 80});
    CHECK(has_note(kernel, "in a comment"));
    CHECK_FALSE(kernel.found.is_guess);
  }
  for (const std::string other :
       {"// dim3 grid(1); other<<<grid, 1>>>(A);\n", "// my_tile<<<grid, 32>>>(A, B, C);\n",
        "// of a tile: other<<<grid, 32>>>(A, B, C);\n",
        "// a tile<<<grid, 32>>> isn't\n// faster\n// int M = 3;\n"}) {
    INFO(other);
    CHECK(source::with_commented_launches(other, "tile") == other);
  }
  CHECK(
      source::with_commented_launches("// it's dim3 grid(1);\n// tile<Two<4>><<<grid, f(1)>>>(A,\n"
                                      "//   B)  // the last\n// int M = 3;\n",
                                      "tile") ==
      "   it's dim3 grid(1);\n   tile<Two<4>><<<grid, f(1)>>>(A,\n"
      "     B)  // the last\n// int M = 3;\n");
}

TEST_CASE("a grid's unknown number of columns that come one after another is more than C has") {
  const UserFile file(usual + R"(
void run(const float* A, const float* B, float* C, int M, int N, int K, int stride) {
  const int parts = (N + stride - 1) / stride;
  const dim3 grid(((N + 15) / 16 + parts - 1) / parts, (M + 15) / 16, parts);
  product<<<grid, dim3(16, 16)>>>(A, B, C, M, N, K);
})");
  const KernelSource kernel = file.find();
  check_right(kernel);
  CHECK(has_note(kernel, "1,048,576"));
}

TEST_CASE("a kernel that exchanges elements by bits of addresses is right on older GPUs",
          "[long]") {
  const UserFile file(R"(
__global__ void product(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float row[1024];
  const int lane = threadIdx.x, m = blockIdx.y, n = blockIdx.x * 32 + lane;
  unsigned first = __cvta_generic_to_shared(row);
  float sum = 0;
  for (int k0 = 0; k0 < K; k0 += 32) {
    row[lane * 32 ^ lane] = A[m * K + k0 + lane];
    __syncwarp();
    for (int k = 0; k < 32; ++k) {
      unsigned at = first + k * 128;
      at ^= at >> 5 & 0x7c;
      float a;
      asm volatile("ld.shared.f32 %0, [%1];" : "=f"(a) : "r"(at) : "memory");
      sum += a * B[(k0 + k) * N + n];
    }
    __syncwarp();
  }
  C[m * N + n] = sum;
}
void run(const float* A, const float* B, float* C, int M, int N, int K) {
  product<<<dim3(N / 32, M), 32>>>(A, B, C, M, N, K);
})");
  const KernelSource kernel = file.find();
  CHECK(contains(kernel.found.mistake, "begins at address 1,024"));
  CHECK(kernel.found.right_options == "--gpu a100");
}

TEST_CASE("where shared memory begins is no cause of what else differs on an older GPU", "[long]") {
  const UserFile file(R"(
__global__ void product(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float row[1024];
  const int lane = threadIdx.x, m = blockIdx.y, n = blockIdx.x * 32 + lane;
  float sum = 0;
  for (int k0 = 0; k0 < K; k0 += 32) {
    row[lane * 32 ^ lane] = A[m * K + k0 + lane];
    __syncwarp();
    for (int k = 0; k < 32; ++k) sum += row[k * 32 ^ k] * B[(k0 + k) * N + n];
    __syncwarp();
  }
#if __CUDA_ARCH__ >= 900
  sum += 1;
#endif
  C[m * N + n] = sum;
}
void run(const float* A, const float* B, float* C, int M, int N, int K) {
  product<<<dim3(N / 32, M), 32>>>(A, B, C, M, N, K);
})");
  CHECK_FALSE(contains(file.find().found.mistake, "begins at address"));
}

}  // namespace

TEST_CASE("a launch in the file is used, and the command says the same") {
  const KernelSource kernel = UserFile(usual + R"(
void run(float* a, float* b, float* c, int rows, int columns, int depth) {
  dim3 block(32, 8);
  product<<<dim3((columns + 31) / 32, (rows + 7) / 8), block>>>(a, b, c, rows, columns, depth);
})")
                                  .find();
  CHECK(kernel.shape.block == simt::Dim3{32, 8});
  CHECK(kernel.shape.tile_rows == 8);
  CHECK(kernel.shape.tile_columns == 32);
  CHECK_FALSE(kernel.shape.grid);
  CHECK(contains(kernel.found.command,
                 " --entry product --block 32x8 --tile 8x32 --args A,B,C,M,N,K"));
  CHECK(has_note(kernel, "The launch is that of line 12 of "));
  CHECK_FALSE(kernel.found.is_guess);
  check_right(kernel);
}

TEST_CASE("the launch may be in another file of the folder") {
  UserFile file("#pragma once\n" + usual);
  file.add("main.cpp",
           "#include \"kernel.cu\"\nvoid go(int n) { product<<<dim3(n / 4, n / 64), dim3(4, 64)>>>"
           "(a, b, c, n, n, n); }\n");
  const KernelSource kernel = file.find();
  CHECK(kernel.shape.block == simt::Dim3{4, 64});
  REQUIRE(kernel.shape.grid);
  CHECK((*kernel.shape.grid)[0] == "N / 4");
  CHECK((*kernel.shape.grid)[1] == "M / 64");
  CHECK(has_note(kernel, "main.cpp"));
  check_right(kernel, {128, 64, 48});
}

TEST_CASE("what calls the function that launches may be in another file") {
  UserFile file("template <int X, int Y>\n" +
                kernel_with("const float* A, const float* B, float* C, "
                            "int M, int N, int K") +
                R"(
template <int X, int Y>
struct Launcher {
  static void run(float* a, float* b, float* c, int m, int n, int k) {
    product<X, Y><<<dim3((n + X - 1) / X, (m + Y - 1) / Y), dim3(X, Y)>>>(a, b, c, m, n, k);
  }
};
)");
  for (const char* name : {"aa.cu", "bb.cpp"})  // which only have one of the two names
    file.add(name, "void other() { run(1); }\n");
  file.add("main.cpp",
           "#include \"kernel.cu\"\nvoid go(int n) { Launcher<64, 4>::run(a, b, c, n, n, n); }\n");
  const KernelSource kernel = file.find();
  CHECK(kernel.name_expression == "product<64, 4>");
  CHECK(kernel.shape.block == simt::Dim3{64, 4});
  CHECK_FALSE(kernel.found.is_guess);
  CHECK(has_note(kernel, "What calls the function that launches it is in "));
  check_right(kernel);
}

TEST_CASE("a header that needs what its includer has before it is compiled in that") {
  const std::string header =
      "#pragma once\n__global__ void product(const float* A, const float* B, float* C, int M, "
      "int N, int K) {\n  static_assert(SIDE == 16);\n" +
      body.substr(1);
  UserFile file(header);
  CHECK_THROWS_AS(file.find(), Error);  // nothing includes it
  file.add("binary.cu", std::string("#include \"kernel.cu\"\n\0", 22));
  CHECK_THROWS_WITH(file.find(), Catch::Contains("does not compile"));
  file.add("all.h", "#include \"kernel.cu\"\n");
  file.add(
      "main.cu",
      "#define SIDE 16\n#include \"all.h\"\nvoid go(int n) { product<<<dim3((n + 15) / 16, (n + "
      "3) / 4), dim3(16, 4)>>>(a, b, c, n, n, n); }\n");
  const KernelSource kernel = file.find();
  CHECK(has_note(kernel, "does not compile by itself, and so it was compiled in"));
  CHECK(contains(kernel.found.command, "main.cu --entry product"));
  CHECK(kernel.shape.block == simt::Dim3{16, 4});
  check_right(kernel);
}

TEST_CASE("of several launches that say as much, the one that is right is taken") {
  const auto with_launches = [](const std::string& first, const std::string& second) {
    return UserFile(usual + "#if SMALL\nvoid go(int n) { product<<<dim3(n / 32, n / 32), " + first +
                    ">>>(a, b, c, n, n, n); }\n#else\nvoid go(int n) { product<<<dim3(n / 32, "
                    "n / 32), " +
                    second + ">>>(a, b, c, n, n, n); }\n#endif\n")
        .find();
  };
  CHECK(with_launches("dim3(32, 32)", "dim3(16, 16)").shape.block == simt::Dim3{32, 32});
  CHECK(with_launches("dim3(16, 16)", "dim3(32, 32)").shape.block == simt::Dim3{32, 32});
  // One that no GPU can launch is left out.
  CHECK(with_launches("dim3(64, 64)", "dim3(32, 32)").shape.block == simt::Dim3{32, 32});
}

TEST_CASE("a type that the launch leaves open is that of what it passes") {
  const KernelSource kernel =
      UserFile("#include <cuda_fp16.h>\ntemplate <typename T>\n" +
               replaced(kernel_with("const T* A, const T* B, float* C, int M, int N, int K"),
                        "A[row * K + k] * B[k * N + column]",
                        "float(A[row * K + k]) * float(B[k * N + column])") +
               "void go(half* a, half* b, float* c, int n) {\n"
               "  product<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(a, b, c, n, n, n);\n}\n")
          .find();
  CHECK(kernel.name_expression == "product<half>");
  // Where that does not compile, it was no more than a guess.
  for (const char* type : {"void", "float2", "Unknown"}) {
    const KernelSource other =
        UserFile("template <typename T>\n" +
                 kernel_with("const T* A, const T* B, float* C, int M, int N, int K") + "void go(" +
                 type + "* a, " + type + "* b, float* c, int n) {\n" +
                 "  product<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(a, b, c, n, n, n);\n}\n")
            .find();
    CHECK(other.name_expression == "product<float>");
  }
}

TEST_CASE("of kernels with one name, the first that is defined is run") {
  const KernelSource kernel =
      UserFile("__global__ void product(const float* A, float* C, int M, int N, int K);\n" + usual +
               "__global__ void product(const float* A, const float* B, float* C, int n) {}\n")
          .find();
  check_right(kernel);
  CHECK_THROWS_WITH(
      UserFile(usual + "__global__ void product(const float* A, float* C, int n) {}\n"
                       "void go(float* a, float* c, int n) { product<<<n, 32>>>(a, c, n); }\n")
          .find(),
      "several kernels are named product, and host code launches another than the first");
}

TEST_CASE("a kernel of the file comes before those of headers, to compare with") {
  UserFile file("#include \"check.h\"\n" + usual);
  file.add("check.h",
           "__global__ void compare(const float* A, const float* B, float* C, int M, int N, int K)"
           " {}\n");
  CHECK(file.find().name_expression == "product");
}

TEST_CASE("the launch of another file is not taken if that defines a kernel of its own") {
  UserFile file(usual);
  file.add("other.cu", usual +
                           "void go(float* a, float* b, float* c, int n) {\n"
                           "  product<<<dim3(1, n), 1>>>(a, b, c, n, n, n);\n}\n");
  const KernelSource kernel = file.find();
  CHECK(kernel.found.is_guess);
  check_right(kernel);
}

// One thread for each 4×8 elements, 128 in a block, which nothing in the file says.
constexpr const char* of_128_threads = R"(
#include "sides.h"
__global__ void product(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float a[SIDE * DEPTH], b[DEPTH * SIDE];
  const int y = threadIdx.x / (SIDE / 8) * 4, x = threadIdx.x % (SIDE / 8) * 8;
  const int row = blockIdx.y * SIDE, column = blockIdx.x * SIDE;
  float sums[4][8] = {};
  for (int step = 0; step < K; step += DEPTH) {
    for (int i = threadIdx.x; i < SIDE * DEPTH; i += blockDim.x) {
      const int r = row + i / DEPTH, k = step + i % DEPTH;
      a[i] = r < M && k < K ? A[r * K + k] : 0;
    }
    for (int i = threadIdx.x; i < SIDE * DEPTH; i += blockDim.x) {
      const int k = step + i / SIDE, c = column + i % SIDE;
      b[i] = k < K && c < N ? B[k * N + c] : 0;
    }
    __syncthreads();
    for (int k = 0; k < DEPTH; ++k)
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 8; ++j) sums[i][j] += a[(y + i) * DEPTH + k] * b[k * SIDE + x + j];
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 8; ++j)
      if (row + y + i < M && column + x + j < N)
        C[(row + y + i) * N + column + x + j] = sums[i][j];
})";

TEST_CASE("a right kernel is not launched with more threads than it is for") {
  UserFile file(of_128_threads);
  file.add("sides.h", "#define SIDE 64\n#define DEPTH 8\n");
  const KernelSource kernel = file.find();
  CHECK(kernel.found.is_guess);
  CHECK(kernel.shape.block == simt::Dim3{128});
  CHECK(kernel.shape.tile_rows == 64);
  CHECK(kernel.shape.tile_columns == 64);
  check_right(kernel);
}

TEST_CASE("one thread may compute all of C") {
  const KernelSource kernel = UserFile(R"(
__global__ void product(float* C, float* A, float* B, int n, int m, int k) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      float sum = 0;
      for (int l = 0; l < k; ++l) sum += A[i * k + l] * B[l * m + j];
      C[i * m + j] = sum;
    }
}
void go(float* c, float* a, float* b, int n, int m, int k) { product<<<1, 1>>>(c, a, b, n, m, k); })")
                                  .find();
  CHECK(arguments(kernel) == "C, A, B, M, N, K");
}

TEST_CASE("without a launch, block and grid are a guess that a small problem confirms") {
  const KernelSource kernel = UserFile(usual).find();
  CHECK(kernel.found.is_guess);
  CHECK(has_note(kernel, "Nothing launches this kernel. Block and grid are a guess"));
  check_right(kernel);

  const KernelSource flat = UserFile(R"(
__global__ void product(const float* A, const float* B, float* C, int M, int N, int K) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= M * N) return;
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += A[i / N * K + k] * B[k * N + i % N];
  C[i] = sum;
})")
                                .find();
  REQUIRE(flat.shape.grid);
  CHECK_FALSE(flat.shape.has_tile());
  CHECK((*flat.shape.grid)[0] == "(M * N + 255) / 256");
  check_right(flat);
}

TEST_CASE("a block that host code finds from the GPU's properties is read, and no other is blamed",
          "[long]") {
  const KernelSource found =
      UserFile(tiled_with("int side = min((int)sqrt(p.maxThreadsPerBlock), min(M, N));")).find();
  CHECK(found.shape.block == simt::Dim3{32, 32});
  CHECK(found.shape.dynamic_shared == "8192");
  CHECK(arguments(found) == "A, B, C, M, N, K, 32, 1024");
  CHECK_FALSE(found.found.is_guess);
  check_right(found);

  const Error error =
      error_of([&] { UserFile(tiled_with("int side = atoi(getenv(\"SIDE\"));")).find(); });
  CHECK(contains(error.what(),
                 "run: --block and --shared are missing, because the value of 'side' "
                 "in the launch at line 23 of "));
}

TEST_CASE("a block that occupies an SM most is found where the registers are known") {
  if (!simt::compiler_status().has_assembler) SKIP_BECAUSE("there is no machine code");
  const KernelSource occupied =
      UserFile(
          tiled_with(
              "int least, most; cudaOccupancyMaxPotentialBlockSize(&least, &most, product, 0, 0);\n"
              "int side = sqrt(most);"))
          .find();
  CHECK(occupied.shape.block == simt::Dim3{32, 32});
}

TEST_CASE("the block that occupies an SM most is the largest of those with the most threads") {
  const simt::GpuSpec gpu = simt::find_gpu("h200");
  CHECK(most_occupied_block(gpu, {.registers_per_thread = 32}) == 1024);
  // 65,536 registers are 16 warps of 128 registers: 512 threads.
  CHECK(most_occupied_block(gpu, {.registers_per_thread = 128}) == 512);
}

TEST_CASE("a kernel that is right nowhere is not launched by a guess", "[long]") {
  const Error error = error_of([] {
    UserFile(
        "__global__ void product(const float* A, const float* B, float* C, int M, int N, int "
        "K) { C[0] = A[0] * B[0]; }")
        .find();
  });
  CHECK(error.status() == ExitStatus::usage);
  CHECK(contains(error.what(),
                 "run: --block and --tile or --grid are missing, because nothing "
                 "launches product"));
  CHECK(contains(error.help(), "Give the launch, as in 'gemm-tutor run "));
}

TEST_CASE("names that do not say the order of the arguments leave it to a trial") {
  struct Case {
    std::string parameters, expected;
  };
  // The kernel's own names, and what its code makes of them.
  const Case cases[] = {
      {"float* M_, float* N_, float* P, int m, int n, int o", "A, B, C, M, K, N"},
      {"int n, int m, int w, const float* x, const float* y, float* z", "K, M, N, A, B, C"},
      {"float* out, const float* p, const float* q, int a, int b, int c", "C, A, B, N, K, M"}};
  const std::string codes[] = {
      "#define A M_\n#define B N_\n#define C P\n#define M m\n#define K n\n#define N o\n",
      "#define A x\n#define B y\n#define C z\n#define M m\n#define K n\n#define N w\n",
      "#define A p\n#define B q\n#define C out\n#define N a\n#define K b\n#define M c\n"};
  for (std::size_t i = 0; i < std::size(cases); ++i) {
    INFO(cases[i].parameters);
    const KernelSource kernel = UserFile(codes[i] + kernel_with(cases[i].parameters)).find();
    CHECK(arguments(kernel) == cases[i].expected);
    CHECK(has_note(kernel, "found by trying"));
    check_right(kernel);
  }
}

TEST_CASE("column-major and transposed matrices, and additions to C, are found", "[long]") {
  const std::string head =
      "__global__ void product(int M, int N, int K, const float* A, const "
      "float* B, float* C) {\n"
      "  const int i = blockIdx.x * 16 + threadIdx.x, j = blockIdx.y * 16 + "
      "threadIdx.y;\n  if (i >= M || j >= N) return;\n  float sum = 0;\n"
      "  for (int k = 0; k < K; ++k) ";
  const KernelSource by_columns =
      UserFile(head + "sum += A[k * M + i] * B[j * K + k];\n  C[j * M + i] = sum;\n}\n").find();
  CHECK(arguments(by_columns) == "N, M, K, B, A, C");
  check_right(by_columns);

  const std::string launch =
      "void f() { product<<<dim3((M + 15) / 16, (N + 15) / 16), "
      "dim3(16, 16)>>>(M, N, K, a, b, c); }\n";
  const KernelSource transposed =
      UserFile(head + "sum += A[i * K + k] * B[j * K + k];\n  C[i * N + j] = sum;\n}\n" + launch)
          .find();
  CHECK(transposed.transposed == Transposed{false, true});
  CHECK(contains(transposed.found.command, "--transposed b"));
  CHECK(has_note(transposed, "B is stored transposed: N×K."));
  check_right(transposed);

  // Without a launch, the matrix must have the name.
  const auto guessed = [&](const std::string& name) {
    return UserFile("__global__ void product(const float* A, const float* " + name +
                    ", float* C, int M, int N, int K) {\n"
                    "  const int i = blockIdx.y * 16 + threadIdx.y, j = blockIdx.x * 16 + "
                    "threadIdx.x;\n  if (i >= M || j >= N) return;\n  float sum = 0;\n"
                    "  for (int k = 0; k < K; ++k) sum += A[i * K + k] * " +
                    name + "[j * K + k];\n  C[i * N + j] = sum;\n}\n")
        .find();
  };
  CHECK(guessed("B_T").transposed == Transposed{false, true});
  CHECK(guessed("B_T").found.reading == "A·Bᵀ, but not as A·B,");
  CHECK(guessed("B").transposed == Transposed{});

  const KernelSource adding =
      UserFile(head + "sum += A[i * K + k] * B[k * N + j];\n  C[i * N + j] += sum;\n}\n" + launch)
          .find();
  CHECK(adding.c_before == InitialC::random);
  check_right(adding);
}

TEST_CASE("a grid's z may depend on K, and dynamic shared memory too") {
  const KernelSource split = UserFile(R"(
__global__ void product(const float* A, const float* B, float* C, int M, int N, int K) {
  const int row = blockIdx.y * 8 + threadIdx.y, column = blockIdx.x * 32 + threadIdx.x;
  if (row >= M || column >= N) return;
  float sum = 0;
  for (int k = blockIdx.z * 32; k < min(blockIdx.z * 32 + 32, K); ++k)
    sum += A[row * K + k] * B[k * N + column];
  atomicAdd(C + row * N + column, sum);
}
void f(const float* A, const float* B, float* C, int M, int N, int K) {
  cudaMemset(C, 0, M * N * sizeof(float));
  dim3 block(32, 8), grid((N + 31) / 32, (M + 7) / 8, (K + 31) / 32);
  product<<<grid, block>>>(A, B, C, M, N, K);
})")
                                 .find();
  CHECK(contains(split.found.command, "(K + 31) / 32"));
  check_right(split);

  const std::string rows = R"(
__global__ void product(const float* A, const float* B, float* C, int M, int N, int K) {
  extern __shared__ float row[];
  for (int k = threadIdx.x; k < K; k += blockDim.x) row[k] = A[blockIdx.x * K + k];
  __syncthreads();
  for (int n = threadIdx.x; n < N; n += blockDim.x) {
    float sum = 0;
    for (int k = 0; k < K; ++k) sum += row[k] * B[k * N + n];
    C[blockIdx.x * N + n] = sum;
  }
}
void f(const float* A, const float* B, float* C, int M, int N, int K) {
  product<<<M, 128, K * sizeof(float)>>>(A, B, C, M, N, K);
})";
  const KernelSource shared = UserFile(rows).find();
  CHECK(contains(shared.found.command, "--grid M --shared 'K * 4'"));
  check_right(shared);
}

TEST_CASE("a literal 0 in a launch is passed as it is, and not replaced by an alpha") {
  const KernelSource found = UserFile(R"(
__global__ void product(const float* A, const float* B, float* C, int M, int N, int K, float init) {
  const int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  if (row >= M || column >= N) return;
  float sum = init;
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + column];
  C[row * N + column] = sum;
}
void f(const float* A, const float* B, float* C, int M, int N, int K) {
  product<<<dim3((N + 15) / 16, (M + 15) / 16), dim3(16, 16)>>>(A, B, C, M, N, K, 0.0f);
})")
                                 .find();
  CHECK(arguments(found) == "A, B, C, M, N, K, 0.0");
  check_right(found);
}

// A launch that passes m, n and k, and this as the strides.
KernelSource with_strides(const std::string& strides) {
  return UserFile(R"(
__global__ void product(int m, int n, int k, const float* A, int lda, const float* B, int ldb,
                        float* C, int ldc) {
  const int i = blockIdx.y * 16 + threadIdx.y, j = blockIdx.x * 16 + threadIdx.x;
  if (i >= m || j >= n) return;
  float sum = 0;
  for (int p = 0; p < k; ++p) sum += A[i * lda + p] * B[p * ldb + j];
  C[i * ldc + j] = sum;
}
void f(int m, int n, int k, const float* A, const float* B, float* C) {
  product<<<dim3((n + 15) / 16, (m + 15) / 16), dim3(16, 16)>>>(m, n, k, )" +
                  strides + R"();
})")
      .find();
}

TEST_CASE("a stride that host code passes is not mended in silence") {
  const KernelSource right = with_strides("A, k, B, n, C, n");
  CHECK(right.found.mistake == "");
  check_right(right);
  for (const auto& [strides, mistake] : {std::pair{"A, m, B, n, C, n", "passes m for lda"},
                                         {"A, k, B, k, C, n", "passes k for ldb"},
                                         {"A, k, B, n, C, m", "passes m for ldc"}}) {
    const KernelSource wrong = with_strides(strides);
    INFO(strides);
    CHECK(contains(wrong.found.mistake, mistake));
    CHECK(wrong.found.right_options == "--args M,N,K,A,K,B,N,C,N");
  }
}

TEST_CASE("exchanged operands and sizes are not mended in silence, whatever they are called") {
  const std::string of_rows =
      "__global__ void product(float* A, float* B, float* C, int numARows, int numAColumns, int "
      "numBRows, int numBColumns) {\n"
      "  const int M = numARows, K = numAColumns, N = numBColumns;" +
      body.substr(1);
  const auto found = [&](const std::string& passed) {
    return UserFile(of_rows + R"(
void go(float* deviceA, float* deviceB, float* deviceC, int numARows, int numAColumns,
        int numBRows, int numBColumns) {
  dim3 block(16, 16), grid((numBColumns + 15) / 16, (numARows + 15) / 16);
  product<<<grid, block>>>()" +
                    passed + ");\n}\n")
        .find()
        .found.mistake;
  };
  CHECK(found("deviceA, deviceB, deviceC, numARows, numAColumns, numBRows, numBColumns") == "");
  CHECK(contains(found("deviceB, deviceA, deviceC, numARows, numAColumns, numBRows, numBColumns"),
                 "passes deviceB for A and deviceA for B"));
  CHECK(contains(found("deviceA, deviceB, deviceC, numBColumns, numAColumns, numBRows, numARows"),
                 "passes numBColumns for numARows and numARows for numBColumns"));
}

TEST_CASE("N that is passed for K is a mistake where host code has a K") {
  const auto found = [&](const std::string& begin) {
    return UserFile(usual + begin + R"(
  dim3 block(16, 16), grid((N + 15) / 16, (M + 15) / 16);
  product<<<grid, block>>>(A, B, C, M, N, N);
}
)")
        .find()
        .found.mistake;
  };
  CHECK(contains(found("void go(float* A, float* B, float* C, int M, int N, int K) {"),
                 "passes N for K"));
  CHECK(found("void go(float* A, float* B, float* C, int M, int N) {") == "");
}

TEST_CASE("a product of column-major matrices is launched as it is") {
  const KernelSource kernel =
      UserFile(column_major_with("ldb") +
               R"(void go(const float* dA, const float* dB, float* dC, int M, int N, int K) {
  dim3 block(16, 16), grid((N + 15) / 16, (M + 15) / 16);
  gemm<<<grid, block>>>(N, M, K, dB, N, dA, K, dC, N);
}
)")
          .find();
  CHECK(arguments(kernel) == "N, M, K, B, N, A, K, C, N");
  CHECK(kernel.found.reading == "");
  CHECK(kernel.found.mistake == "");
  check_right(kernel);
}

TEST_CASE("where host code allocates M×N times N×K, n is K and k is N", "[long]") {
  const auto found = [](const std::string& of_b, const std::string& allocations) {
    return UserFile(R"(
__global__ void product(const float* a, const float* b, float* c, int m, int n, int k) {
  const int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  if (row >= m || column >= k) return;
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += a[row * n + i] * b[)" +
                    of_b + R"(];
  c[row * k + column] = sum;
}
void go(int m, int n, int k) {
  float *d_a, *d_b, *d_c;
  const size_t floats_of_b = n * k;
)" + allocations + R"(
  product<<<dim3((k + 15) / 16, (m + 15) / 16), dim3(16, 16)>>>(d_a, d_b, d_c, m, n, k);
}
)")
        .find();
  };
  const std::string allocations = R"(
  cudaMalloc((void**)&d_a, sizeof(float) * m * n);
  cudaMalloc((void**)&d_b, sizeof(float) * floats_of_b);
  cudaMalloc((void**)&d_c, sizeof(float) * m * k);)";
  const KernelSource right = found("i * k + column", allocations);
  CHECK(arguments(right) == "A, B, C, M, K, N");
  check_right(right);
  // A wrong one has the same order.
  for (const std::string& text : {allocations, std::string()}) {
    const KernelSource wrong = found("i * n + column", text);
    CHECK(arguments(wrong) == "A, B, C, M, K, N");
    CHECK(wrong.found.mistake == "");
  }
}

TEST_CASE("a wrong product of column-major matrices is read by columns", "[long]") {
  const KernelSource kernel =
      UserFile(column_major_with("lda") +
               R"(void go(const float* A, const float* B, float* C, int m, int n, int k) {
  dim3 block(16, 16), grid((m + 15) / 16, (n + 15) / 16);
  gemm<<<grid, block>>>(m, n, k, A, m, B, k, C, m);
}
)")
          .find();
  CHECK(kernel.found.is_column_major);
  CHECK(wrong_kind(kernel) == "B is read at index column·M + k, not column·K + k");
}

TEST_CASE("a block may have threads along z, and no more than a block may have") {
  const auto found = [](const std::string& block) {
    return UserFile(R"(
__global__ void product(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float parts[2][8][16];
  const int row = blockIdx.y * 8 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int k = threadIdx.z; k < K && row < M && column < N; k += 2)
    sum += A[row * K + k] * B[k * N + column];
  parts[threadIdx.z][threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.z > 0 || row >= M || column >= N) return;
  C[row * N + column] = parts[0][threadIdx.y][threadIdx.x] + parts[1][threadIdx.y][threadIdx.x];
}
void go(float* A, float* B, float* C, int M, int N, int K) {
  product<<<dim3((N + 15) / 16, (M + 7) / 8), dim3()" +
                    block + R"()>>>(A, B, C, M, N, K);
})")
        .find();
  };
  const KernelSource kernel = found("16, 8, 2");
  CHECK(contains(kernel.found.command, "--block 16x8x2"));
  check_right(kernel);
  const Error error = error_of([&] { found("64, 32"); });
  CHECK(contains(error.what(), "has blocks of 64×32 threads"));
}

TEST_CASE("a launch with too few threads in a block says with which blocks it is right") {
  const KernelSource kernel = UserFile(R"(
#define SIDE 32
__global__ void product(const float* A, const float* B, float* C, int M, int N, int K) {
  const int row = blockIdx.y * SIDE + threadIdx.y, column = blockIdx.x * SIDE + threadIdx.x;
  if (row >= M || column >= N) return;
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + column];
  C[row * N + column] = sum;
}
void go(const float* A, const float* B, float* C, int M, int N, int K) {
  dim3 block(16, 16), grid((N + SIDE - 1) / SIDE, (M + SIDE - 1) / SIDE);
  product<<<grid, block>>>(A, B, C, M, N, K);
})")
                                  .find();
  CHECK(contains(kernel.found.mistake,
                 "has blocks of 16×16 threads, and is right with blocks of 32×32"));
  CHECK(kernel.found.right_options == "--block 32x32");
}

TEST_CASE("a kernel whose results another one reads is not called wrong") {
  const Error error = error_of([] {
    UserFile(R"(
__global__ void parts(const float* A, const float* B, float* C, int M, int N, int K) {
  const int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  if (row >= M || column >= N) return;
  float sum = 0;
  for (int k = blockIdx.z; k < K; k += 2) sum += A[row * K + k] * B[k * N + column];
  C[(blockIdx.z * M + row) * N + column] = sum;
}
__global__ void add(const float* parts, float* C, int count) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < count) C[i] = parts[i] + parts[count + i];
}
void go(const float* A, const float* B, float* C, float* buffer, int M, int N, int K) {
  parts<<<dim3((N + 15) / 16, (M + 15) / 16, 2), dim3(16, 16)>>>(A, B, buffer, M, N, K);
  add<<<(M * N + 255) / 256, 256>>>(buffer, C, M * N);
})")
        .find();
  });
  CHECK(contains(error.what(), "parts leaves its results in buffer, which add reads in line 15"));
}

TEST_CASE("a grid that host code limits has as many blocks as large sizes give it") {
  const KernelSource kernel = UserFile(R"(
__global__ void product(const float* A, const float* B, float* C, int M, int N, int K) {
  for (int i = blockIdx.x * 128 + threadIdx.x; i < M * N; i += gridDim.x * 128) {
    float sum = 0;
    for (int k = 0; k < K; ++k) sum += A[i / N * K + k] * B[k * N + i % N];
    C[i] = sum;
  }
}
void go(const float* A, const float* B, float* C, int M, int N, int K) {
  int blocks = (M * N + 127) / 128;
  if (blocks > 40) blocks = 40;
  product<<<blocks, 128>>>(A, B, C, M, N, K);
})")
                                  .find();
  CHECK(contains(kernel.found.command, "--grid 40"));
  check_right(kernel);
}

TEST_CASE("an exchanged grid is found where a tile's sides would hide it") {
  const KernelSource kernel = UserFile(R"(
__global__ void product(const float* A, const float* B, float* C, int M, int N, int K) {
  for (int row = blockIdx.y * 32 + threadIdx.y; row < min(M, (int)blockIdx.y * 32 + 32); row += 16) {
    for (int column = blockIdx.x * 64 + threadIdx.x;
         column < min(N, (int)blockIdx.x * 64 + 64); column += 16) {
      float sum = 0;
      for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + column];
      C[row * N + column] = sum;
    }
  }
}
void go(const float* A, const float* B, float* C, int M, int N, int K) {
  product<<<dim3((M + 31) / 32, (N + 63) / 64), dim3(16, 16)>>>(A, B, C, M, N, K);
})")
                                  .find();
  CHECK(contains(kernel.found.mistake, "has the grid's x and y exchanged"));
}

TEST_CASE(
    "a grid may have sizes that the kernel does not get, and the number of a batch's products") {
  const KernelSource kernel = UserFile(R"(
struct Strides { long a, b, c; };
template <int SIDE>
__global__ void product(float* C, const float* A, const float* B, int wA, int wB, Strides s) {
  A += blockIdx.z * s.a, B += blockIdx.z * s.b, C += blockIdx.z * s.c;
  const int row = blockIdx.y * SIDE + threadIdx.y, column = blockIdx.x * SIDE + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < wA; ++k) sum += A[row * wA + k] * B[k * wB + column];
  C[row * wB + column] = sum;
}
void go(float* C, const float* A, const float* B, int hA, int wA, int wB, int batches, Strides s) {
  product<16><<<dim3(wB / 16, hA / 16, batches), dim3(16, 16)>>>(C, A, B, wA, wB, s);
})")
                                  .find();
  CHECK(arguments(kernel) == "C, A, B, K, N, {M * K,K * N,M * N}");
  CHECK(has_note(kernel, "Of the batch one product is run"));
  check_right(kernel, {64, 96, 33});
}

TEST_CASE("structs of pointers and sizes, CUDA's vectors and empty functors are parameters",
          "[long]") {
  const KernelSource of_struct = UserFile(R"(
struct Parameters { const float* A; const float* B; float* C; int M, N, K; };
__global__ void product(Parameters p) {
  const float* A = p.A;
  const float* B = p.B;
  float* C = p.C;
  const int M = p.M, N = p.N, K = p.K;)" + body.substr(1) +
                                          R"(
void go(const float* dA, const float* dB, float* dC, int M, int N, int K) {
  Parameters p;
  p.A = dA, p.B = dB, p.C = dC, p.M = M, p.N = N, p.K = K;
  product<<<dim3((N + 15) / 16, (M + 15) / 16), dim3(16, 16)>>>(p);
}
)")
                                     .find();
  CHECK(arguments(of_struct) == "{A,B,C,M,N,K}");
  CHECK(contains(of_struct.found.command, "--args '{A,B,C,M,N,K}'"));
  check_right(of_struct);

  const auto kind_with_scales = [&](const std::string& value) {
    const KernelSource kernel = UserFile(R"(
struct Parameters { const float* A; const float* B; float* C; int M, N, K; float alpha, beta; };
__global__ void product(Parameters p) {
  const int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  if (row >= p.M || column >= p.N) return;
  float sum = 0;
  for (int k = 0; k < p.K; ++k) sum += p.A[row * p.K + k] * p.B[k * p.N + column];
  p.C[row * p.N + column] = )" + value + R"(;
}
void go(Parameters p) {
  product<<<dim3((p.N + 15) / 16, (p.M + 15) / 16), dim3(16, 16)>>>(p);
}
)")
                                    .find();
    CHECK(arguments(kernel) == "{A,B,C,M,N,K,alpha,beta}");
    return wrong_kind(kernel);
  };
  CHECK(kind_with_scales("p.alpha * sum + p.beta * p.C[row * p.N + column]") == "");
  CHECK(contains(kind_with_scales("p.alpha * sum + p.beta"), "beta itself is added, not beta·C"));

  const KernelSource of_vector =
      UserFile(
          "__global__ void product(float* A, float* B, float* C, int3 "
          "sizes) {\n  const int M = sizes.x, N = sizes.y, K = sizes.z;" +
          body.substr(1) + R"(
void go(float* A, float* B, float* C, int M, int N, int K) {
  product<<<dim3((N + 15) / 16, (M + 15) / 16), dim3(16, 16)>>>(A, B, C, make_int3(M, N, K));
}
)")
          .find();
  CHECK(arguments(of_vector) == "A, B, C, {M,N,K}");
  check_right(of_vector);

  const KernelSource with_functor = UserFile(R"(
struct Multiply { __device__ float operator()(float a, float b) const { return a * b; } };
template <class Operation>
__global__ void product(const float* A, const float* B, float* C, int M, int N, int K,
                        Operation multiply) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M || column >= N) return;
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += multiply(A[row * K + k], B[k * N + column]);
  C[row * N + column] = sum;
}
void go(float* A, float* B, float* C, int M, int N, int K) {
  product<<<dim3((N + 15) / 16, (M + 15) / 16), dim3(16, 16)>>>(A, B, C, M, N, K, Multiply());
}
)")
                                        .find();
  CHECK(with_functor.name_expression == "product<Multiply>");
  CHECK(arguments(with_functor) == "A, B, C, M, N, K, {}");
  check_right(with_functor);
}

TEST_CASE("B and A that are passed for structs A and B are a mistake") {
  const std::string text = R"(
struct Matrix { int width, height; float* elements; };
__global__ void product(const Matrix A, const Matrix B, Matrix C) {
  const int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  if (row >= C.height || column >= C.width) return;
  float sum = 0;
  for (int k = 0; k < A.width; ++k)
    sum += A.elements[row * A.width + k] * B.elements[k * B.width + column];
  C.elements[row * C.width + column] = sum;
}
void go(const Matrix A, const Matrix B, Matrix C, Matrix d_A, Matrix d_B, Matrix d_C) {
  dim3 block(16, 16), grid((B.width + 15) / 16, (A.height + 15) / 16);
  product<<<grid, block>>>(PASSED, d_C);
}
)";
  const auto mistake = [&](const std::string& passed) {
    std::string one = text;
    return UserFile(one.replace(one.find("PASSED"), 6, passed)).find().found.mistake;
  };
  CHECK(mistake("d_A, d_B") == "");
  CHECK(contains(mistake("d_B, d_A"), "passes d_B for A and d_A for B"));
}

TEST_CASE("no guess hides a kernel that is wrong with the few blocks that host code launches",
          "[long]") {
  const KernelSource kernel = UserFile(R"(
__global__ void product(const float* A, const float* B, float* C, int M, int N, int K) {
  float sum = 0;
  for (int i = blockIdx.x * 128 + threadIdx.x; i < M * N; i += gridDim.x * 128) {
    for (int k = 0; k < K; ++k) sum += A[i / N * K + k] * B[k * N + i % N];
    C[i] = sum;
  }
}
void go(float* A, float* B, float* C, int M, int N, int K) {
  product<<<8, 128>>>(A, B, C, M, N, K);
}
)")
                                  .find();
  CHECK_FALSE(kernel.found.is_guess);
  REQUIRE(kernel.shape.grid);
  CHECK((*kernel.shape.grid)[0] == "8");
}

TEST_CASE("three variables are M, N and K, whatever host code sets them to") {
  const KernelSource kernel = UserFile(R"(
__global__ void linear(const float* X, const float* W, float* Y, int batch, int in, int out) {
  const int o = blockIdx.x * 16 + threadIdx.x, b = blockIdx.y * 16 + threadIdx.y;
  if (o >= out || b >= batch) return;
  float sum = 0;
  for (int i = 0; i < in; ++i) sum += X[b * in + i] * W[o * in + i];
  Y[b * out + o] = sum;
}
void go(float* x, float* w, float* y) {
  const int batch = 32, in = 100, out = 50;
  linear<<<dim3((out + 15) / 16, (batch + 15) / 16), dim3(16, 16)>>>(x, w, y, batch, in, out);
}
)")
                                  .find();
  CHECK(arguments(kernel) == "A, B, C, M, K, N");
  CHECK(kernel.transposed == Transposed{false, true});
  check_right(kernel);
}

TEST_CASE("of several products, the one that host code launches is meant") {
  const KernelSource kernel =
      UserFile(
          usual +
          "__global__ void other(const float* A, const float* B, float* C, int M, int N, "
          "int K) " +
          body +
          "void go(float* A, float* B, float* C, int M, int N, int K) {\n  product<<<dim3((N + "
          "15) / 16, (M + 15) / 16), dim3(16, 16)>>>(A, B, C, M, N, K);\n}\n")
          .find();
  CHECK(kernel.name_expression == "product");
  CHECK(has_note(kernel, "host code launches only product"));
}

TEST_CASE("arguments may be expressions of sizes, such as a number of tiles or a pitch in bytes") {
  const KernelSource kernel = UserFile(R"(
__global__ void product(const float* A, size_t pitch, const float* B, float* C, int M, int N, int K,
                        int halves) {
  const int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  if (row >= M || column >= N) return;
  const float* of_row = (const float*)((const char*)A + row * pitch);
  float sum = 0;
  for (int i = 0; i < halves; ++i) {
    for (int k = 2 * i; k < min(2 * i + 2, K); ++k) sum += of_row[k] * B[k * N + column];
  }
  C[row * N + column] = sum;
}
void go(float* d_B, float* d_C, int M, int N, int K) {
  float* d_A;
  size_t pitch;
  cudaMallocPitch(&d_A, &pitch, K * sizeof(float), M);
  int halves = (K + 1) / 2;
  dim3 block(16, 16), grid((N + 15) / 16, (M + 15) / 16);
  product<<<grid, block>>>(d_A, pitch, d_B, d_C, M, N, K, halves);
}
)")
                                  .find();
  CHECK(arguments(kernel) == "A, K * 4, B, C, M, N, K, (K + 1) / 2");
  CHECK(contains(kernel.found.command, "--args 'A,K * 4,B,C,M,N,K,(K + 1) / 2'"));
  check_right(kernel);
  check_right(kernel, {33, 21, 10});
}

TEST_CASE("a batch along z has one product, whatever its number is called") {
  const KernelSource kernel = UserFile(R"(
__global__ void product(const float* p, const float* q, float* o, int nb, int d0, int d1, int d2) {
  const int y = blockIdx.y * 16 + threadIdx.y, x = blockIdx.x * 16 + threadIdx.x;
  if (y >= d0 || x >= d1) return;
  p += (size_t)blockIdx.z * d0 * d2, q += (size_t)blockIdx.z * d2 * d1;
  o += (size_t)blockIdx.z * d0 * d1;
  float sum = 0;
  for (int k = 0; k < d2; ++k) sum += p[y * d2 + k] * q[k * d1 + x];
  o[y * d1 + x] = sum;
}
void go(float* p, float* q, float* o, int nb, int d0, int d1, int d2) {
  product<<<dim3((d1 + 15) / 16, (d0 + 15) / 16, nb), dim3(16, 16)>>>(p, q, o, nb, d0, d1, d2);
}
)")
                                  .find();
  CHECK(arguments(kernel) == "A, B, C, 1, M, N, K");
  check_right(kernel);
}

TEST_CASE("a loop over sizes is a benchmark, and a type that matrices have is that of a float") {
  const KernelSource kernel = UserFile(R"(
template <class T>
__global__ void product(T alpha, const T* A, const T* B, T* C, int M, int N, int K) {
  const int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  if (row >= M || column >= N) return;
  T sum = 0;
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + column];
  C[row * N + column] = alpha * sum;
}
void go(float* A, float* B, float* C) {
  for (int N = 256; N <= 4096; N *= 2)
    product<<<dim3((N + 15) / 16, (N + 15) / 16), dim3(16, 16)>>>(1.0f, A, B, C, N, N, N);
}
)")
                                  .find();
  CHECK(kernel.name_expression == "product<float>");
  CHECK(kernel.found.mistake == "");
  check_right(kernel);
}

TEST_CASE("one launch of several that compute C together is not called wrong") {
  const UserFile file(R"(
__global__ void panel(const float* A, const float* B, float* C, int M, int N, int K, int from,
                      int depth) {
  const int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  if (row >= M || column >= N) return;
  float sum = from == 0 ? 0 : C[row * N + column];
  for (int k = from; k < min(from + depth, K); ++k) sum += A[row * K + k] * B[k * N + column];
  C[row * N + column] = sum;
}
void go(float* A, float* B, float* C, int M, int N, int K) {
  dim3 block(16, 16), grid((N + 15) / 16, (M + 15) / 16);
  for (int k0 = 0; k0 < K; k0 += 256) panel<<<grid, block>>>(A, B, C, M, N, K, k0, 256);
}
)");
  const Error error = error_of([&] { file.find(); });
  CHECK(std::string(error.what()) ==
        "run: line 12 launches panel in a loop over k0, and only one launch is run");
  LaunchOptions all;
  all.arguments = {{Role::a}, {Role::b}, {Role::c},           {Role::m},
                   {Role::n}, {Role::k}, {Role::number, "0"}, {Role::k}};
  check_right(file.find(all));
}

TEST_CASE("what a launch passes comes before other orders, also where the kernel adds to C") {
  const std::string text = R"(
__global__ void split(const float* A, const float* B, float* C, int M, int N, int K, int chunk) {
  const int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  const int from = blockIdx.z * chunk, to = min(K, from + chunk);
  if (row >= M || column >= N) return;
  float sum = 0;
  for (int k = from; k < to; ++k) sum += A[row * K + k] * B[k * N + column];
  atomicAdd(&C[row * N + column], sum);
}
void go(const float* A, const float* B, float* C, int M, int N, int K) {
  const int splits = 3;
  cudaMemset(C, 0, sizeof(float) * M * N);
  int chunk = (K + splits - 1) / splits;
  split<<<dim3((N + 15) / 16, (M + 15) / 16, splits), dim3(16, 16)>>>(A, B, C, M, N, K, chunk);
}
)";
  const KernelSource kernel = UserFile(text).find();
  CHECK(arguments(kernel) == "A, B, C, M, N, K, (K + 3 - 1) / 3");
  check_right(kernel);

  // Products are lost, and no other value of the chunk hides it.
  std::string wrong = text;
  wrong.replace(wrong.find("(K + splits - 1) / splits"), 25, "K / splits");
  CHECK(arguments(UserFile(wrong).find()) == "A, B, C, M, N, K, K / 3");
}

TEST_CASE("a template with structs is an instance of the launch, too") {
  const KernelSource kernel = UserFile(R"(
struct View { const float* p; int rows, cols; };
template <int T>
__global__ void product(View a, View b, float* c) {
  const int row = blockIdx.y * T + threadIdx.y, column = blockIdx.x * T + threadIdx.x;
  if (row >= a.rows || column >= b.cols) return;
  float sum = 0;
  for (int k = 0; k < a.cols; ++k) sum += a.p[row * a.cols + k] * b.p[k * b.cols + column];
  c[row * b.cols + column] = sum;
}
void go(const float* A, const float* B, float* C, int M, int N, int K) {
  product<16><<<dim3((N + 15) / 16, (M + 15) / 16), dim3(16, 16)>>>(View{A, M, K}, View{B, K, N}, C);
}
)")
                                  .find();
  CHECK(kernel.name_expression == "product<16>");
  check_right(kernel);
}

TEST_CASE("sides of a tile are read from a struct in host code, which is passed as it is") {
  const KernelSource kernel = UserFile(R"(
struct Shape { int m, n, k; };
__global__ void product(const float* A, const float* B, float* C, int M, int N, int K, Shape tile) {
  extern __shared__ float chunk[];
  const int row = blockIdx.y * tile.m + threadIdx.y, column = blockIdx.x * tile.n + threadIdx.x;
  float sum = 0;
  for (int k0 = 0; k0 < K; k0 += tile.k) {
    if (threadIdx.x < tile.k)
      chunk[threadIdx.y * tile.k + threadIdx.x] =
          row < M && k0 + threadIdx.x < K ? A[row * K + k0 + threadIdx.x] : 0;
    __syncthreads();
    for (int k = 0; k < tile.k && k0 + k < K; ++k)
      if (column < N) sum += chunk[threadIdx.y * tile.k + k] * B[(k0 + k) * N + column];
    __syncthreads();
  }
  if (row < M && column < N) C[row * N + column] = sum;
}
void go(const float* A, const float* B, float* C, int M, int N, int K) {
  Shape tile = {8, 32, 4};
  dim3 block(tile.n, tile.m), grid((N + tile.n - 1) / tile.n, (M + tile.m - 1) / tile.m);
  product<<<grid, block, tile.m * tile.k * sizeof(float)>>>(A, B, C, M, N, K, tile);
}
)")
                                  .find();
  CHECK(kernel.shape.block == simt::Dim3{32, 8});
  CHECK(kernel.shape.dynamic_shared == "128");
  CHECK(arguments(kernel) == "A, B, C, M, N, K, {8,32,4}");
  check_right(kernel);
}

TEST_CASE("a constant of a template struct is read in a launch, also under another name") {
  for (const char* threads : {"Config<32, 8, 4>::threads", "Own::threads"}) {
    const KernelSource kernel = UserFile(R"(
template <int BM, int BN, int TM = 2>
struct Config {
  static constexpr int rows = BM / TM;
  static constexpr int threads = rows * BN;
};
template <int BM, int BN, int TM>
__global__ void product(const float* A, const float* B, float* C, int M, int N, int K) {
  const int row = blockIdx.y * BM + threadIdx.x / BN * TM, column = blockIdx.x * BN + threadIdx.x % BN;
  for (int i = 0; i < TM; ++i) {
    if (row + i >= M || column >= N) continue;
    float sum = 0;
    for (int k = 0; k < K; ++k) sum += A[(row + i) * K + k] * B[k * N + column];
    C[(row + i) * N + column] = sum;
  }
}
void go(const float* A, const float* B, float* C, int M, int N, int K) {
  using Own = Config<32, 8, 4>;
  const dim3 grid((N + 7) / 8, (M + 31) / 32);
  product<32, 8, 4><<<grid, )" + std::string(threads) +
                                         ">>>(A, B, C, M, N, K);\n}\n")
                                    .find();
    CHECK(kernel.shape.block == simt::Dim3{64});
    check_right(kernel);
  }
}

TEST_CASE("a template whose only parameter is a struct is an instance of the launch") {
  const KernelSource kernel = UserFile(R"(
struct Problem { const float *A, *B; float* C; int M, N, K; };
template <int T>
__global__ void product(Problem p) {
  const int row = blockIdx.y * T + threadIdx.y, column = blockIdx.x * T + threadIdx.x;
  if (row >= p.M || column >= p.N) return;
  float sum = 0;
  for (int k = 0; k < p.K; ++k) sum += p.A[row * p.K + k] * p.B[k * p.N + column];
  p.C[row * p.N + column] = sum;
}
void go(Problem p) {
  constexpr int T = 16;
  product<T><<<dim3((p.N + T - 1) / T, (p.M + T - 1) / T), dim3(T, T)>>>(p);
}
)")
                                  .find();
  CHECK(kernel.name_expression == "product<16>");
  check_right(kernel);
}

TEST_CASE("a loop of launches along K that overwrite C gets a note") {
  const std::string text = usual + R"(
void go(float* A, float* B, float* C, int M, int N, int K) {
  dim3 block(32, 8), grid((N + 31) / 32, (M + 7) / 8);
  int k0;
  for (k0 = 0; k0 < K; k0 += 96) product<<<grid, block>>>(A + k0, B + k0 * N, C, M, N, K);
}
)";
  const std::string note = "A loop around line 13 moves A and B, but not C: ";
  CHECK(has_note(UserFile(text).find(), note));
  std::string of_batch = text;
  of_batch.replace(of_batch.find(", C, M"), 6, ", C + k0, M");
  CHECK_FALSE(has_note(UserFile(of_batch).find(), note));
}

TEST_CASE("a stride that a kernel does without gets a note") {
  const std::string text = R"(
__global__ void product(const float* A, int lda, const float* B, int ldb, float* C, int ldc, int M,
                        int N, int K) {
  const int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  if (row >= M || column >= N) return;
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += A[row * lda + k] * B[k * ldb + column];
  C[row * ldc + column] = sum;
}
)";
  const std::string note = "The kernel does not use ldc, ";
  CHECK_FALSE(has_note(UserFile(text).find(), note));
  std::string without = text;
  without.replace(without.find("row * ldc"), 9, "row * N");
  CHECK(has_note(UserFile(without).find(), note));
}

TEST_CASE("what C held before may be an array of its own", "[long]") {
  const std::string text = R"(
__global__ void product(int m, int n, int k, float alpha, const float* A, const float* B, float beta,
                        const float* before, float* D) {
  const int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  if (row >= m || column >= n) return;
  float sum = 0;
  for (int i = 0; i < k; ++i) sum += A[row * k + i] * B[i * n + column];
  D[row * n + column] = alpha * sum + beta * before[row * n + column];
}
void go(float* a, float* b, float* c, float* d) {
  const int M = 100, N = 200, K = 300;
  product<<<dim3((N + 15) / 16, (M + 15) / 16), dim3(16, 16)>>>(M, N, K, 2.0f, a, b, 0.5f, c, d);
}
)";
  const KernelSource kernel = UserFile(text).find();
  CHECK(std::ranges::count(kernel.arguments, Role::read_c, &Argument::role) == 1);
  check_right(kernel);
  std::string by_names = text;  // "float* C, float* D", as on tensor cores
  for (std::size_t at = 0; (at = by_names.find("before", at)) != by_names.npos;)
    by_names.replace(at, 6, "C");
  by_names.replace(by_names.find("const float* C"), 14, "float* C");
  const KernelSource named = UserFile(by_names).find();
  CHECK(arguments(named) == "M, N, K, alpha, A, B, beta, Cin, C");
  check_right(named);
  std::string of_bias = text;
  for (std::size_t at = 0; (at = of_bias.find("before", at)) != of_bias.npos;)
    of_bias.replace(at, 6, "bias");
  of_bias.replace(of_bias.find("0.5f, c"), 7, "0.5f, v");
  const KernelSource biased = UserFile(of_bias).find();
  CHECK(std::ranges::count(biased.arguments, Role::read_c, &Argument::role) == 0);
  std::string wrong = text;
  wrong.replace(wrong.find("before[row"), 10, "D[row");
  const KernelRun run = run_cuda(prepare(UserFile(wrong).find(), on_emulator({100, 200, 33})),
                                 on_emulator({100, 200, 33}));
  CHECK(run.emulation->findings.front().kind() == simt::FindingKind::uninitialised);
}

TEST_CASE("a struct's size that host code sets to another is found") {
  const std::string text = R"(
struct Params { const float *A, *B; float* C; int M, N, K, lda, ldb, ldc; };
__global__ void product(Params p) {
  const int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  if (row >= p.M || column >= p.N) return;
  float sum = 0;
  for (int k = 0; k < p.K; ++k) sum += p.A[row * p.lda + k] * p.B[k * p.ldb + column];
  p.C[row * p.ldc + column] = sum;
}
void go(Params p, int M, int N, int K) {
  p.lda = K;
  p.ldb = N;
  product<<<dim3((p.N + 15) / 16, (p.M + 15) / 16), dim3(16, 16)>>>(p);
}
)";
  CHECK(UserFile(text).find().found.mistake.empty());
  std::string wrong = text;
  wrong.replace(wrong.find("ldb = N"), 7, "ldb = K");
  const FoundLaunch found = UserFile(wrong).find().found;
  CHECK(found.mistake == "Line 12 sets ldb to K, not to N");
  CHECK(found.right_options == "--args '{A,B,C,M,N,K,K,N,N}'");
}

TEST_CASE("host code that copies another number of floats than it allocates gets a note") {
  const std::string text = usual + R"(
void go(const float* a, const float* b, int M, int N, int K) {
  float *A, *B, *C;
  const size_t of_a = M * K * sizeof(float), of_b = K * N * sizeof(float);
  cudaMalloc(&A, of_a);
  cudaMalloc(&B, of_b);
  cudaMalloc(&C, M * N * sizeof(float));
  cudaMemcpy(A, a, of_a, cudaMemcpyHostToDevice);
  cudaMemcpy(B, b, of_b, cudaMemcpyHostToDevice);
  dim3 block(32, 8), grid((N + 31) / 32, (M + 7) / 8);
  product<<<grid, block>>>(A, B, C, M, N, K);
}
)";
  const std::string note = "Host code, which is not run, allocates K·N floats for B, ";
  CHECK_FALSE(has_note(UserFile(text).find(), note));
  std::string wrong = text;
  wrong.replace(wrong.find("b, of_b"), 7, "b, of_a");
  CHECK(has_note(UserFile(wrong).find(), note));
}

TEST_CASE(
    "exchanged scales of a column-major product are found, also where methods give matrices") {
  const std::string text = R"(
struct View { float* p; int ld; };
__global__ void product(View A, View B, View C, int M, int N, int K, float alpha, float beta) {
  const int i = blockIdx.x * 16 + threadIdx.x, j = blockIdx.y * 16 + threadIdx.y;
  if (i >= M || j >= N) return;
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += A.p[k * A.ld + i] * B.p[j * B.ld + k];
  C.p[j * C.ld + i] = alpha * sum + beta * C.p[j * C.ld + i];
}
void go(Matrix& A, Matrix& B, Matrix& C, int M, int N, int K, float alpha, float beta) {
  dim3 block(16, 16), grid((M + 15) / 16, (N + 15) / 16);
  product<<<grid, block>>>(A.view(), B.data().get(), C.view(), M, N, K, alpha, beta);
}
)";
  CHECK(UserFile(text).find().found.mistake.empty());
  std::string wrong = text;
  wrong.replace(wrong.find("K, alpha, beta);"), 16, "K, beta, alpha);");
  CHECK(UserFile(wrong).find().found.mistake ==
        "The launch in line 12 passes beta for alpha and alpha for beta");
}

TEST_CASE("cudaLaunchKernel() is a launch") {
  const KernelSource kernel = UserFile(usual + R"(
void go(float* A, float* B, float* C, int M, int N, int K) {
  dim3 block(32, 8), grid((N + 31) / 32, (M + 7) / 8);
  void* arguments[] = {&A, &B, &C, &M, &N, &K};
  cudaLaunchKernel((const void*)product, grid, block, arguments, 0, nullptr);
}
)")
                                  .find();
  CHECK(kernel.shape.block == simt::Dim3{32, 8});
  CHECK(has_note(kernel, "The launch is that of line 13 of "));
  check_right(kernel);
}

TEST_CASE("a kernel with its sizes in constants is tried at these") {
  const KernelSource kernel =
      UserFile(
          "constexpr int M = 64, N = 96, K = 32;\n" +
          kernel_with("const float* A, const float* B, float* C") +
          "void go(float* a, float* b, float* c) { product<<<dim3(6, 4), dim3(16, 16)>>>(a, b, "
          "c); }\n")
          .find();
  REQUIRE(kernel.found.only_size);
  CHECK(*kernel.found.only_size == Problem{64, 96, 32});
  CHECK(has_note(kernel, "The kernel has its sizes in constants: M = 64, N = 96 and K = 32."));
  check_right(kernel, *kernel.found.only_size);
}

TEST_CASE("no size is used twice where names say that it is another", "[long]") {
  const auto written_at = [](const std::string& index) {
    return UserFile(R"(
__global__ void product(const float* lhs, const float* rhs, float* out, int rows, int cols,
                        int inner) {
  const int y = blockIdx.y * 16 + threadIdx.y, x = blockIdx.x * 16 + threadIdx.x;
  if (y >= rows || x >= cols) return;
  float sum = 0;
  for (int k = 0; k < inner; ++k) sum += lhs[y * inner + k] * rhs[k * cols + x];
  out[)" + index + R"(] = sum;
}
void f(const float* lhs, const float* rhs, float* out, int rows, int cols, int inner) {
  product<<<dim3((cols + 15) / 16, (rows + 15) / 16), dim3(16, 16)>>>(lhs, rhs, out, rows, cols,
                                                                      inner);
})")
        .find();
  };
  CHECK(arguments(written_at("y * cols + x")) == "A, B, C, M, N, K");
  CHECK(arguments(written_at("y * rows + x")) == "A, B, C, M, N, K");
}

TEST_CASE("an exchanged grid is found whatever the sizes are called") {
  const KernelSource found = UserFile(R"(
__global__ void product(float* a, float* b, float* c, int m, int n, int k) {
  const int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  if (row >= m || column >= k) return;
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += a[row * n + i] * b[i * k + column];
  c[row * k + column] = sum;
}
void f(float* a, float* b, float* c, int m, int n, int k) {
  product<<<dim3((m + 15) / 16, (k + 15) / 16), dim3(16, 16)>>>(a, b, c, m, n, k);
})")
                                 .find();
  CHECK(contains(found.found.mistake, "has the grid's x and y exchanged"));
  CHECK(found.found.right_options == "--tile 16x16 --grid-x n --args A,B,C,M,K,N");
}

TEST_CASE("additions to C and a transposed matrix are found together") {
  const KernelSource found = UserFile(R"(
__global__ void product(float* A, float* B, float* C, int n) {
  const int i = blockIdx.y * 16 + threadIdx.y, j = blockIdx.x * 16 + threadIdx.x;
  if (i >= n || j >= n) return;
  for (int k = 0; k < n; ++k) C[i * n + j] += A[i * n + k] * B[j * n + k];
}
void f(float* A, float* B, float* C, int n) {
  product<<<dim3((n + 15) / 16, (n + 15) / 16), dim3(16, 16)>>>(A, B, C, n);
})")
                                 .find();
  CHECK(found.transposed == Transposed{false, true});
  CHECK(found.c_before == InitialC::random);
  check_right(found, {70, 70, 70});
}

TEST_CASE("a grid may be of members of the host's matrices") {
  const KernelSource found = UserFile(R"(
struct Matrix { int width, height, stride; float* elements; };
__global__ void product(Matrix A, Matrix B, Matrix C) {
  const int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < A.width; ++k)
    sum += A.elements[row * A.stride + k] * B.elements[k * B.stride + column];
  C.elements[row * C.stride + column] = sum;
}
void f(const Matrix A, const Matrix B, Matrix C) {
  Matrix d_A, d_B, d_C;
  dim3 block(16, 16);
  dim3 grid(B.width / block.x, A.height / block.y);
  product<<<grid, block>>>(d_A, d_B, d_C);
})")
                                 .find();
  REQUIRE(found.shape.grid);
  CHECK(*found.shape.grid == GridExpressions{"N / 16", "M / 16", "1"});
  check_right(found, {64, 96, 32});
}

TEST_CASE("a parameter may be a struct that describes a matrix") {
  for (const std::string type :
       {"typedef struct { int width; int height; float* elements; } Matrix;\n#define PITCH width\n",
        "struct Matrix { int height, width, stride; float* elements; };\n#define PITCH stride\n",
        "struct Matrix { float* elements; size_t rows, width; bool flag; };\n#define height rows\n"
        "#define PITCH width\n"}) {
    INFO(type);
    const KernelSource kernel = UserFile(type + R"(
__global__ void product(Matrix A, Matrix B, Matrix C) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= A.height || column >= B.width) return;
  float sum = 0;
  for (int k = 0; k < A.width; ++k) sum += A.elements[row * A.PITCH + k] * B.elements[k * B.PITCH + column];
  C.elements[row * C.PITCH + column] = sum;
})")
                                    .find();
    CHECK(arguments(kernel) == "A, B, C");
    check_right(kernel);
  }
}

TEST_CASE("template arguments are those of the launch") {
  const KernelSource kernel = UserFile(R"(
template <typename T, int SIDE, int MORE = 3>
__global__ void product(const T* A, const T* B, T* C, int M, int N, int K) {
  const int row = blockIdx.y * SIDE + threadIdx.y, column = blockIdx.x * SIDE + threadIdx.x;
  if (row >= M || column >= N) return;
  T sum = 0;
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + column];
  C[row * N + column] = sum;
}
template <typename T> void run(T* a, T* b, T* c, int M, int N, int K) {
  constexpr int SIDE = 8;
  product<T, SIDE><<<dim3((N + SIDE - 1) / SIDE, (M + SIDE - 1) / SIDE), dim3(SIDE, SIDE)>>>(a, b, c, M, N, K);
})")
                                  .find();
  CHECK(kernel.name_expression == "product<float, 8>");
  CHECK(kernel.shape.block == simt::Dim3{8, 8});
  check_right(kernel);
}

TEST_CASE("a type is that of an instance of the launching function, and a scale may be a half") {
  const KernelSource kernel = UserFile(R"(
#include <cuda_fp16.h>
template <typename T>
__global__ void product(size_t m, size_t n, size_t k, T alpha, const T* A, const T* B, T beta, T* C) {
  const size_t row = blockIdx.y * 8 + threadIdx.y, column = blockIdx.x * 8 + threadIdx.x;
  if (row >= m || column >= n) return;
  float sum = 0;
  for (size_t i = 0; i < k; ++i) sum += float(A[row * k + i]) * float(B[i * n + column]);
  C[row * n + column] = T(float(alpha) * sum + float(beta) * float(C[row * n + column]));
}
template <typename T>
void run(size_t m, size_t n, size_t k, const T* alpha, const T* A, const T* B, const T* beta, T* C) {
  product<T><<<dim3((n + 7) / 8, (m + 7) / 8), dim3(8, 8)>>>(m, n, k, *alpha, A, B, *beta, C);
}
template void run<__half>(size_t m, size_t n, size_t k, const __half* alpha, const __half* A,
                          const __half* B, const __half* beta, __half* C);
)")
                                  .find();
  CHECK(kernel.name_expression == "product<__half>");
  CHECK(arguments(kernel) == "M, N, K, alpha, A, B, beta, C");
  check_right(kernel);
}

// One warp for 16×16 elements; T may be a half alone.
const std::string tensor_body = R"({
  const int row = blockIdx.y * 16, column = blockIdx.x * 16;
  if (row >= M || column >= N) return;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, T, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, T, wmma::col_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
  wmma::fill_fragment(c, 0.0f);
  for (int k = 0; k < K; k += 16) {
    wmma::load_matrix_sync(a, A + row * K + k, K);
    wmma::load_matrix_sync(b, B + column * K + k, K);
    wmma::mma_sync(c, a, b, c);
  }
  wmma::store_matrix_sync(C + row * N + column, c, N, wmma::mem_row_major);
}
)";

std::string tensor_kernel(const std::string& head) {
  return "#include <mma.h>\nusing namespace nvcuda;\n" + head + tensor_body;
}

TEST_CASE("of a kernel for tensor cores that nothing launches, one warp is tried for each tile") {
  if (!simt::no_nvrtc().empty()) SKIP_BECAUSE(simt::no_nvrtc());
  const KernelSource kernel =
      UserFile(tensor_kernel("using T = half;\n__global__ void product(const T* A, const T* B, "
                             "float* C, int M, int N, int K) "))
          .find();
  CHECK(kernel.shape.block == simt::Dim3{32});
  CHECK(kernel.shape.tile_rows == 16);
  CHECK(kernel.shape.tile_columns == 16);
  CHECK(kernel.transposed == Transposed{false, true});
  check_right(kernel, {64, 96, 32});
}

TEST_CASE("a type that nothing says is one with which the template compiles") {
  if (!simt::no_nvrtc().empty()) SKIP_BECAUSE(simt::no_nvrtc());
  const KernelSource kernel =
      UserFile(tensor_kernel("template <typename T> __global__ void product(const T* A, const T* "
                             "B, float* C, int M, int N, int K) ") +
               "void go(int M, int N, int K) {\n"
               "  product<<<dim3(N / 16, M / 16), 32>>>(a.data(), b.data(), c.data(), M, N, K); }")
          .find();
  CHECK(kernel.name_expression == "product<__half>");
  check_right(kernel, {64, 96, 32});
  // The type of C may be another.
  const std::string two_types = replaced(
      tensor_kernel("template <typename T, typename Sum> __global__ void product(const T* A, const "
                    "T* B, Sum* C, int M, int N, int K) "),
      "accumulator, 16, 16, 16, float", "accumulator, 16, 16, 16, Sum");
  CHECK(UserFile(two_types).find().name_expression == "product<__half, float>");
  const std::string bytes = replaced(two_types, "wmma::fill_fragment(c, 0.0f)",
                                     "static_assert(sizeof(T) == 1); wmma::fill_fragment(c, 0)");
  CHECK(UserFile(bytes).find().name_expression == "product<signed char, int>");
}

TEST_CASE("how A and B are stored is tried at a large size, too, where a trial is long") {
  const KernelSource kernel = UserFile(R"(
constexpr int M = 2048, N = 2080, K = 4096;
__global__ void product(const float* A, const float* B, float* C) {
  const int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[column * K + k];
  C[row * N + column] = sum;
}
void go(float* a, float* b, float* c) {
  product<<<dim3(N / 16, M / 16), dim3(16, 16)>>>(a, b, c);
}
)")
                                  .find();
  CHECK(kernel.found.only_size == Problem{2048, 2080, 4096});
  CHECK(kernel.transposed == Transposed{false, true});
}

TEST_CASE("a name without its namespace is that of the only kernel with that name") {
  LaunchOptions options;
  options.entry = "product";
  const std::string launch =
      "void go(float* a, float* b, float* c, int m, int n, int k) {\n"
      "  ns::product<<<dim3(n / 16 + 1, m / 16 + 1), dim3(16, 16)>>>("
      "a, b, c, m, n, k); }\n";
  const KernelSource kernel = UserFile("namespace ns {\n" + usual + "}\n" + launch).find(options);
  CHECK(kernel.name_expression == "ns::product");
  check_right(kernel);
  const UserFile two("namespace ns {\n" + usual + "}\nnamespace other {\n" + usual + "}\n");
  CHECK_THROWS_AS(two.find(options), Error);
}

TEST_CASE("a grid for one problem alone is tried with the sizes that its launch passes") {
  const KernelSource kernel = UserFile(R"(
__global__ void product(const float* A, const float* B, float* C, int M, int N, int K) {
  const int row = threadIdx.y, column = threadIdx.x;
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + column];
  C[row * N + column] = sum;
}
int main() {
  const int M = 16, N = 8, K = 12;
  dim3 grid(1, 1), block(8, 16);
  product<<<grid, block>>>(A, B, C, M, N, K);
})")
                                  .find();
  REQUIRE(kernel.found.only_size);
  CHECK(*kernel.found.only_size == Problem{16, 8, 12});
  CHECK(has_note(kernel, "The grid of line 11 is for one problem: M = 16, N = 8 and K = 12."));
  check_right(kernel, *kernel.found.only_size);
}

TEST_CASE("a large size in constants is tried with some blocks, and B transposed") {
  if (!simt::no_nvrtc().empty()) SKIP_BECAUSE(simt::no_nvrtc());
  const std::string with_constants =
      std::regex_replace(tensor_body, std::regex(R"(\b([MNK])\b)"), "$1_GLOBAL");
  const KernelSource kernel =
      UserFile(
          "#include <mma.h>\nusing namespace nvcuda;\nusing T = half;\n"
          "#define M 16\n#define M_TILES 64\n#define M_GLOBAL (M * M_TILES)\n"
          "#define N_GLOBAL 1024\n#define K_GLOBAL (M_TILES * 16)\n"
          "__global__ void product(const T* A, const T* B, float* C) " +
          with_constants +
          "void go(half* a, half* b, float* c) {\n"
          "  product<<<dim3(N_GLOBAL / 16, M_GLOBAL / 16), 32>>>(a, b, c); }\n")
          .find();
  REQUIRE(kernel.found.only_size);
  CHECK(*kernel.found.only_size == Problem{1024, 1024, 1024});
  CHECK(kernel.transposed == Transposed{false, true});
}

TEST_CASE("a kernel of a single product of a tensor core runs at its size") {
  if (!simt::no_nvrtc().empty()) SKIP_BECAUSE(simt::no_nvrtc());
  const KernelSource kernel = UserFile(R"(#include <mma.h>
using namespace nvcuda::wmma;
__global__ void product(const half* A, const half* B, float* C) {
  fragment<matrix_a, 32, 8, 16, half, row_major> a;
  fragment<matrix_b, 32, 8, 16, half, col_major> b;
  fragment<accumulator, 32, 8, 16, float> c;
  fill_fragment(c, 0.0f);
  load_matrix_sync(a, A, 16);
  load_matrix_sync(b, B, 16);
  mma_sync(c, a, b, c);
  store_matrix_sync(C, c, 8, mem_row_major);
}
int main() { product<<<1, 32>>>(A, B, C); })")
                                  .find();
  REQUIRE(kernel.found.only_size);
  CHECK(*kernel.found.only_size == Problem{32, 8, 16});
  CHECK(kernel.transposed == Transposed{false, true});
}

TEST_CASE("alpha and beta may be integers where C is of integers") {
  const KernelSource kernel = UserFile(R"(
__global__ void product(const signed char* A, const signed char* B, const int* C, int* D, int M,
                        int N, int K, int alpha, int beta) {
  const int row = blockIdx.y * 8 + threadIdx.y, column = blockIdx.x * 8 + threadIdx.x;
  if (row >= M || column >= N) return;
  int sum = 0;
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + column];
  D[row * N + column] = alpha * sum + beta * C[row * N + column];
}
int main() {
  int alpha = 1, beta = 1;
  product<<<dim3((N + 7) / 8, (M + 7) / 8), dim3(8, 8)>>>(A, B, C, D, M, N, K, alpha, beta);
})")
                                  .find();
  CHECK(arguments(kernel) == "A, B, Cin, C, M, N, K, alpha, beta");
  check_right(kernel);
}

// Whole tiles of 128×64 alone, as many kernels for tensor cores have them, and B as N×K.
TEST_CASE("a grid in groups of tiles is tried with whole tiles, and with B transposed", "[long]") {
  const std::string text = R"(
#include <cuda_fp16.h>
__global__ void product(const half* A, const half* B, half* C, int M, int N, int K) {
  const int row0 = blockIdx.y * 128, column0 = (blockIdx.z * gridDim.x + blockIdx.x) * 64;
  if (column0 >= N) return;
  for (int e = threadIdx.x; e < 128 * 64; e += blockDim.x) {
    const int row = row0 + e / 64, column = column0 + e % 64;
    float sum = 0;
    for (int k = 0; k < K; ++k) sum += float(A[row * K + k]) * float(B[column * K + k]);
    C[row * N + column] = half(sum);
  }
}
void go(half* a, half* b, half* c, int M, int N, int K, bool grouped, int stride) {
  if (grouped) {
    const int groups = (N + stride - 1) / stride;
    product<<<dim3((N / 64 + groups - 1) / groups, M / 128, groups), 256>>>(a, b, c, M, N, K);
  } else {
    product<<<dim3(16, (M + 127) / 128, (N + 1023) / 1024), 256>>>(a, b, c, M, N, K);
  }
}
)";
  const KernelSource kernel = UserFile(text).find();
  CHECK(kernel.transposed == Transposed{false, true});
  REQUIRE(kernel.shape.grid);  // that of the launch whose numbers are known
  CHECK((*kernel.shape.grid)[0] == "16");
  check_right(kernel, {128, 192, 32});

  LaunchOptions options;  // all are given, but where B has its elements
  options.block = kernel.shape.block;
  options.grid = kernel.shape.grid;
  options.arguments = kernel.arguments;
  CHECK(UserFile(text).find(options).transposed == Transposed{false, true});
}

TEST_CASE("what reads beside B is right but for that, though B is transposed", "[long]") {
  const KernelSource kernel = UserFile(R"(
__global__ void product(const float* A, const float* B, float* C, int M, int N, int K) {
  const int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  if (row >= M || column >= N) return;
  float sum = 0;
  volatile float unused;
  for (int k = 0; k < K; ++k) {
    sum += A[row * K + k] * B[column * K + k];
    unused = B[(column + 16) * K + k];
  }
  C[row * N + column] = sum;
}
void go(float* a, float* b, float* c, int M, int N, int K) {
  product<<<dim3((N + 15) / 16, (M + 15) / 16), dim3(16, 16)>>>(a, b, c, M, N, K);
}
)")
                                  .find();
  CHECK(kernel.transposed == Transposed{false, true});
}

TEST_CASE("a note says that a kernel does not read blockIdx.y, on a grid of two dimensions") {
  LaunchOptions options;
  options.block = simt::Dim3{16, 16};
  options.tile = {16, 16};
  const KernelSource kernel =
      UserFile(
          "__global__ void product(const float* A, const float* B, float* C, int M, int N, int "
          "K) { if (blockIdx.x == 0) C[threadIdx.x] = 1; }")
          .find(options);
  CHECK(has_note(kernel, "product does not read blockIdx.y"));
  CHECK(UserFile(usual).find(options).found == FoundLaunch());
}

TEST_CASE("a grid of expressions is evaluated, and its tile is found") {
  LaunchShape shape;
  shape.grid = GridExpressions{"(N + 63) / 64", "(M + 31) / 32", "2"};
  find_tile(shape);
  CHECK_FALSE(shape.grid);
  CHECK(shape.tile_rows == 32);
  CHECK(shape.tile_columns == 64);
  CHECK(shape.blocks_of_tile == 2);

  shape = {};
  shape.grid = GridExpressions{"M / 48", "N / 128", "1"};
  find_tile(shape);
  REQUIRE(shape.grid);  // rounded down
  CHECK(shape.grid_x_along_rows);
  CHECK(shape.tile_rows == 48);
  CHECK(launch_for(shape, {100, 300, 1}).grid == simt::Dim3{2, 2});

  const auto tile_of = [](const GridExpressions& grid) {
    LaunchShape of_grid;
    of_grid.tile_rows = of_grid.tile_columns = 0;
    of_grid.grid = grid;
    const TileExtents tile = tile_of_blocks(of_grid, 32);
    return std::pair(tile.rows, tile.columns);
  };
  CHECK(tile_of({"(M + 47) / 48 * ((N + 95) / 96)", "1", "1"}) == std::pair(48, 96));
  CHECK(tile_of({"M / 48 * (N / 96)", "1", "1"}) == std::pair(48, 96));
  CHECK(tile_of({"16", "M % 256 != 0 ? M / 256 + 1 : M / 256", "(N + 2047) / 2048"}) ==
        std::pair(256, 128));
  CHECK(tile_of({"2 * SMs", "1", "1"}) == std::pair(32, 32));
  CHECK(tile_of({"(M + 1023) / 1024", "SMs", "1"}) == std::pair(32, 32));

  shape = {};
  shape.tile_rows = shape.tile_columns = 0;
  shape.grid = GridExpressions{"2 * SMs", "1", "1"};
  shape.multiprocessors = 132;
  find_tile(shape);
  CHECK_FALSE(shape.has_tile());
  CHECK(launch_for(shape, {100, 300, 1}).grid == simt::Dim3{264});
  for (const char* wrong : {"N - N", "N / 0", "Q", "", "70000 * 70000"}) {
    shape.grid = GridExpressions{"1", wrong, "1"};
    CHECK(error_of([&] { launch_for(shape, {1, 1, 1}); }).status() == ExitStatus::usage);
  }
}

}  // namespace gemm_tutor
