// The requests of a line by the buffer or the shared array that they go to, worked out by hand.
#include <algorithm>
#include <vector>

#include "catch.hpp"
#include "emulator/cuda_kernel.hpp"
#include "emulator/ptx_kernel.hpp"
#include "emulator/same_counters.hpp"

namespace gemm_tutor::simt {
namespace {

// The kernel's parameters are A, B and C, of 4,096 floats each.
Result run(const std::string& body, const Launch& launch, const Options& options = {}) {
  const std::string source =
      "extern \"C\" __global__ void kernel(const float* A, const float* B, float* C) {\n" + body +
      "}\n";
  std::vector<float> a(4096, 1.0f), b(4096, 2.0f), c(4096);
  const std::vector<Buffer> buffers = {buffer_of(a, "A"), buffer_of(b, "B"), buffer_of(c, "C")};
  return Program::decode(cuda_to_ptx(source), "kernel", "kernel.cu")
      .run(launch, buffers, {Argument::pointer(0), Argument::pointer(1), Argument::pointer(2)},
           options);
}

std::vector<OperandCounters> operands_of(const Result& result, int line) {
  const auto found = std::ranges::find(result.lines, line, &LineCounters::line);
  return found == result.lines.end() ? std::vector<OperandCounters>() : found->operands;
}

using Operands = std::vector<OperandCounters>;
constexpr MemorySpace global = MemorySpace::global, shared = MemorySpace::shared;

const std::string sum_of_a_and_b =
    "  const int t = blockIdx.x * 32 + threadIdx.x;\n"
    "  C[t] += A[t % 32 * 32] + B[t % 32];\n";

}  // namespace

TEST_CASE("a line's requests are counted by buffer, loads and stores together") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  const Result result = run(sum_of_a_and_b, {{8, 1, 1}, {32, 1, 1}, 0});
  CHECK(operands_of(result, 3) ==
        Operands{{"A", global, 8, 8 * 32}, {"B", global, 8, 8 * 4}, {"C", global, 16, 16 * 4}});
  CHECK(operands_of(result, 2).empty());
}

TEST_CASE("operands are scaled as the counters are where not all blocks are run") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  Options options;
  options.blocks = 3;
  const Result result = run(sum_of_a_and_b, {{100, 1, 1}, {32, 1, 1}, 0}, options);
  CHECK_FALSE(result.exact);
  CHECK(operands_of(result, 3) == Operands{{"A", global, 100, 100 * 32},
                                           {"B", global, 100, 100 * 4},
                                           {"C", global, 200, 200 * 4}});
}

TEST_CASE("a line's requests are counted by shared array, with the conflicts of each") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  const Result result =
      run("  __shared__ float rows[32][32], plain[32];\n"
          "  const int t = threadIdx.x;\n"
          "  for (int i = 0; i < 32; ++i) rows[i][t] = i;\n"
          "  plain[t] = t;\n"
          "  __syncthreads();\n"
          "  C[t] = rows[t][0] + plain[t];\n",
          {{1, 1, 1}, {32, 1, 1}, 0});
  Operands read = operands_of(result, 7);
  std::ranges::sort(read, {}, &OperandCounters::name);
  CHECK(read ==
        Operands{{"C", global, 1, 4}, {"plain", shared, 1, 1}, {"rows", shared, 1, 32, 31}});
  CHECK(operands_of(result, 4) == Operands{{"rows", shared, 32, 32}});
}

TEST_CASE("a shared array has its name in the source, whatever number a compiler adds to it") {
  const std::vector<std::pair<std::string, std::string>> names = {
      {"_ZZ1kILi8EEvPfE4tile", "tile"},
      {"_ZZ1kILi8EEvPfE4tile_0", "tile"},
      {"_ZZ1kILi8EEvPfE4tile1", "tile"},
      {"_ZZ1kILi8EEvPfE5tile1", "tile1"},
      {"_ZZ1kILi8EEvPfE5tile12", "tile1"},
      {"_ZL4tile", "tile"},
      {"_ZZ1kILi8EEvPfE4tilex", "_ZZ1kILi8EEvPfE4tilex"}};
  for (const auto& [mangled, name] : names) {
    std::vector<float> c(32);
    const std::string module = ptx_module(".loc 1 5 1\nmov.u32 %r1, " + mangled +
                                              "; mov.f32 %f1, 0f00000000;\n"
                                              "st.shared.f32 [%r1], %f1;\n",
                                          1, ".shared .align 4 .b8 " + mangled + "[128];");
    const Result result = run_ptx(module + "\t.file\t1 \"kernel.cu\"\n", {{1, 1, 1}, {1, 1, 1}, 0},
                                  {buffer_of(c, "C")});
    CHECK(operands_of(result, 5) == Operands{{name, shared, 1, 1}});
  }
}

TEST_CASE("an instruction that accesses several buffers has no operand's name") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  for (const int threads : {1, 4}) {  // also where no thread sees that there are several
    Options options;
    options.threads = threads;
    const Result result =
        run("  const float* const from = blockIdx.x % 2 ? A : B;\n"
            "  C[threadIdx.x] = from[threadIdx.x];\n",
            {{8, 1, 1}, {32, 1, 1}, 0}, options);
    CHECK(operands_of(result, 3) == Operands{{"C", global, 8, 8 * 4}, {"", global, 8, 8 * 4}});
  }
}

}  // namespace gemm_tutor::simt
