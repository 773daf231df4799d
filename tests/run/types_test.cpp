// Kernels of matrices that are not FP32, and of tensor cores.
#include "emulator/cuda_kernel.hpp"
#include "run/cuda_run.hpp"
#include "run/further_sizes.hpp"
#include "run/run_checks.hpp"
#include "simt/check/fault.hpp"
#include "simt/compiler.hpp"

namespace gemm_tutor {
namespace {

using simt::FindingKind;

KernelSource typed_kernel(const std::string& text, int tile = 16) {
  KernelSource kernel;
  kernel.file_name = "types.cu";
  kernel.source = text;
  kernel.shape.block = {16, 16};
  kernel.shape.tile_rows = kernel.shape.tile_columns = tile;
  kernel.arguments.clear();
  return kernel;
}

// One thread an element, with sums of type `sum`.
KernelSource element_kernel(const std::string& header, const std::string& factor,
                            const std::string& c, const std::string& add,
                            const std::string& sum = "float") {
  return typed_kernel(
      "#include <" + header + ">\n__global__ void k(const " + factor + "* A, const " + factor +
      "* B, " + c + "* C, int M, int N, int K) {\n" +
      R"(  const int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  if (row >= M || column >= N) return;
  )" + sum +
      " sum = 0;\n  for (int k = 0; k < K; ++k) { const auto a = A[row * K + k], b = B[k * N + "
      "column]; " +
      add + " }\n  C[row * N + column] = sum;\n}\n");
}

void check_types(const KernelRun& result, const Types& types) {
  CHECK(result.verification.passed);
  CHECK(result.verification.elements_checked == result.problem.c_elements());
  CHECK(result.emulation->findings.empty());
  CHECK(result.update.types == types);
}

// A warp multiplies a tile with nvcuda::wmma.
KernelSource wmma_kernel(const std::string& factor, const std::string& type, const std::string& c,
                         int depth, const std::string& convert = "") {
  KernelSource kernel =
      typed_kernel(
          "#include <mma.h>\nusing namespace nvcuda;\n__global__ void k(const " + factor +
          "* A, const " + factor + "* B, " + c +
          "* C, int M, int N, int K) {\n  constexpr int depth = " + std::to_string(depth) +
          ";\n  wmma::fragment<wmma::matrix_a, 16, 16, depth, " + type +
          ", wmma::row_major> a;\n  wmma::fragment<wmma::matrix_b, 16, 16, depth, " + type +
          ", wmma::row_major> b;\n  wmma::fragment<wmma::accumulator, 16, 16, depth, " + c +
          R"(> sum;
  wmma::fill_fragment(sum, 0);
  for (int k = 0; k < K; k += depth) {
    wmma::load_matrix_sync(a, A + blockIdx.y * 16 * K + k, K);
    wmma::load_matrix_sync(b, B + k * N + blockIdx.x * 16, N);
    )" + convert +
          R"(
    wmma::mma_sync(sum, a, b, sum);
  }
  wmma::store_matrix_sync(C + blockIdx.y * 16 * N + blockIdx.x * 16, sum, N, wmma::mem_row_major);
}
)");
  kernel.shape.block = {32};
  return kernel;
}

constexpr const char* to_tf32 =
    "for (int i = 0; i < a.num_elements; ++i) a.x[i] = wmma::__float_to_tf32(a.x[i]);\n"
    "    for (int i = 0; i < b.num_elements; ++i) b.x[i] = wmma::__float_to_tf32(b.x[i]);";

const RunOptions whole_tiles = on_emulator({64, 48, 32});

}  // namespace

TEST_CASE("matrices of halves, with sums in FP32 or in FP16") {
  check_types(result_of(element_kernel("cuda_fp16.h", "__half", "float",
                                       "sum += __half2float(a) * __half2float(b);")),
              {Scalar::f16, Scalar::f16, Scalar::f32, Precision::fp16});
  const KernelSource in_half =
      element_kernel("cuda_fp16.h", "__half", "__half", "sum = __hfma(a, b, sum);", "__half");
  check_types(result_of(in_half), {Scalar::f16, Scalar::f16, Scalar::f16, Precision::fp16_sums});
  check_types(result_of(in_half, on_emulator({30, 20, 3000})),
              {Scalar::f16, Scalar::f16, Scalar::f16, Precision::fp16_sums});
  KernelSource other = in_half;  // the sums are then not exact enough
  other.precision = Precision::fp16;
  CHECK_FALSE(result_of(other, on_emulator({30, 20, 3000})).verification.passed);
}

TEST_CASE("matrices of bfloat16, of bytes, and a C of another type than A and B") {
  check_types(result_of(element_kernel("cuda_bf16.h", "__nv_bfloat16", "__nv_bfloat16",
                                       "sum += __bfloat162float(a) * __bfloat162float(b);")),
              {Scalar::bf16, Scalar::bf16, Scalar::bf16, Precision::bf16});
  check_types(
      result_of(element_kernel("cuda_fp16.h", "signed char", "int", "sum += a * b;", "int")),
      {Scalar::s8, Scalar::s8, Scalar::s32, Precision::int8});
  check_types(
      result_of(element_kernel("cuda_fp16.h", "unsigned char", "float", "sum += a * b;", "int")),
      {Scalar::u8, Scalar::u8, Scalar::f32, Precision::int8});
  const std::string kernel = R"(#include <cuda_fp16.h>
__global__ void k(const __half* A, const float* B, float* C, int M, int N, int K) {
  const int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  if (row >= M || column >= N) return;
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += __half2float(A[row * K + k]) * B[k * N + column];
  C[row * N + column] = sum;
})";
  check_types(result_of(typed_kernel(kernel)),
              {Scalar::f16, Scalar::f32, Scalar::f32, Precision::fp16});
}

TEST_CASE("matrices of doubles: sums in FP32 are not exact enough") {
  const std::string add = "sum += a * b;";
  check_types(result_of(element_kernel("cuda_fp16.h", "double", "double", add, "double")),
              {Scalar::f64, Scalar::f64, Scalar::f64, Precision::fp64});
  check_types(result_of(element_kernel("cuda_fp16.h", "double", "float", add, "float")),
              {Scalar::f64, Scalar::f64, Scalar::f32, Precision::fp32});
  const KernelSource in_floats = element_kernel("cuda_fp16.h", "double", "double", add, "float");
  const KernelRun wrong = result_of(in_floats);
  CHECK_FALSE(wrong.verification.passed);
  REQUIRE(wrong.wrong.kind);
  CHECK(contains(wrong.wrong.kind->text, "--precision fp32"));
}

TEST_CASE("tensor cores: what the result is judged by follows from their instructions") {
  if (!simt::no_nvrtc().empty()) SKIP_BECAUSE(simt::no_nvrtc());
  check_types(result_of(wmma_kernel("__half", "__half", "float", 16), whole_tiles),
              {Scalar::f16, Scalar::f16, Scalar::f32, Precision::fp16});
  check_types(result_of(wmma_kernel("__half", "__half", "__half", 16), whole_tiles),
              {Scalar::f16, Scalar::f16, Scalar::f16, Precision::fp16_sums});
  check_types(result_of(wmma_kernel("__nv_bfloat16", "__nv_bfloat16", "float", 16), whole_tiles),
              {Scalar::bf16, Scalar::bf16, Scalar::f32, Precision::bf16});
  check_types(result_of(wmma_kernel("signed char", "signed char", "int", 16), whole_tiles),
              {Scalar::s8, Scalar::s8, Scalar::s32, Precision::int8});
  const KernelSource tf32 = wmma_kernel("float", "wmma::precision::tf32", "float", 8, to_tf32);
  check_types(result_of(tf32, whole_tiles),
              {Scalar::f32, Scalar::f32, Scalar::f32, Precision::tf32});
  KernelSource as_floats = tf32;
  as_floats.precision = Precision::fp32;
  const KernelRun wrong = result_of(as_floats, whole_tiles);
  CHECK_FALSE(wrong.verification.passed);
  CHECK(wrong.wrong.kind);
  CHECK(contains(wrong.wrong.kind->text, "--precision tf32"));
}

TEST_CASE("products of FP8 on tensor cores, of matrices of FP8, of its bits and of floats") {
  if (!simt::no_nvrtc().empty()) SKIP_BECAUSE(simt::no_nvrtc());
  const auto kernel = [](const std::string& type, const std::string& formats,
                         const std::string& four) {
    KernelSource result = typed_kernel("#include <cuda_fp8.h>\n__device__ unsigned four(const " +
                                       type + "* from) { " + four + " }\n__global__ void k(const " +
                                       type + "* A, const " + type +
                                       R"(* B, float* C, int M, int N, int K) {
  const int row = blockIdx.y * 16 + threadIdx.x / 4, column = blockIdx.x * 8 + threadIdx.x / 4;
  const int k0 = threadIdx.x % 4 * 4, pair = threadIdx.x % 4 * 2;
  float d[4] = {};
  for (int k = k0; k < K; k += 32) {
    const unsigned a[] = {four(A + row * K + k), four(A + (row + 8) * K + k),
                          four(A + row * K + k + 16), four(A + (row + 8) * K + k + 16)};
    const unsigned b[] = {four(B + column * K + k), four(B + column * K + k + 16)};
    asm("mma.sync.aligned.m16n8k32.row.col.f32.)" +
                                       formats +
                                       R"(.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
  for (int i = 0; i < 4; ++i) C[(row + i / 2 * 8) * N + blockIdx.x * 8 + pair + i % 2] = d[i];
})");
    result.shape.block = {32};
    result.shape.tile_columns = 8;
    result.transposed.b = true;
    return result;
  };
  const std::string read = "return *reinterpret_cast<const unsigned*>(from);";
  check_types(result_of(kernel("__nv_fp8_e4m3", "e4m3.e4m3", read), whole_tiles),
              {Scalar::e4m3, Scalar::e4m3, Scalar::f32, Precision::fp8});
  check_types(result_of(kernel("__nv_fp8_e5m2", "e5m2.e5m2", read), whole_tiles),
              {Scalar::e5m2, Scalar::e5m2, Scalar::f32, Precision::fp8});
  check_types(result_of(kernel("__nv_fp8_storage_t", "e4m3.e4m3", read), whole_tiles),
              {Scalar::e4m3, Scalar::e4m3, Scalar::f32, Precision::fp8});
  check_types(result_of(kernel("__nv_fp8_storage_t", "e5m2.e4m3", read), whole_tiles),
              {Scalar::e5m2, Scalar::e4m3, Scalar::f32, Precision::fp8});
  const std::string round =
      "unsigned all = 0;\n  for (int i = 0; i < 4; ++i) all |= "
      "unsigned(__nv_fp8_e4m3(from[i]).__x) "
      "<< 8 * i;\n  return all;";
  check_types(result_of(kernel("float", "e4m3.e4m3", round), whole_tiles),
              {Scalar::f32, Scalar::f32, Scalar::f32, Precision::fp8});
}

TEST_CASE("a fragment that nothing fills is found, and a zero there makes C right") {
  if (!simt::no_nvrtc().empty()) SKIP_BECAUSE(simt::no_nvrtc());
  KernelSource kernel = wmma_kernel("__half", "__half", "float", 16);
  const std::string fill = "wmma::fill_fragment(sum, 0);";
  kernel.source.erase(kernel.source.find(fill), fill.size());
  RunOptions options = whole_tiles;
  options.further.emplace();
  PreparedKernel prepared = prepare(kernel, options);
  KernelRun result = run_cuda(prepared, options);
  try_further_sizes(result, prepared, options);  // one has edges, which nothing guards
  REQUIRE(result.emulation->findings.size() == 1);
  CHECK(result.emulation->findings[0].kind() == FindingKind::uninitialised);
  CHECK(contains(message(result.emulation->findings[0]), "a part of C in D = A·B + C"));
  REQUIRE(result.wrong.kind);
  CHECK(contains(result.wrong.kind->text, "if it begins with 0, C is right"));
}

TEST_CASE("a fragment that nothing fills is found in a function that is called") {
  if (!simt::no_nvrtc().empty()) SKIP_BECAUSE(simt::no_nvrtc());
  KernelSource kernel = typed_kernel(R"(#include <cuda_fp16.h>
__device__ __noinline__ void product(float* d, unsigned b) {
  unsigned a;
  asm volatile("// sets nothing" : "=r"(a));
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
               "{%5, %5, %4, %5}, {%5, %5}, {%0, %1, %2, %3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a), "r"(b));
}
__global__ void k(const __half* A, const __half* B, float* C, int M, int N, int K) {
  float d[4] = {};
  product(d, M);
  C[threadIdx.x] = d[0];
})");
  kernel.shape.block = {32};
  const KernelRun result = result_of(kernel, whole_tiles);
  const auto& findings = result.emulation->findings;
  REQUIRE(std::ranges::count(findings, FindingKind::uninitialised, &simt::Finding::kind) == 1);
  CHECK(contains(message(findings[0]), "a part of A in D = A·B + C"));
}

TEST_CASE("the step along K of a tile is known where its rows are padded") {
  const auto three_steps = [](const std::string& arrays, int rows, int columns) {
    KernelSource kernel = typed_kernel(
        "#include <cuda_fp16.h>\n__global__ void k(const __half* A, "
        "const __half* B, float* C, int M, int N, int K) { " +
        arrays + " C[threadIdx.x] = float(A[0]); }");
    kernel.shape.tile_rows = rows, kernel.shape.tile_columns = columns;
    const PreparedKernel prepared = prepare(kernel, whole_tiles);
    return sizes_to_try(prepared).front().k;
  };
  CHECK(three_steps("__shared__ __half a[16][24], b[8][24];", 16, 8) == 48);
  CHECK(three_steps("__shared__ __half a[32][34]; __shared__ __half2 b[32][17];", 32, 32) ==
        160);  // five: 96 is N
  CHECK(three_steps("__shared__ __half a[128][64 + 8], b[64][128 + 8];", 128, 128) == 192);
  CHECK(three_steps("__shared__ __half a[2][64][16 + 8], b[2][16][64 + 8];", 64, 64) == 48);
  CHECK(three_steps("__shared__ __half a[64][12], b[12][64];", 64, 64) == 60);
}

TEST_CASE("exchanged registers of a fragment are named") {
  const auto kind = [](const std::string& from, const std::string& to, bool is_transposed) {
    KernelSource kernel = typed_kernel(R"(#include <cuda_fp16.h>
__global__ void k(const __half* A, const __half* B, float* C, int M, int N, int K) {
  const int row = blockIdx.y * 16 + threadIdx.x / 4, column = blockIdx.x * 8 + threadIdx.x / 4;
  const int pair = threadIdx.x % 4 * 2;
  float d[4] = {};
  for (int k = pair; k < K; k += 16) {
    const auto of = [](const __half* from) { return *reinterpret_cast<const unsigned*>(from); };
    const unsigned a[] = {of(A + row * K + k), of(A + (row + 8) * K + k), of(A + row * K + k + 8),
                          of(A + (row + 8) * K + k + 8)};
    const unsigned b[] = {of(B + column * K + k), of(B + column * K + k + 8)};
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
  for (int i = 0; i < 4; ++i) C[(row + i / 2 * 8) * N + blockIdx.x * 8 + pair + i % 2] = d[i];
})");
    kernel.source = replaced(kernel.source, from, to);
    kernel.shape.block = {32};
    kernel.shape.tile_columns = 8;
    kernel.transposed.b = is_transposed;
    RunOptions options = whole_tiles;
    options.further.emplace();
    PreparedKernel prepared = prepare(kernel, options);
    KernelRun result = run_cuda(prepared, options);
    try_further_sizes(result, prepared, options);
    return result.wrong.kind ? result.wrong.kind->text : "";
  };
  const std::string a = R"("r"(a[1]), "r"(a[2]))", of_a = R"("r"(a[2]), "r"(a[1]))";
  const std::string quarters =
      "n each 16 rows of A and 16 values of k, the first 8 rows with the last 8 values of k are "
      "exchanged with the last 8 rows and the first 8 values of k";
  CHECK(kind(a, of_a, true) == "I" + quarters);
  CHECK(kind(a, of_a, false) == "If B is stored transposed, i" + quarters);
  CHECK(kind(R"("r"(b[0]), "r"(b[1]))", R"("r"(b[1]), "r"(b[0]))", true) ==
        "The halves of each 16 values of k are exchanged: A's column 0 is multiplied by B's row 8, "
        "A's column 8 by B's row 0, and so on");
}

TEST_CASE("a kernel may compute alpha·A·B + beta·C in the type of C") {
  KernelSource kernel = typed_kernel(R"(#include <cuda_bf16.h>
__global__ void k(const __nv_bfloat16* A, const __nv_bfloat16* B, __nv_bfloat16* C, int M, int N,
                  int K, __nv_bfloat16 alpha, __nv_bfloat16 beta) {
  const int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  if (row >= M || column >= N) return;
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += float(A[row * K + k]) * float(B[k * N + column]);
  C[row * N + column] = __hadd(__hmul(alpha, __float2bfloat16(sum)),
                               __hmul(beta, C[row * N + column]));
})");
  kernel.scales = {"1.5", "0.75"};
  CHECK(result_of(kernel, on_emulator({96, 97, 160})).verification.passed);
  KernelSource product_alone =
      typed_kernel(replaced(replaced(kernel.source, ", __nv_bfloat16 beta", ""),
                            R"(__hadd(__hmul(alpha, __float2bfloat16(sum)),
                               __hmul(beta, C[row * N + column])))",
                            "__hmul(alpha, __float2bfloat16(sum))"));
  product_alone.scales = {"1.5"};
  CHECK(result_of(product_alone, on_emulator({96, 97, 160})).verification.passed);
}

TEST_CASE("a mistake is found in each type: one product left out, an element not written") {
  const auto mistaken = [](KernelSource kernel, const std::string& from, const std::string& to) {
    const std::size_t at = kernel.source.find(from);
    REQUIRE(at != std::string::npos);
    kernel.source.replace(at, from.size(), to);
    return result_of(kernel);
  };
  const KernelSource kernels[] = {
      element_kernel("cuda_fp16.h", "__half", "float", "sum += __half2float(a) * __half2float(b);"),
      element_kernel("cuda_fp16.h", "__half", "__half", "sum = __hfma(a, b, sum);", "__half"),
      element_kernel("cuda_bf16.h", "__nv_bfloat16", "__nv_bfloat16",
                     "sum += __bfloat162float(a) * __bfloat162float(b);"),
      element_kernel("cuda_fp16.h", "signed char", "int", "sum += a * b;", "int")};
  for (const KernelSource& kernel : kernels) {
    CHECK_FALSE(mistaken(kernel, "int k = 0;", "int k = 1;").verification.passed);
    const KernelRun unwritten = mistaken(kernel, "row >= M ||", "row >= M - 1 ||");
    CHECK(unwritten.verification.unwritten_elements == odd_sizes.n);
    const KernelRun outside = mistaken(kernel, "row >= M ||", "row > M ||");
    REQUIRE_FALSE(outside.emulation->findings.empty());
    const simt::Finding& finding = outside.emulation->findings.front();
    CHECK(finding.kind() == FindingKind::bounds);
    CHECK(finding.array == "A");
    CHECK(finding.fault->access.element.index / odd_sizes.k == odd_sizes.m);
  }
}

TEST_CASE("two threads that store different halves to one element race, neighbours do not") {
  const std::string begin = R"(#include <cuda_fp16.h>
__global__ void k(const __half* A, const __half* B, __half* C, int M, int N, int K) {
  const int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  if (row >= M || column >= N) return;
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += __half2float(A[row * K + k]) * __half2float(B[k * N + column]);
  )";
  check_types(result_of(typed_kernel(begin + "C[row * N + column] = sum;\n}\n")),
              {Scalar::f16, Scalar::f16, Scalar::f16, Precision::fp16_sums});
  const KernelRun racing =
      result_of(typed_kernel(
          begin + "C[row * N + column] = sum;\n  if (column + 1 < N) C[row * N + column + 1] = "
                  "sum;\n}\n"));
  REQUIRE_FALSE(racing.emulation->findings.empty());
  CHECK(racing.emulation->findings.front().kind() == FindingKind::race);
}

TEST_CASE("matrices of other types are refused, with those that can be") {
  for (const char* type : {"short", "int"}) {
    const KernelSource kernel =
        element_kernel("cuda_fp16.h", type, "float", "sum += (float)a * (float)b;");
    const Error error = error_of([&] { result_of(kernel); });
    CHECK(contains(error.what(), type));
    CHECK(contains(error.help(), "__nv_bfloat16"));
  }
  CHECK_THROWS_AS(
      result_of(element_kernel("cuda_fp16.h", "signed char", "signed char", "sum += a * b;")),
      Error);
}

}  // namespace gemm_tutor
