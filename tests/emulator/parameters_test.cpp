// Kernel parameters of every width, and values that NVRTC keeps in registers wider than they are.
#include <vector>

#include "catch.hpp"
#include "emulator/cuda_kernel.hpp"
#include "emulator/ptx_kernel.hpp"

namespace gemm_tutor::simt {
namespace {

float first_of_c(const std::string& source, const std::vector<Argument>& others) {
  std::vector<float> c(64);
  std::vector<Argument> arguments = {Argument::pointer(0)};
  arguments.insert(arguments.end(), others.begin(), others.end());
  const Result result = Program::decode(cuda_to_ptx(source), "kernel", "kernel.cu")
                            .run(one_warp, {buffer_of(c, "C")}, arguments);
  CHECK(kinds(result) == "");
  return c[0];
}

TEST_CASE("narrow parameters are extended by their sign") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  const std::string source =
      "extern \"C\" __global__ void kernel(float* C, short s, signed char c, unsigned char u) {\n"
      "  C[threadIdx.x] = s * 10000.f + c * 100 + u;\n"
      "}\n";
  CHECK(first_of_c(source, {Argument::integer(-2), Argument::integer(-3),
                            Argument::integer(200)}) == -20100.0f);  // -20000 - 300 + 200
}

TEST_CASE("sizes may be of any integer type") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  for (const char* type : {"int", "unsigned", "size_t", "long long"}) {
    INFO(type);
    const std::string source = std::string("extern \"C\" __global__ void kernel(float* C, ") +
                               type +
                               " n, int m) {\n"
                               "  C[(size_t)m * blockIdx.x + threadIdx.x] = (long)m * n;\n"
                               "}\n";
    CHECK(first_of_c(source, {Argument::integer(7), Argument::integer(6)}) == 42.0f);
  }
}

TEST_CASE("a block has at most 1,024 threads") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  const Program program =
      Program::decode(cuda_to_ptx("extern \"C\" __global__ void kernel(float* C) { C[0] = 1; }"),
                      "kernel", "kernel.cu");
  std::vector<float> c(1);
  CHECK_THROWS(program.run({{1, 1, 1}, {1025, 1, 1}, 0}, {buffer_of(c)}, {Argument::pointer(0)}));
}

}  // namespace
}  // namespace gemm_tutor::simt
