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
using simt::Bits;
using simt::InstructionCase;

namespace {

// Not steps of the emulator's own, which are no PTX, nor what NVIDIA gives a bound for, not bits,
// nor what the emulator's own addresses are. lop3 takes its table as a constant alone.
bool is_comparable(const std::string& name) {
  for (const char* own : {"pack.", "low.", "high.", "flush.", "sat.", "relu.", "to_odd.", "add_b",
                          "subtract_b", "carry_of_", "setp.f", "setp.bf16", "lop3.", "isspacep."}) {
    if (name.starts_with(own)) return false;
  }
  for (const char* inside : {".approx.", "div.full."}) {
    if (name.find(inside) != std::string::npos) return false;
  }
  const auto has = [&](std::string_view type) { return name.find(type) != std::string::npos; };
  const int capability = 10 * gpu::status().spec.compute_major + gpu::status().spec.compute_minor;
  const int least = has("f32x2") ? 100 : has("e4m3") || has("e5m2") ? 89 : 0;
  return capability >= least;
}

std::string register_of(const std::string& register_class, std::size_t number) {
  return fmt::format("%{}{}", register_class, number);
}

// A kernel that leaves what `body` puts into %rd0. %a is the thread's place in A, %c that in C.
std::string module_with(const std::string& body) {
  return fmt::format(R"(.version 8.0
.target sm_{}{}
.address_size 64
.const .align 8 .b64 constant_word;
.visible .entry instruction(.param .u64 A, .param .u64 B, .param .u64 C, .param .u32 M,
                            .param .u32 N, .param .u32 K)
{{
  .reg .pred %p<6>;
  .reg .b16 %rs<6>;
  .reg .b32 %r<6>, %thread, %value;
  .reg .b64 %rd<6>, %a, %c, %offset;
  .shared .align 8 .b64 shared_word;
  .local .align 8 .b64 local_word;
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

// The word that each of `rows` threads leaves, of up to four words of 64 bits.
std::vector<Bits> words_left(const std::string& body, const std::vector<std::vector<Bits>>& rows) {
  std::vector<float> in(8 * rows.size()), unused(16);
  for (std::size_t r = 0; r < rows.size(); ++r)
    std::memcpy(&in[8 * r], rows[r].data(), 8 * std::min<std::size_t>(4, rows[r].size()));
  const std::string module = module_with(body);
  gpu::Session session(Problem{static_cast<int>(rows.size()), 2, 8}, in, unused);
  const simt::Launch launch{{1}, {static_cast<std::uint32_t>(rows.size())}, 0};
  const std::vector<float> out =
      session.run({{module.c_str(), module.size() + 1}, "instruction", launch});
  std::vector<Bits> results(rows.size());
  std::memcpy(results.data(), out.data(), 8 * results.size());
  return results;
}

// The instruction, with a row of 64-bit words in A for its sources.
std::string body_of(const std::string& name, const std::vector<std::string>& classes) {
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
  return body;
}

}  // namespace

TEST_CASE("instructions give the bits on the GPU that the emulator's are held to") {
  if (!gpu::status().available) SKIP_BECAUSE(gpu::status().problem);
  for (const InstructionCase& instruction : simt::instruction_cases()) {
    const std::string destination = simt::words_of(instruction.operands)[0];
    for (const std::string& name : simt::words_of(instruction.names)) {
      if (!is_comparable(name)) continue;
      INFO(name);
      std::vector<Bits> results;
      try {
        results = words_left(body_of(name, simt::words_of(instruction.operands)), instruction.rows);
      } catch (const Error& error) {
        FAIL_CHECK(error.what());  // the assembler does not take it
        continue;
      }
      for (std::size_t r = 0; r < results.size(); ++r) {
        std::string row;
        for (const Bits bits : instruction.rows[r]) row += fmt::format(" {:#x}", bits);
        INFO(name << " of" << row);
        CHECK(fmt::format("{:#x}", simt::truncate(results[r], destination)) ==
              fmt::format("{:#x}", simt::truncate(instruction.rows[r].back(), destination)));
      }
    }
  }
}

TEST_CASE("the GPU tells the spaces of addresses apart as the emulator does") {
  if (!gpu::status().available) SKIP_BECAUSE(gpu::status().problem);
  const std::vector<std::string> spaces = {"global", "shared", "local", "const"};
  const std::vector<std::string> addresses = {
      "mov.u64 %rd1, %a;\n", "mov.u64 %rd1, shared_word;\ncvta.shared.u64 %rd1, %rd1;\n",
      "mov.u64 %rd1, local_word;\ncvta.local.u64 %rd1, %rd1;\n",
      "mov.u64 %rd1, constant_word;\ncvta.const.u64 %rd1, %rd1;\n"};
  for (std::size_t address = 0; address < addresses.size(); ++address) {
    for (std::size_t space = 0; space < spaces.size(); ++space) {
      INFO("isspacep." << spaces[space] << " of an address in " << spaces[address]);
      const std::string body = addresses[address] + "isspacep." + spaces[space] +
                               " %p1, %rd1;\nselp.b64 %rd0, 1, 0, %p1;\n";
      CHECK(words_left(body, {{0}}) == std::vector<Bits>{address == space});
    }
  }
}
