#include <fmt/format.h>

#include "instruction_cases.hpp"
#include "ptx_kernel.hpp"
#include "support/text.hpp"

namespace gemm_tutor::simt {
namespace {

// Each thread has one 64-bit word for: whether it is to take part, the destination's old value, and
// four sources.
constexpr std::size_t slots = 6;

std::string load(const std::string& register_class, int number, int slot) {
  const std::string place = fmt::format("[%rd1+{}]", 8 * slot);
  if (register_class == "p") {
    return fmt::format("  ld.global.u32 %r39, {0};\n  setp.ne.u32 %p{1}, %r39, 0;\n", place,
                       number);
  }
  const char* type = register_class == "rs" ? "u16" : register_class == "r" ? "u32" : "u64";
  return fmt::format("  ld.global.{} %{}{}, {};\n", type, register_class, number, place);
}

std::string store(const std::string& register_class, int number) {
  if (register_class == "p")
    return fmt::format("  selp.u32 %r39, 1, 0, %p{};\n  st.global.u32 [%rd3], %r39;\n", number);
  const char* type = register_class == "rs" ? "u16" : register_class == "r" ? "u32" : "u64";
  return fmt::format("  st.global.{} [%rd3], %{}{};\n", type, register_class, number);
}

std::string immediate(Bits bits, const std::string& name, const std::string& register_class) {
  if (register_class == "r" && name.ends_with("f32")) return fmt::format("0f{:08X}", bits);
  if (register_class == "rd" && name.ends_with("f64")) return fmt::format("0d{:016X}", bits);
  return fmt::format("0x{:x}", truncate(bits, register_class));
}

// The halves of 64 bits are written as vectors.
std::string instruction(const std::string& name, const std::vector<std::string>& operands) {
  if (name == "pack.b64")
    return fmt::format("mov.b64 {}, {{{}, {}}};\n", operands[0], operands[1], operands[2]);
  if (name == "low.b64") return fmt::format("mov.b64 {{{}, _}}, {};\n", operands[0], operands[1]);
  if (name == "high.b64") return fmt::format("mov.b64 {{_, {}}}, {};\n", operands[0], operands[1]);
  return fmt::format("{} {};\n", name, join(operands));
}

std::string kernel(const std::string& name, const std::vector<std::string>& classes,
                   const std::vector<std::string>& operands, Masking masking) {
  std::string body = fmt::format(
      "  mov.u32 %r0, %tid.x;\n"
      "  mul.wide.u32 %rd0, %r0, {};\n"
      "  add.s64 %rd1, %buffer0, %rd0;\n"
      "  mul.wide.u32 %rd2, %r0, 8;\n"
      "  add.s64 %rd3, %buffer1, %rd2;\n",
      8 * slots);
  body += load("p", 0, 0);
  for (int i = 0; i < static_cast<int>(classes.size()); ++i)
    body += load(classes[static_cast<std::size_t>(i)], 10 + i, 1 + i);
  const std::string text = instruction(name, operands);
  body +=
      masking == Masking::guard ? "  @%p0 " + text : "  @!%p0 bra AFTER;\n  " + text + "AFTER:\n";
  return ptx_module(body + store(classes[0], 10), 2);
}

std::vector<Bits> run(const std::string& module, const std::vector<std::vector<Bits>>& rows,
                      const std::vector<std::string>& classes, std::uint32_t mask) {
  const std::size_t threads = (rows.size() + 31) / 32 * 32;
  std::vector<Bits> in(threads * slots), out(threads);
  for (std::size_t t = 0; t < threads; ++t) {
    in[t * slots] = mask >> (t % 32) & 1;
    in[t * slots + 1] = truncate(old_value(t), classes[0]);
    for (std::size_t s = 0; s + 1 < classes.size(); ++s)
      in[t * slots + 2 + s] = rows[t % rows.size()][s];
  }
  const Launch launch{{1, 1, 1}, {static_cast<std::uint32_t>(threads), 1, 1}, 0};
  run_ptx(module, launch, {buffer_of(in, "in"), buffer_of(out, "out")});
  out.resize(rows.size());
  return out;
}

}  // namespace

Bits old_value(std::size_t thread) { return 0x5a5a5a5a5a5a5a5a ^ (thread & 1); }

std::vector<Bits> execute(const std::string& name, const std::string& operands,
                          const std::vector<std::vector<Bits>>& rows, std::uint32_t mask,
                          Masking masking) {
  const std::vector<std::string> classes = words_of(operands);
  std::vector<std::string> registers;
  for (const std::string& c : classes)
    registers.push_back(fmt::format("%{}{}", c, 10 + registers.size()));
  return run(kernel(name, classes, registers, masking), rows, classes, mask);
}

Bits execute_immediate(const std::string& name, const std::string& operands,
                       const std::vector<Bits>& row) {
  const std::vector<std::string> classes = words_of(operands);
  std::vector<std::string> places = {fmt::format("%{}10", classes[0])};
  for (std::size_t i = 1; i < classes.size(); ++i) {
    places.push_back(classes[i] == "p" ? fmt::format("%p{}", 10 + i)
                                       : immediate(row[i - 1], name, classes[i]));
  }
  return run(kernel(name, classes, places, Masking::branch), {row}, classes, 0xffffffffu)[0];
}

}  // namespace gemm_tutor::simt
