// The kinds by which instructions are counted, as PTX has them.
#pragma once

#include <cstddef>
#include <string_view>

namespace gemm_tutor::emulator {

enum class InstructionKind {
  ffma,             // fma.rn.f32: the useful work
  floating_point,   // other arithmetic, comparisons and selections, FP32 and FP64
  integer,          // arithmetic, logic, comparisons and selections: addresses and loop counters
  move,             // moves, conversions and reads of kernel parameters
  memory,           // loads, stores and asynchronous copies
  control,          // branches and returns
  synchronisation,  // barriers, fences, and waits for asynchronous copies
  exchange          // shuffles and votes between the lanes of a warp
};

inline constexpr std::size_t instruction_kinds = 8;

// Returns the enumerator's name: "floating_point".
std::string_view name_of(InstructionKind kind);

}  // namespace gemm_tutor::emulator
