// The results that the emulator's instructions are held to, as the GPU has them.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "catch.hpp"
#include "emulator/instruction_cases.hpp"
#include "gpu/gpu.hpp"
#include "support/error.hpp"
#include "support/text.hpp"

using namespace gemm_tutor;
using emulator::Bits;
using emulator::InstructionCase;

namespace {

// Not steps of the emulator's own, which are no PTX, nor what NVIDIA gives a bound for, not bits.
// lop3 takes its table as a constant alone.
bool is_comparable(const std::string& name) {
  for (const char* own : {"pack.", "low.", "high.", "flush.", "sat.", "relu.", "to_odd.", "add_b",
                          "subtract_b", "carry_of_", "setp.f", "setp.bf16", "lop3."}) {
    if (name.starts_with(own)) return false;
  }
  for (const char* inside : {".approx.", "div.full."}) {
    if (name.find(inside) != std::string::npos) return false;
  }
  const bool is_newer = name.find("f32x2") != std::string::npos;
  return !is_newer || gpu::status().spec.compute_major >= 10;
}

std::string register_of(const std::string& register_class, std::size_t number) {
  return fmt::format("%{}{}", register_class, number);
}

// Each thread has a row of four 64-bit words in A and leaves a word in C.
std::string module_of(const std::string& name, const std::vector<std::string>& classes) {
  std::string body;
  std::vector<std::string> operands = {register_of(classes[0], 0)};
  for (std::size_t i = 1; i < classes.size(); ++i) {
    const std::string& c = classes[i];
    const std::string at = fmt::format("[%a+{}]", 8 * (i - 1));
    operands.push_back(register_of(c, i));
    if (c == "p")
      body += fmt::format("ld.global.u32 %value, {};\nsetp.ne.u32 {}, %value, 0;\n", at,
                          operands.back());
    else
      body += fmt::format("ld.global.{} {}, {};\n",
                          c == "rs"  ? "u16"
                          : c == "r" ? "u32"
                                     : "u64",
                          operands.back(), at);
  }
  body += fmt::format("{} {};\n", name, join(operands));
  const std::string result = operands[0];
  body += classes[0] == "p"    ? fmt::format("selp.b64 %rd0, 1, 0, {};\n", result)
          : classes[0] == "rs" ? fmt::format("cvt.u64.u16 %rd0, {};\n", result)
          : classes[0] == "r"  ? fmt::format("cvt.u64.u32 %rd0, {};\n", result)
                               : "";
  return fmt::format(R"(.version 8.0
.target sm_{}{}
.address_size 64
.visible .entry instruction(.param .u64 A, .param .u64 B, .param .u64 C, .param .u32 M,
                            .param .u32 N, .param .u32 K)
{{
  .reg .pred %p<6>;
  .reg .b16 %rs<6>;
  .reg .b32 %r<6>, %thread, %value;
  .reg .b64 %rd<6>, %a, %c, %offset;
  mov.u32 %thread, %tid.x;
  ld.param.u64 %a, [A];
  ld.param.u64 %c, [C];
  mul.wide.u32 %offset, %thread, 32;
  add.u64 %a, %a, %offset;
  mul.wide.u32 %offset, %thread, 8;
  add.u64 %c, %c, %offset;
  {}  st.global.u64 [%c], %rd0;
  ret;
}}
)",
                     gpu::status().spec.compute_major, gpu::status().spec.compute_minor, body);
}

std::vector<Bits> on_gpu(const std::string& name, const InstructionCase& instruction) {
  const auto rows = static_cast<int>(instruction.rows.size());
  std::vector<float> in(8 * instruction.rows.size()), unused(16);
  for (std::size_t r = 0; r < instruction.rows.size(); ++r)
    std::memcpy(&in[8 * r], instruction.rows[r].data(), 8 * (instruction.rows[r].size() - 1));
  const std::string module = module_of(name, emulator::words_of(instruction.operands));
  gpu::Session session(Problem{rows, 2, 8}, in, unused);
  const Launch launch{{1}, {static_cast<std::uint32_t>(rows)}, 0};
  const std::vector<float> out =
      session.run({{module.c_str(), module.size() + 1}, "instruction", launch});
  std::vector<Bits> results(instruction.rows.size());
  std::memcpy(results.data(), out.data(), 8 * results.size());
  return results;
}

}  // namespace

TEST_CASE("instructions give the bits on the GPU that the emulator's are held to") {
  if (!gpu::status().available) SKIP_BECAUSE(gpu::status().problem);
  for (const InstructionCase& instruction : emulator::instruction_cases()) {
    const std::string destination = emulator::words_of(instruction.operands)[0];
    for (const std::string& name : emulator::words_of(instruction.names)) {
      if (!is_comparable(name)) continue;
      INFO(name);
      std::vector<Bits> results;
      try {
        results = on_gpu(name, instruction);
      } catch (const Error& error) {
        FAIL_CHECK(error.what());  // the assembler does not take it
        continue;
      }
      for (std::size_t r = 0; r < results.size(); ++r) {
        std::string row;
        for (const Bits bits : instruction.rows[r]) row += fmt::format(" {:#x}", bits);
        INFO(name << " of" << row);
        CHECK(fmt::format("{:#x}", emulator::truncate(results[r], destination)) ==
              fmt::format("{:#x}", emulator::truncate(instruction.rows[r].back(), destination)));
      }
    }
  }
}
