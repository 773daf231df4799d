// Products of matrices by the tensor cores of this machine's GPU, bit by bit against the emulator.
#include <fmt/format.h>

#include <bit>

#include "catch.hpp"
#include "emulator/matrix_kernels.hpp"
#include "gpu/gpu.hpp"
#include "simt/emulator.hpp"

using namespace gemm_tutor;
using simt::MatrixInstruction;

namespace {

constexpr std::uint32_t warps = 8'200;  // more than a million sums of 16 rows and 8 columns

std::vector<std::uint32_t> on_gpu(const MatrixInstruction& instruction, const std::string& module,
                                  const std::vector<std::uint32_t>& in) {
  std::vector<float> a(in.size()), unused(instruction.words_in() * instruction.words_out());
  std::memcpy(a.data(), in.data(), 4 * in.size());
  const Problem problem{static_cast<int>(warps), static_cast<int>(instruction.words_out()),
                        static_cast<int>(instruction.words_in())};
  gpu::Session session(problem, a, unused);
  const std::vector<float> c = session.run(
      {{module.c_str(), module.size() + 1}, "multiply", simt::Launch{{warps}, {32}, 0}});
  std::vector<std::uint32_t> out(c.size());
  std::memcpy(out.data(), c.data(), 4 * c.size());
  return out;
}

std::vector<std::uint32_t> emulated(const MatrixInstruction& instruction, const std::string& module,
                                    std::vector<std::uint32_t> in) {
  std::vector<std::uint32_t> out(warps * instruction.words_out()), unused(1);
  const auto buffer = [](std::vector<std::uint32_t>& words) {
    simt::Buffer made;
    made.name = "words", made.data = words.data(), made.bytes = 4 * words.size();
    return made;
  };
  using simt::Argument;
  simt::Program::decode(module, "multiply", "kernel.cu")
      .run(simt::Launch{{warps}, {32}, 0}, {buffer(in), buffer(unused), buffer(out)},
           {Argument::pointer(0), Argument::pointer(1), Argument::pointer(2), Argument::integer(1),
            Argument::integer(1), Argument::integer(1)});
  return out;
}

}  // namespace

TEST_CASE("products of matrices have the bits that the GPU's tensor cores give") {
  if (!gpu::status().available) SKIP_BECAUSE(gpu::status().problem);
  const int capability = gpu::status().spec.compute_capability();
  for (const MatrixInstruction& instruction : simt::matrix_instructions()) {
    if (instruction.least_capability > capability) continue;
    const std::string module = simt::matrix_module(instruction, capability);
    const std::vector<std::uint32_t> in =
        simt::matrix_operands(instruction, static_cast<int>(warps));
    const std::vector<std::uint32_t> gpu = on_gpu(instruction, module, in);
    const std::vector<std::uint32_t> ours = emulated(instruction, module, in);
    std::size_t differ = 0, but_for_sign = 0, first = 0;
    for (std::size_t w = 0; w < gpu.size(); ++w) {
      if (gpu[w] != ours[w] && differ++ == 0) first = w;
      if ((gpu[w] ^ ours[w]) << 1 != 0) ++but_for_sign;
    }
    INFO(fmt::format(
        "{}: {} of {} words differ, {} not only in their sign, first of warp {}, word {}: {:#x} on "
        "the GPU, "
        "{:#x} here",
        instruction.opcode, differ, gpu.size(), but_for_sign, first / instruction.words_out(),
        first % instruction.words_out(), gpu[first], ours[first]));
    CHECK(differ == 0);
  }
}
