// The kinds that instructions are counted by: what a warp issues.
#pragma once

#include <cstddef>
#include <string_view>

namespace gemm_tutor::emulator {

enum class InstructionKind {
  ffma,             // fma.rn.f32: the work itself
  floating_point,   // other arithmetic, comparisons and choices of FP32 and FP64
  integer,          // arithmetic, logic, comparisons and choices: addresses and loop counters
  move,             // moves and conversions, and reads of kernel parameters
  memory,           // loads, stores and asynchronous copies
  control,          // branches and returns
  synchronisation,  // barriers, fences, and waits for asynchronous copies
  exchange          // between the lanes of a warp: shuffles, votes
};

inline constexpr std::size_t instruction_kinds = 8;

// As in the enumeration: "floating_point".
std::string_view name_of(InstructionKind kind);

// Of a PTX opcode such as "ld.global.nc.f32"; one that is not known is taken for `integer`.
InstructionKind instruction_kind(std::string_view opcode);

}  // namespace gemm_tutor::emulator
