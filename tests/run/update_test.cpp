// Kernels that read what C held: alpha·A·B + beta·C, and atomic additions to it.
#include "run/cuda_run.hpp"
#include "run/run_checks.hpp"

namespace gemm_tutor {
namespace {

using simt::FindingKind;

// One thread an element; `store` writes its sum.
KernelSource element_kernel(const std::string& parameters, const std::string& store) {
  KernelSource kernel;
  kernel.file_name = "update.cu";
  kernel.source = "__global__ void k(" + parameters + R"() {
  const int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  if (row >= M || column >= N) return;
  float sum = 0;
  const int part = (K + gridDim.z - 1) / gridDim.z, begin = blockIdx.z * part;
  for (int k = begin; k < min(K, begin + part); ++k) sum += A[row * K + k] * B[k * N + column];
  )" + store + "\n}\n";
  kernel.shape.block = {16, 16};
  kernel.shape.tile_rows = kernel.shape.tile_columns = 16;
  kernel.arguments.clear();
  return kernel;
}

const std::string parameters_of_product =
    "const float* A, const float* B, float* C, int M, int N, int K";
const std::string with_scales =
    "int M, int N, int K, float alpha, const float* A, const float* B, float beta, float* C";

KernelSource scaling(
    const std::string& store = "C[row * N + column] = alpha * sum + beta * C[row * N + column];") {
  return element_kernel(with_scales, store);
}

KernelSource adding(InitialC c, std::uint32_t parts = 1) {
  KernelSource kernel =
      element_kernel(parameters_of_product, "atomicAdd(&C[row * N + column], sum);");
  kernel.c_before = c;
  kernel.shape.blocks_of_tile = parts;
  return kernel;
}

KernelSource overwriting(InitialC c) {
  KernelSource kernel = element_kernel(parameters_of_product, "C[row * N + column] = sum;");
  kernel.c_before = c;
  return kernel;
}

void check_right(const KernelRun& result) {
  CHECK(result.verification.passed);
  CHECK(result.verification.elements_checked == odd_sizes.c_elements());
  CHECK(result.emulation->findings.empty());
}

bool has_finding(const KernelRun& result, FindingKind kind) {
  for (const simt::Finding& finding : result.emulation->findings) {
    if (finding.kind() == kind) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("a kernel with alpha and beta runs as it is: 1, 0, and a C that may be read") {
  const KernelRun result = result_of(scaling());
  check_right(result);
  CHECK(result.update == Update{InitialC::random, 1, 0});
  CHECK(result.launch->statement == "k<<<dim3(4, 5), dim3(16, 16)>>>(M, N, K, 1, A, B, 0, C)");
}

TEST_CASE("alpha·A·B + beta·C is verified, with whatever alpha and beta") {
  KernelSource kernel = scaling();
  kernel.scales = {"0.5", "-3"};
  const KernelRun result = result_of(kernel);
  check_right(result);
  CHECK(result.update == Update{InitialC::random, 0.5, -3});
  kernel.c_before = InitialC::zero;
  check_right(result_of(kernel));

  KernelSource forgets = scaling("C[row * N + column] = alpha * sum;");
  check_right(result_of(forgets));  // which is right for a beta of 0
  forgets.scales.beta = "0.001";
  CHECK(result_of(forgets).verification.wrong_elements > 1000);
  KernelSource unscaled = scaling("C[row * N + column] = sum + beta * C[row * N + column];");
  unscaled.scales.alpha = "1.001";
  CHECK(result_of(unscaled).verification.wrong_elements > 1000);
}

TEST_CASE("C that nothing was to be read of is still a finding, and beta · NaN is wrong") {
  KernelSource kernel = scaling();
  kernel.c_before = InitialC::poison;
  const KernelRun result = result_of(kernel);
  CHECK(has_finding(result, FindingKind::uninitialised));
  CHECK_FALSE(result.verification.passed);
}

TEST_CASE("atomic additions to zeros and to random numbers, also of blocks that split K") {
  for (const InitialC c : {InitialC::zero, InitialC::random}) {
    for (const std::uint32_t parts : {1u, 3u}) {
      INFO(name_of(c) << " " << parts);
      const KernelRun result = result_of(adding(c, parts));
      check_right(result);
      CHECK(result.launch == simt::Launch{{4, 5, parts}, {16, 16}});
    }
  }
  CHECK(has_finding(result_of(adding(InitialC::poison)), FindingKind::uninitialised));
  check_right(result_of(overwriting(InitialC::zero)));  // which C held zeros makes no difference to
}

TEST_CASE("an element of an initial C that is never written is wrong by its value") {
  KernelSource kernel = overwriting(InitialC::zero);
  kernel.source.replace(kernel.source.find("C[row * N"), 0, "if (row != 3 || column != 7) ");
  const KernelRun result = result_of(kernel);
  CHECK(result.emulation->findings.empty());
  CHECK(result.verification.wrong_elements == 1);
  CHECK(result.verification.unwritten_elements == 0);
  CHECK(result.verification.first_wrong->value == 0);
  CHECK_FALSE(result.wrong.unwritten);
}

TEST_CASE("of blocks that split K, some are verified where they complete a tile") {
  RunOptions options = on_emulator({160, 160, 40});
  options.blocks = 4;
  const KernelRun result = result_of(adding(InitialC::random, 2), options);
  CHECK_FALSE(result.emulation->exact);
  CHECK(result.verification.passed);
  CHECK(result.verification.elements_checked >= 4 * 16 * 16);
  CHECK(result.verification.elements_checked < 160 * 160);
}

TEST_CASE(
    "a sample of blocks that take their tiles in another order is verified where they wrote") {
  KernelSource kernel = scaling();
  const std::string row = "blockIdx.y * 16";
  kernel.source.replace(kernel.source.find(row), row.size(), "(gridDim.y - 1 - blockIdx.y) * 16");
  kernel.scales.beta = "2";
  RunOptions options = on_emulator({160, 160, 8});
  options.blocks = 5;
  const KernelRun result = result_of(kernel, options);
  CHECK_FALSE(result.emulation->exact);
  CHECK(result.verification.passed);
}

TEST_CASE("the random C is another for another seed, and a trace begins with it too") {
  KernelSource kernel = scaling();
  kernel.scales.beta = "1";
  RunOptions options = on_emulator(odd_sizes);
  options.seed = 2;
  check_right(result_of(kernel, options));
  const Trace trace = trace_cuda(prepare(kernel, options), options);
  CHECK(trace.findings.empty());
}

TEST_CASE("what the emulator does not know is an error, but for a kernel that may do without it") {
  // A texture's instruction, which no argument is needed for.
  const KernelSource kernel = element_kernel(
      parameters_of_product,
      "float x; asm(\"tex.1d.v4.f32.s32 {%0, _, _, _}, [%1, {%2}];\" : \"=f\"(x) : "
      "\"l\"((unsigned long long)C), \"r\"(row)); C[row * N + column] = sum + 0 * x;");
  const RunOptions options = on_emulator(odd_sizes);
  const Error error = error_of([&] { prepare(kernel, options); });
  CHECK(error.status() == ExitStatus::unavailable);
  CHECK(contains(error.what(), "tex.1d"));

  const PreparedKernel uncounted =
      prepare(kernel, odd_sizes, simt::find_gpu("h200"), nullptr, Emulation::if_possible);
  CHECK_FALSE(uncounted.program);
  CHECK(uncounted.name == "k");
  CHECK(uncounted.parameters == usual_parameters);
  CHECK(uncounted.refusal->what() == std::string(error.what()));
  CHECK(error_of([&] { run_cuda(uncounted, options); }).what() == std::string(error.what()));
}

}  // namespace gemm_tutor
