// A kernel ready to run: a flat array of instructions whose operands are places in memory, each
// with the two functions (all lanes, some lanes) that carry it out.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "emulator/instruction_kind.hpp"
#include "emulator/joined_accesses.hpp"
#include "emulator/ptx.hpp"
#include "machine/code.hpp"

namespace gemm_tutor::emulator {

inline constexpr int lanes = 32;
inline constexpr std::uint32_t all_lanes = 0xffffffffu;

struct Warp;
struct Instruction;
using Handler = void (*)(Warp&, const Instruction&);

struct Handlers {
  Handler full = nullptr;    // all 32 lanes are active
  Handler masked = nullptr;  // some are: the others' registers keep their values
  int sources = -1;          // operands that a lane-wise instruction reads; -1 for others
  std::uint32_t widths = 0;  // of its result, then of its sources: see operand_bits()

  // 1 for a predicate, 32 for all that takes one word of a register, or 64; 0 where it has none.
  int operand_bits(std::size_t operand) const {
    constexpr int bits[] = {0, 1, 32, 64};
    return bits[widths >> (2 * operand) & 3];
  }
};

// A place in the warp's registers or in the program's constants, in 32-bit words.
struct Operand {
  std::uint32_t bits = 0;

  static Operand reg(std::uint32_t word) { return {word << 1}; }
  static Operand constant(std::uint32_t word) { return {word << 1 | 1}; }
};

struct Instruction {
  Handlers run;
  std::array<Operand, 6> operands;  // the destinations, then the sources
  std::int64_t offset = 0;          // added to an address; other uses by the instruction
  std::uint32_t index = 0;          // of a block's, a memory access's, or a loop's counters
  std::uint32_t target = 0;         // instruction that a branch jumps to; other uses, as offset
  std::uint32_t reconvergence = 0;  // instruction where the lanes of a branch meet, or none
  Operand guard;                    // of a predicated instruction
  std::int32_t line = 0;
  std::uint32_t calls = 0;  // which of the program's
  bool guard_negated = false;
  bool wide_address = false;      // a shared or local address is in a 64-bit register
  bool is_read_only = false;      // a load of memory that the kernel says it does not write
  bool is_volatile = false;       // or relaxed, acquire, release: threads may synchronise by it
  bool in_window = false;         // an atomic operation's address is one of shared memory
  bool may_be_joined = false;     // an access to shared memory, with others by the assembler
  std::uint8_t unused_words = 0;  // of a load: a bit for each of 4 bytes that no instruction reads
  std::uint8_t maybe_unused_words = 0;  // of a vector: that are read under a condition alone
  std::uint8_t first_at = 0;            // of it, as in MachineAccess
  Handlers guarded;                     // what a predicated instruction runs in the lanes that do
};

inline constexpr std::uint32_t no_instruction = 0xffffffffu;

// A value that every lane, warp and block sees alike: an immediate, a kernel parameter, the address
// of a module's variable.
struct Constant {
  enum class Kind { value, parameter, variable } kind = Kind::value;
  int bits = 32;
  std::uint64_t value = 0;  // Kind::value
  int parameter = 0;        // Kind::parameter: which, and where in it; Kind::variable: which
  std::uint32_t byte = 0;
  int parameter_bits = 32;
  bool is_signed = false;
  std::uint32_t word = 0;  // its place among the constants

  bool same_as(const Constant& other) const {
    return kind == other.kind && bits == other.bits && value == other.value &&
           parameter == other.parameter && byte == other.byte &&
           parameter_bits == other.parameter_bits && is_signed == other.is_signed;
  }
};

enum class Special {
  tid_x,
  tid_y,
  tid_z,
  ntid_x,
  ntid_y,
  ntid_z,
  ctaid_x,
  ctaid_y,
  ctaid_z,
  nctaid_x,
  nctaid_y,
  nctaid_z,
  laneid,
  warpid,
  nwarpid,
  lanemask_eq,
  lanemask_le,
  lanemask_lt,
  lanemask_ge,
  lanemask_gt,
  smid,
  nsmid,
  gridid,
  dynamic_smem_size,
  total_smem_size
};

// A special register that the kernel reads has a slot among the warp's registers, filled for each
// block.
struct SpecialSlot {
  Special special;
  std::uint32_t word = 0;
};

// What the instructions of a basic block add to the counters each time a warp runs it.
struct BlockCost {
  struct Line {
    int line = 0;
    std::array<std::uint32_t, instruction_kinds> instructions = {};
    std::uint32_t ffma = 0;
  };
  std::vector<Line> lines;
};

// An instruction whose cost depends on what it meets: counted as it runs.
struct CountedAccess {
  enum class Kind {
    load,
    store,
    copy,
    bulk_copy,
    mbarrier,
    ffma,
    barrier,
    atomic
  } kind = Kind::load;
  ptx::Space space = ptx::Space::global;
  int line = 0;
  int bytes = 4;                  // of each lane
  int ptx_line = 0;               // of the PTX text
  std::uint32_t instruction = 0;  // of the program
  // What the assembler made of an access to shared memory (joined_accesses.hpp), or would make
  // (joining_rule.hpp).
  MachineAccess machine = {};
};

// An instruction of the PTX text, executed as often as its basic block.
struct PtxInstruction {
  int ptx_line = 0, line = 0;  // of the PTX text, of the kernel's source file
  std::uint32_t block = 0;
};

// A jump back, and what it repeats: from the one line of the PTX text to the other.
struct PtxLoop {
  int first_line = 0, last_line = 0;
};

struct SharedVariable {
  std::string name;                     // as in the source: "a_tile"
  std::uint32_t offset = 0, bytes = 0;  // in the block's shared (or the thread's local) memory
  bool dynamic = false;                 // its size comes with the launch
};

// A __device__ or __constant__ variable, or a string. It is 0 where it has no initial value.
struct ModuleVariable {
  struct Address {
    std::uint64_t at = 0;  // byte of the variable
    int variable = 0;      // of which the address is kept there
    std::uint64_t offset = 0;
  };
  std::string name;  // as in the source
  bool constant = false;
  std::uint64_t bytes = 0;
  int parameter = -1;                   // of the kernel: its argument is what it holds
  std::vector<std::byte> initial = {};  // of the first bytes
  std::vector<Address> addresses = {};  // in it
};

// An argument or a result of a call: `stride` bytes for each lane, from a word of a frame on.
struct CallValue {
  std::uint32_t word = 0, bytes = 0;
  std::uint32_t stride() const { return (bytes + 7) / 8 * 8; }
  std::uint32_t words() const { return stride() / 4 * lanes; }
};

// The kernel, which is the first, or a function that is called. Its registers are a frame of the
// warp's registers, after those of its callers. The special registers are the first of each frame.
struct DecodedFunction {
  // A basic block: its first instruction, and the blocks that follow it.
  struct Block {
    std::uint32_t begin = 0;
    std::vector<int> next;
  };
  std::string name;
  std::vector<Block> blocks;  // in the order of the text; the first is the entry
  std::uint32_t begin = 0;    // its first instruction
  std::uint32_t frame_words = 0;
  std::vector<CallValue> parameters, results;
  std::vector<std::uint32_t> unset_registers;  // words that may be read before they are written
  // A called function's local variables lie in the stack that a thread has for them, each at an
  // address which is put into two words of the frame.
  struct Local {
    std::uint32_t word = 0, offset = 0;
  };
  std::vector<Local> locals;
  std::uint32_t local_bytes = 0;
};

struct Call {
  int function = 0;  // -1: whose address is in the instruction's first operand
  std::vector<CallValue> arguments, results;  // in the caller's frame
  std::uint32_t caller = 0;                   // the function that calls
};

// Whether the function, of the PTX or decoded, has such parameters and such a result.
template <typename Function>
bool fits(const Call& call, const Function& function) {
  const auto same = [](const CallValue& value, const auto& other) {
    return value.bytes == other.bytes;
  };
  return std::equal(call.arguments.begin(), call.arguments.end(), function.parameters.begin(),
                    function.parameters.end(), same) &&
         std::equal(call.results.begin(), call.results.end(), function.results.begin(),
                    function.results.end(), same);
}

inline constexpr int most_calls = 64;  // that a thread may be in, where functions call themselves

struct DecodedProgram {
  std::string name;
  std::vector<Instruction> instructions;
  std::vector<ptx::Parameter> parameters;
  std::vector<Constant> constants;
  std::uint32_t constant_words = 0;
  std::vector<SpecialSlot> specials;
  std::uint32_t special_words = 0;
  std::uint32_t register_words = 0;  // of a warp: for the frames of all functions that it may be in
  std::vector<DecodedFunction> functions;
  std::vector<Call> function_calls;
  std::vector<ModuleVariable> variables;
  std::vector<BlockCost> blocks;
  std::vector<CountedAccess> accesses;
  std::vector<PtxInstruction> ptx;
  std::vector<PtxLoop> loops;
  std::vector<std::uint32_t> warp_barriers;  // instructions: each __syncwarp()
  std::optional<machine::Code> machine;  // that the assembler made of the PTX, where it is known
  // Lists of calls (ptx::Statement::calls) that instructions were inlined at. The first is empty.
  std::vector<std::vector<int>> calls = {{}};
  std::vector<SharedVariable> shared, local;
  std::uint32_t static_shared_bytes = 0;
  std::uint32_t local_bytes = 0;         // a thread
  std::int32_t stack = -1;               // of `local`, that of called functions; -1 for none
  bool partial_synchronisation = false;  // by more than barriers of whole blocks and whole warps
  bool has_loop_by_data = false;         // loop_data.hpp
  bool shared_atomics = false;           // atomic operations, or volatile accesses, to it
  bool narrow_shared_accesses = false;   // some access to shared memory is of fewer than 4 bytes
};

// `code` is what the assembler made of it, where that is known.
DecodedProgram decode(const ptx::Module& module, const ptx::Function& function,
                      std::optional<machine::Code> code);

}  // namespace gemm_tutor::emulator
