// A machine instruction of an NVIDIA GPU, from Volta on. It has 16 bytes with fields at fixed
// positions. The positions were found by comparison with nvdisasm of CUDA 13.0, for sm_75, 80, 86,
// 89, 90, 100 and 120; tests/machine/nvdisasm.csv has a row for each form. nvdisasm does not show
// the scheduling fields. Their meaning is from "Dissecting the NVIDIA Volta GPU architecture via
// microbenchmarking" (Jia et al., 2018).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "simt/gpu_spec.hpp"

namespace gemm_tutor::simt::machine {

using Kind = InstructionKind;

// What executes it. `multiply` is IMAD, `special` also has conversions and counts of bits, and
// `other` executes one per cycle.
enum class Unit : std::uint8_t { fp32, multiply, integer, special, fp64, memory, tensor, other };

// What an instruction does besides: how a warp goes on after it, and how copies end. A group is one
// of copies that a thread commits together, a phase one of a barrier in shared memory.
enum class Role : std::uint8_t {
  none,
  block_barrier,
  group_end,
  group_wait,
  phase_wait,
  phase_arrival,  // of a thread's copies
  bulk_copy,
  constant_load,
  call,
  returning,
  exit,
  jump_by_register,
  election  // of one lane of the warp
};

inline constexpr std::size_t products = 8;

// Returns it in words: "FP16 with sums in FP32".
std::string_view words_for(Product product);

// Returns what the instruction of that name does, in words: "load from shared memory" for "LDS".
// Empty for a name that needs none, or is not known.
std::string_view meaning_of(std::string_view name);

// True if it loads or stores registers.
bool is_load_or_store(Kind kind);

inline constexpr int no_register = 255;  // RZ: reads as zero, writes are ignored

// Consecutive registers: R4 to R7 for a load of 128 bits.
struct Registers {
  int first = no_register, count = 0;

  bool operator==(const Registers&) const = default;
};

struct Instruction {
  std::uint32_t address = 0;   // byte offset in the kernel's code
  std::uint16_t opcode = 0;    // 12 bits; the upper 3 give the kinds of the operands
  std::string_view name = {};  // "FFMA"; empty for an opcode that is not in the table
  Kind kind = Kind::unknown;
  Unit unit = Unit::other;
  Role role = Role::none;
  int bits = 0;  // per lane, for loads and stores; otherwise 0
  // Of a tensor instruction: what it multiplies, the FMAs that its unit does, and whether it has
  // half of the depth that it could have.
  Product product = Product::none;
  int fmas = 0;
  bool is_shallow = false;

  // The registers that it writes, and those that it reads in the operand slots A, B and C.
  // Constants, immediates and uniform registers are left out. For memory instructions, A is the
  // address and B the stored data. For a copy, A is the global address and B the shared one. For
  // exchanges, atomics, control and synchronisation they are not decoded.
  Registers destination = {};
  std::array<Registers, 3> sources = {};

  // The instruction executes if this predicate is true. Predicate 7 is always true.
  int predicate = 7;
  bool is_negated = false;
  // A branch may have a second predicate, for the whole warp or per lane.
  bool has_condition = false;
  // The target address of a branch or a call. After structured(), calls have no target. A call with
  // one is a jump: for Ampere and Ada the assembler leaves loops with CALL.REL.NOINC.
  std::optional<std::uint32_t> target = std::nullopt;

  // Cycles until the warp's next instruction may issue, and whether another warp is preferred then.
  int stall = 0;
  bool yields = false;
  // The barriers, of six, that it sets when its result is ready and when its operands have been
  // read; 7 for none. The mask has one bit per barrier that it waits for.
  int write_barrier = 7, read_barrier = 7, wait_mask = 0;
  // The reuse bits. A slot's register stays in the reuse cache: 1 for A, 2 for B, 4 for C.
  int reuse = 0;
  // An FFMA with only registers, without signs or modes, so that its text can have its operands.
  bool is_plain_ffma = false;
  int pending = 0;  // for a DEPBAR: the number of groups of copies that may be in flight

  int ptx_line = 0;  // the line of the PTX text; 0 if not known

  // "@!PT LDS": the assembler writes such loads before asynchronous copies. They do nothing.
  bool is_never_executed() const { return predicate == 7 && is_negated; }
  bool is_conditional() const { return predicate != 7 || is_negated || has_condition; }
  bool is_branch() const { return target.has_value(); }
  bool is_exit() const;
};

// `address` is the instruction's address. `architecture` is a number such as 90.
Instruction decode(std::uint64_t low, std::uint64_t high, std::uint32_t address, int architecture);

// "LDS.128", "BRA", "opcode 0x7ff": the name, with the width of an access.
std::string name_with_width(const Instruction& instruction);

// The same after its predicate: "@!P0 BRA".
std::string text_of(const Instruction& instruction);

// Of a plain FFMA, as nvdisasm prints it: "@P0 FFMA R0, R64.reuse, R72, RZ".
std::string text_with_operands(const Instruction& ffma);

}  // namespace gemm_tutor::simt::machine
