// The lessons' kernels for tensor cores, with other tiles, and one of TF32: right and free of
// findings, with and without edges, and with the instructions that the product needs.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "emulator/cuda_kernel.hpp"
#include "gemm/reference.hpp"
#include "run/cuda_run.hpp"
#include "run/prepared_kernel.hpp"
#include "run/run_checks.hpp"
#include "simt/compiler.hpp"
#include "support/file.hpp"

namespace gemm_tutor {
namespace {

struct TensorKernel {
  const char* file;  // in the project
  const char* name;
  const char* arguments;  // of the template, but the last
  int rows, columns;      // of a block's tile
  std::uint32_t threads, shared;
  std::int64_t products;  // of an instruction
  Precision precision;
};

constexpr const char* tile_file = "lessons/16-tensor-tile/kernel.cu";
constexpr const char* swizzle_file = "lessons/17-swizzled-tiles/kernel.cu";
constexpr const char* pipeline_file = "lessons/18-tensor-pipeline/kernel.cu";

// Small tiles, of which a small problem has several.
constexpr TensorKernel tensor_kernels[] = {
    {tile_file, "tensor_tile", "64, 64, 32, 32, 32", 64, 64, 128, 0, 2048, Precision::bf16},
    {swizzle_file, "swizzle", "64, 64, 32, 32, 32, 2", 64, 64, 128, 0, 2048, Precision::bf16},
    {swizzle_file, "swizzle", "64, 64, 32, 32, 32, 3", 64, 64, 128, 0, 2048, Precision::bf16},
    {pipeline_file, "tensor_pipeline", "64, 64, 32, 32, 32, 3", 64, 64, 128, 24576, 2048,
     Precision::bf16},
    {pipeline_file, "tensor_pipeline", "64, 64, 64, 32, 32, 2", 64, 64, 128, 32768, 2048,
     Precision::fp16},
    {"tests/run/tensor/tf32_pipeline.cu", "tf32_pipeline", "64, 64, 16, 32, 32, 3", 64, 64, 128,
     24576, 1024, Precision::tf32}};

std::string text_of(const char* file) {
  return read_file(std::string(PROJECT_SOURCE_DIR "/") + file).value();
}

// The lessons' kernels are of BF16, and differ from those of FP16 only in these words.
std::string with_halves(std::string text) {
  for (const auto& [from, to] : {std::pair{"__nv_bfloat16", "half"},
                                 {"cuda_bf16.h", "cuda_fp16.h"},
                                 {"bf16.bf16", "f16.f16"}}) {
    REQUIRE(text.find(from) != text.npos);
    for (std::size_t at = 0; (at = text.find(from, at)) != text.npos;)
      text.replace(at, std::strlen(from), to);
  }
  return text;
}

KernelRun result_of(const TensorKernel& one, bool whole, const Problem& problem) {
  KernelSource kernel;
  kernel.file_name = one.file;
  kernel.source = text_of(one.file);
  if (one.precision == Precision::fp16) kernel.source = with_halves(kernel.source);
  kernel.name_expression =
      std::string(one.name) + "<" + one.arguments + (whole ? ", true>" : ", false>");
  kernel.shape.block = {one.threads};
  kernel.shape.tile_rows = one.rows, kernel.shape.tile_columns = one.columns;
  kernel.shape.dynamic_shared = std::to_string(one.shared);
  kernel.arguments.clear();
  return gemm_tutor::result_of(kernel, on_emulator(problem));
}

}  // namespace

TEST_CASE("fast kernels of tensor cores are right, and nothing is found in them") {
  if (!simt::no_nvrtc().empty()) SKIP_BECAUSE(simt::no_nvrtc());
  for (const TensorKernel& one : tensor_kernels) {
    CAPTURE(one.name, one.arguments);
    for (const Problem& problem :
         {Problem{128, 192, 128}, Problem{75, 130, 70}, Problem{1, 1, 1}}) {
      const bool whole = problem.m == 128;
      const KernelRun result = result_of(one, whole, problem);
      CHECK(result.verification.passed);
      CHECK(result.emulation->findings.empty());
      CHECK(result.update.types.precision == one.precision);
      const auto of_tensor =
          result.emulation->total
              .instructions[static_cast<std::size_t>(simt::InstructionKind::tensor)];
      if (whole)
        CHECK(of_tensor == static_cast<std::uint64_t>(problem.multiply_adds()) /
                               static_cast<std::uint64_t>(one.products));
    }
  }
}

TEST_CASE(
    "a product of halves is as exact as one of floats: an FP32 product on FP16 tensor cores") {
  if (!simt::no_nvrtc().empty()) SKIP_BECAUSE(simt::no_nvrtc());
  const Problem p{128, 128, 256};
  KernelSource kernel;
  kernel.file_name = "k.cu";
  kernel.source = text_of("lessons/19-fp32-from-fp16/kernel.cu");
  const std::string arguments = "<64, 64, 32, 32, 32, 3>";
  kernel.name_expression = "fp32_from_fp16" + arguments;
  kernel.shape = {.block = {128}, .tile_rows = 64, .tile_columns = 64, .tile_depth = 32};
  kernel.shape.dynamic_shared = std::to_string(3 * 32 * (64 + 64) * 4);
  const auto before = [&](const char* name, const char* x, const char* y) {
    LaunchShape shape{.block = {256}, .tile_rows = 0, .tile_columns = 0, .tile_depth = 0};
    shape.grid = {x, y, "1"};
    kernel.before.push_back({name + arguments, shape});
  };
  before("split_a", "M", "1");
  before("find_maxima_of_b", "2", "16");
  before("split_b", "2", "K / 64");
  kernel.workspace_floats = "(M + 256) * K + 256 * 18 + M * 2";
  kernel.arguments = usual_arguments;
  kernel.arguments.push_back({Role::workspace, "workspace"});
  const PreparedKernel prepared = prepare(kernel, p, simt::find_gpu("h200"), nullptr);
  Matrices m = make_matrices(p, 1);
  CHECK(emulate(prepared, m, {}).findings.empty());
  const std::vector<float>& c = m.c;

  CHECK(verify(p, m.a, m.b, c).passed);
  std::vector<double> errors, of_floats;
  for (int row = 0; row < p.m; ++row) {
    const Strip strip{row, 0, p.n};
    const ReferenceSums sums = Reference(p, m.a, m.b).sums({&strip, 1});
    for (int column = 0; column < p.n; ++column) {
      float sum = 0;
      for (int k = 0; k < p.k; ++k) sum = std::fma(m.a[row * p.k + k], m.b[k * p.n + column], sum);
      const auto error = [&](float value) {
        return std::abs(value - sums.products[column]) / sums.absolute_products[column];
      };
      errors.push_back(error(c[row * p.n + column]));
      of_floats.push_back(error(sum));
    }
  }
  const auto middle = [](std::vector<double>& values) {
    std::ranges::sort(values);
    return values[values.size() / 2];
  };
  CHECK(middle(errors) < middle(of_floats));
  CHECK(errors.back() < of_floats.back());
}

}  // namespace gemm_tutor
