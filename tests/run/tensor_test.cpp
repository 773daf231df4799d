// Fast kernels of tensor cores: right and free of findings, with and without edges, and with the
// instructions that the product needs.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "emulator/cuda_kernel.hpp"
#include "gemm/reference.hpp"
#include "run/cuda_run.hpp"
#include "run/run_checks.hpp"
#include "simt/compiler.hpp"
#include "support/file.hpp"

namespace gemm_tutor {
namespace {

std::string text_of_file(const std::string& name) {
  return read_file(PROJECT_SOURCE_DIR "/tests/run/tensor/" + name + ".cu").value();
}

struct TensorKernel {
  const char* file;
  const char* arguments;  // of the template, but the last
  int rows, columns;      // of a block's tile
  std::uint32_t threads, shared;
  std::int64_t products;  // of an instruction
  Precision precision;
};

// Small tiles, of which a small problem has several.
constexpr TensorKernel tensor_kernels[] = {
    {"tensor_tile", "64, 64, 32, 32, 32", 64, 64, 128, 0, 2048, Precision::bf16},
    {"ldmatrix_tile", "64, 64, 32, 32, 32, false", 64, 64, 128, 0, 2048, Precision::bf16},
    {"ldmatrix_tile", "64, 64, 32, 32, 32, true", 64, 64, 128, 0, 2048, Precision::bf16},
    {"tensor_pipeline", "__nv_bfloat16, 64, 64, 32, 32, 32, 3", 64, 64, 128, 24576, 2048,
     Precision::bf16},
    {"tensor_pipeline", "half, 64, 64, 64, 32, 32, 2", 64, 64, 128, 32768, 2048, Precision::fp16},
    {"tf32_pipeline", "64, 64, 16, 32, 32, 3", 64, 64, 128, 24576, 1024, Precision::tf32}};

RunResult result_of(const TensorKernel& one, bool whole, const Problem& problem) {
  KernelSource kernel;
  kernel.file_name = std::string(one.file) + ".cu";
  kernel.source = text_of_file(one.file);
  kernel.name_expression =
      std::string(one.file) + "<" + one.arguments + (whole ? ", true>" : ", false>");
  kernel.shape.block = {one.threads};
  kernel.shape.tile_rows = one.rows, kernel.shape.tile_columns = one.columns;
  kernel.shape.dynamic_shared = std::to_string(one.shared);
  kernel.arguments.clear();
  return gemm_tutor::result_of(kernel, on_emulator(problem));
}

}  // namespace

TEST_CASE("fast kernels of tensor cores are right, and nothing is found in them") {
  if (!emulator::no_nvrtc().empty()) SKIP_BECAUSE(emulator::no_nvrtc());
  for (const TensorKernel& one : tensor_kernels) {
    CAPTURE(one.file, one.arguments);
    for (const Problem& problem :
         {Problem{128, 192, 128}, Problem{75, 130, 70}, Problem{1, 1, 1}}) {
      const bool whole = problem.m == 128;
      const RunResult result = result_of(one, whole, problem);
      CHECK(result.verification.passed);
      CHECK(result.emulation->findings.empty());
      CHECK(result.update.types.precision == one.precision);
      const auto of_tensor =
          result.emulation->total
              .instructions[static_cast<std::size_t>(emulator::InstructionKind::tensor)];
      if (whole)
        CHECK(of_tensor == static_cast<std::uint64_t>(problem.multiply_adds()) /
                               static_cast<std::uint64_t>(one.products));
    }
  }
}

TEST_CASE(
    "a product of halves is as exact as one of floats: an FP32 product on FP16 tensor cores") {
  if (!emulator::no_nvrtc().empty()) SKIP_BECAUSE(emulator::no_nvrtc());
  using emulator::Argument, emulator::Buffer;
  const Problem p{128, 128, 256};
  const Matrices m = make_matrices(p, 1);
  const auto halves = [](std::int64_t count) {
    return std::vector<std::uint16_t>(static_cast<std::size_t>(count));
  };
  std::vector<std::uint16_t> a_hi = halves(p.a_elements()), a_lo = a_hi;
  const int b_pitch = 256;  // columns, up to whole tiles
  std::vector<std::uint16_t> b_hi = halves(std::int64_t{p.k} * b_pitch), b_lo = b_hi;
  std::vector<float> maxima(16 * 128), rows(2 * 128), columns(2 * 128), c(128 * 128);
  const auto buffer = [](const char* name, const auto& values, bool is_output) {
    using Value = std::decay_t<decltype(values[0])>;
    return Buffer{.name = name,
                  .data = const_cast<Value*>(values.data()),
                  .bytes = values.size() * sizeof(Value),
                  .read_only = !is_output,
                  .output = is_output,
                  .element_bytes = sizeof(Value)};
  };
  const std::string text = text_of_file("fp32_from_fp16");
  const auto run = [&](const std::string& name, const Launch& launch,
                       const std::vector<Buffer>& buffers, const std::vector<int>& numbers) {
    const CompiledKernel kernel = compile(
        {.source = text, .file_name = "k.cu", .architecture = "sm_90", .name_expression = name});
    std::vector<Argument> arguments;
    for (std::size_t i = 0; i < buffers.size(); ++i) arguments.push_back(Argument::pointer(i));
    for (const int number : numbers) arguments.push_back(Argument::integer(number));
    const emulator::Result result =
        emulator::Program::decode(kernel.ptx, kernel.lowered_name, "k.cu", kernel.cubin)
            .run(launch, buffers, arguments);
    CAPTURE(name);
    CHECK(result.findings.empty());
  };
  run("split_a_and_find_maxima_of_b<true>", {.grid = {16 + 128}, .block = {256}},
      {buffer("A", m.a, false), buffer("B", m.b, false), buffer("A_hi", a_hi, true),
       buffer("A_lo", a_lo, true), buffer("undo_rows", rows, true), buffer("maxima", maxima, true)},
      {p.m, p.n, p.k, p.k});
  run("split_b<true>", {.grid = {2, 4}, .block = {256}},
      {buffer("B", m.b, false), buffer("maxima", maxima, false), buffer("B_hi", b_hi, true),
       buffer("B_lo", b_lo, true), buffer("undo_columns", columns, true)},
      {p.n, p.k, b_pitch});
  run("fp32_from_fp16<64,64,32,32,32,3,true>",
      {.grid = {2, 2}, .block = {128}, .dynamic_shared_bytes = 3 * 32 * (64 + 64) * 4},
      {buffer("A_hi", a_hi, false), buffer("A_lo", a_lo, false), buffer("B_hi", b_hi, false),
       buffer("B_lo", b_lo, false), buffer("undo_rows", rows, false),
       buffer("undo_columns", columns, false), buffer("C", c, true)},
      {p.m, p.n, p.k, p.k, b_pitch});

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
