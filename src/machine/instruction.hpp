// A machine instruction of an NVIDIA GPU, from Volta on: 16 bytes, whose fields are read by
// position. Where each is was found by comparing with nvdisasm of CUDA 13.0, for sm_75, 80, 86, 89,
// 90, 100 and 120; tests/machine/nvdisasm.csv keeps a row for each form. What the scheduling fields
// mean is from "Dissecting the NVIDIA Volta GPU architecture via microbenchmarking" (Jia et al.,
// 2018), and nvdisasm does not show them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gemm_tutor::machine {

enum class Kind {
  ffma,            // FFMA alone
  floating_point,  // other arithmetic, comparisons and choices of FP32, FP64 and special functions
  integer,         // arithmetic, logic, comparisons, choices: addresses and loop counters
  move,            // moves, conversions, reads of special registers and of constants
  shared_load,
  shared_store,
  global_load,
  global_store,
  local_load,
  local_store,
  copy,    // from global to shared memory, without registers
  atomic,  // and reductions in memory
  control,
  synchronisation,  // barriers, fences, waits for copies
  exchange,         // between the lanes of a warp
  unknown
};

inline constexpr std::size_t kinds = 16;

// As in the enumeration: "shared_load".
std::string_view name_of(Kind kind);

// Whether it loads or stores registers.
bool is_load_or_store(Kind kind);

inline constexpr int no_register = 255;  // RZ, which reads as zero and is not kept

// Registers that follow each other: R4 to R7 for a load of 128 bits.
struct Registers {
  int first = no_register, count = 0;

  bool operator==(const Registers&) const = default;
};

struct Instruction {
  std::uint32_t address = 0;   // in the kernel's code, in bytes
  std::uint16_t opcode = 0;    // 12 bits, of which the upper 3 say what kinds the operands are
  std::string_view name = {};  // "FFMA"; empty for an opcode that is not in the table
  Kind kind = Kind::unknown;
  int bits = 0;  // that each lane loads or stores; 0 for others

  // What it writes, and what it reads in the operand slots A, B and C. An operand that is a
  // constant, an immediate or a uniform register is absent. Of memory instructions A is the address
  // and B the data that is stored; of a copy A is the global address and B the shared one.
  // Of exchanges, control and synchronisation they are not decoded.
  Registers destination = {};
  std::array<Registers, 3> sources = {};

  // Executed where this predicate holds; 7 is the one that always does.
  int predicate = 7;
  bool is_negated = false;
  // A branch may ask for a second predicate, of the warp as a whole or of each lane.
  bool has_condition = false;
  // Of a branch or a call, an address. In code that is structured() a call has none: where it has
  // one it is a jump, as the assembler leaves loops by CALL.REL.NOINC for Ampere and Ada.
  std::optional<std::uint32_t> target = std::nullopt;

  // Cycles until the warp's next instruction may issue; whether another warp is preferred then.
  int stall = 0;
  bool yields = false;
  // Of the six barriers, which this sets when its result is there, and when its operands have been
  // read; 7 for none. A bit for each that it waits for.
  int write_barrier = 7, read_barrier = 7, wait_mask = 0;
  // A bit for each slot whose register stays at hand for the next instruction: 1 for A, 2 for B, 4
  // for C.
  int reuse = 0;
  // An FFMA of registers alone, without signs or modes: its text can have its operands.
  bool is_plain_ffma = false;
  int pending = 0;  // of a DEPBAR: groups of copies that need not be complete

  int ptx_line = 0;  // of the PTX text, that it was made of; 0 where the cubin does not say

  bool is_conditional() const { return predicate != 7 || is_negated || has_condition; }
  bool is_branch() const { return target.has_value(); }
  bool is_exit() const;
};

// Of an architecture such as 90. `address` is the instruction's own.
Instruction decode(std::uint64_t low, std::uint64_t high, std::uint32_t address, int architecture);

// "LDS.128", "@!P0 BRA", "opcode 0x7ff": the name, with the width of an access.
std::string text_of(const Instruction& instruction);

// Of a plain FFMA, as nvdisasm prints it: "@P0 FFMA R0, R64.reuse, R72, RZ".
std::string text_with_operands(const Instruction& ffma);

}  // namespace gemm_tutor::machine
