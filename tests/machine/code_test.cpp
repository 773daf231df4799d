#include "simt/machine/code.hpp"

#include <algorithm>
#include <sstream>
#include <string>

#include "catch.hpp"
#include "machine_role.hpp"
#include "simt/compiler.hpp"
#include "support/error.hpp"

namespace gemm_tutor::simt::machine {
namespace {

// Two kernels, so that each has to be told from the other in every table.
constexpr const char* two_kernels = R"(
extern "C" __global__ void first(float* C) { C[threadIdx.x] = 1; }
extern "C" __global__ void tile(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float a[16][16];
  float sum = 0;
#pragma unroll 1
  for (int t = 0; t < K; t += 16) {
    a[threadIdx.y][threadIdx.x] = A[t + threadIdx.x];
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum += a[threadIdx.y][k];
    __syncthreads();
  }
  C[threadIdx.x] = sum;
}
)";

CompiledKernel compiled(const std::string& architecture) {
  CompileRequest request;
  request.source = two_kernels;
  request.file_name = "two.cu";
  request.architecture = architecture;
  return compile(request, {});
}

std::string ptx_line(const CompiledKernel& kernel, int line) {
  std::istringstream text(kernel.ptx);
  std::string result;
  for (int i = 0; i < line; ++i) std::getline(text, result);
  return result;
}

std::size_t count(const Code& code, Kind kind) {
  return static_cast<std::size_t>(std::ranges::count(code.instructions, kind, &Instruction::kind));
}

}  // namespace

TEST_CASE("a kernel's code is read from the cubin, with the lines of its PTX") {
  if (!compiler_status().has_assembler) SKIP_BECAUSE("this compiler makes no machine code");
  for (const std::string architecture : {"sm_75", "sm_86", "sm_90", "sm_120"}) {
    INFO(architecture);
    const CompiledKernel kernel = compiled(architecture);
    const Code code = read_code(kernel.cubin, "tile");
    CHECK("sm_" + std::to_string(code.architecture) == architecture);
    CHECK(std::ranges::none_of(code.instructions, [](const Instruction& instruction) {
      return instruction.kind == Kind::unknown;
    }));
    CHECK(count(code, Kind::global_load) == 1);
    CHECK(count(code, Kind::shared_store) == 1);
    // The 16 loads of a row are joined, four at a time.
    CHECK(count(code, Kind::shared_load) == 4);
    for (const Instruction& instruction : code.instructions) {
      if (instruction.kind != Kind::shared_load) continue;
      CHECK(instruction.bits == 128);
      CHECK(ptx_line(kernel, instruction.ptx_line).find("ld.shared.f32") != std::string::npos);
    }
    REQUIRE(code.loops.size() == 1);
    const Block& body = code.blocks[static_cast<std::size_t>(code.loops[0].header)];
    CHECK(body.loop == 0);
    CHECK(count(read_code(kernel.cubin, "first"), Kind::shared_load) == 0);
  }
}

TEST_CASE("a call that does not return is a jump: loops are left by it") {
  const auto code_with = [](std::string_view last) {
    std::vector<Instruction> instructions(6);
    const std::vector<std::string_view> names = {"FFMA", "CALL", "BRA", "FFMA", "EXIT", last};
    for (std::size_t i = 0; i < names.size(); ++i) {
      instructions[i].address = static_cast<std::uint32_t>(16 * i);
      instructions[i].name = names[i];
      instructions[i].role = role_by_name(names[i]);
    }
    instructions[1].predicate = 0;
    instructions[2].target = 0;
    return instructions;
  };
  // Over the jump back, to the fourth instruction.
  std::vector<Instruction> jump = code_with("NOP");
  jump[1].target = 48;
  const Code left = structured(80, jump);
  REQUIRE(left.loops.size() == 1);
  CHECK(left.blocks.size() == 4);
  CHECK(left.flow.next[0] == std::vector<int>{2, 1});
  CHECK(left.blocks[2].is_reachable);

  // To what returns, after the kernel's end: the flow goes on after the call.
  std::vector<Instruction> call = code_with("RET");
  call[1].target = 80;
  const Code called = structured(80, call);
  CHECK_FALSE(called.instructions[1].is_branch());
  CHECK(called.flow.next[0] == std::vector<int>{0});
}

TEST_CASE("a cubin that is cut off is an error, wherever it is cut") {
  if (!compiler_status().has_assembler) SKIP_BECAUSE("this compiler makes no machine code");
  const std::vector<char> cubin = compiled("sm_90").cubin;
  for (std::size_t length = 0; length < cubin.size(); length += 61) {
    const std::span<const char> part(cubin.data(), length);
    try {
      read_code(part, "tile");  // what it needs of the file may end before the file does
    } catch (const Error& error) {
      CHECK(error.status() == ExitStatus::unavailable);
    }
  }
  CHECK_THROWS_AS(read_code(std::span(cubin).first(64), "tile"), Error);
  CHECK_THROWS_AS(read_code(std::span(cubin).first(cubin.size() / 2), "tile"), Error);
  CHECK_THROWS_AS(read_code(cubin, "absent"), Error);
  CHECK_THROWS_AS(read_code(std::string_view("no cubin"), "tile"), Error);
}

}  // namespace gemm_tutor::simt::machine
