#include "emulator/instruction_kind.hpp"

#include <array>

#include "emulator/opcode.hpp"

namespace gemm_tutor::emulator {

std::string_view name_of(InstructionKind kind) {
  constexpr std::array<std::string_view, instruction_kinds> names = {
      "ffma",   "floating_point", "integer",         "move",
      "memory", "control",        "synchronisation", "exchange"};
  return names[static_cast<std::size_t>(kind)];
}

InstructionKind instruction_kind(std::string_view opcode) {
  using Kind = InstructionKind;
  const std::string_view operation = opcode.substr(0, opcode.find('.'));
  const auto contains = [&](std::string_view part) { return opcode.find(part) != opcode.npos; };
  if (operation == "fma" && opcode.ends_with(".f32")) return Kind::ffma;
  if (opcode.starts_with("ld.param")) return Kind::move;
  if (is_one_of(operation, {"mov", "cvt", "cvta"})) return Kind::move;
  if (is_one_of(operation, {"ld", "st", "prefetch", "prefetchu", "applypriority", "discard"}))
    return Kind::memory;
  if (is_one_of(operation, {"bra", "ret", "exit"})) return Kind::control;
  if (is_one_of(operation, {"shfl", "vote", "match", "activemask", "redux", "elect"}))
    return Kind::exchange;
  if (operation == "cp" && !contains("commit") && !contains("wait") && !contains("mbarrier.arrive"))
    return Kind::memory;
  if (is_one_of(operation, {"bar", "barrier", "membar", "fence", "mbarrier", "cp", "nanosleep"}))
    return Kind::synchronisation;
  return contains(".f32") || contains(".f64") || contains("f16") ? Kind::floating_point
                                                                 : Kind::integer;
}

}  // namespace gemm_tutor::emulator
