// Compiles a kernel that is wrong, runs it on named arrays, and says what was found and counted.
#include <fmt/format.h>

#include <cstdio>

#include "simt/compiler.hpp"
#include "simt/emulator.hpp"

namespace simt = gemm_tutor::simt;

int main() {
  const simt::CompiledKernel kernel = simt::compile({.source = R"(
__global__ void add(const float* x, const float* y, float* sum, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= count) sum[i] = x[i] + y[i];
})",
                                                     .file_name = "add.cu",
                                                     .architecture = "sm_90",
                                                     .name_expression = "add"});
  std::vector<float> x(1000, 1), y(1000, 2), sum(1000);
  const auto array = [](const char* name, std::vector<float>& all) {
    return simt::Buffer{.name = name, .data = all.data(), .bytes = all.size() * sizeof(float)};
  };
  const simt::Result result =
      simt::Program::decode(kernel.ptx, kernel.lowered_name, "add.cu")
          .run({.grid = {4}, .block = {256}}, {array("x", x), array("y", y), array("sum", sum)},
               {simt::Argument::pointer(0), simt::Argument::pointer(1), simt::Argument::pointer(2),
                simt::Argument::integer(1000)});
  for (const simt::Finding& finding : result.findings)
    fmt::print("line {}: {}\n", finding.line, simt::message(finding));
  fmt::print("sum[999] is {}, {} sectors loaded\n", sum[999], result.total.global_load_sectors);
}
