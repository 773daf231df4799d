// A decoded kernel: an array of instructions. Their operands are places in memory. Each instruction
// has two functions that execute it, one for all lanes and one for some lanes.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "simt/emulator.hpp"
#include "simt/isa/matrix.hpp"
#include "simt/isa/ptx_row.hpp"
#include "simt/machine/code.hpp"
#include "simt/ptx/joined_accesses.hpp"
#include "simt/ptx/ptx.hpp"

namespace gemm_tutor::simt {

inline constexpr int lanes = 32;
inline constexpr std::uint32_t all_lanes = 0xffffffffu;

struct Warp;
struct Instruction;
using Handler = void (*)(Warp&, const Instruction&);

struct Handlers {
  Handler full = nullptr;    // all 32 lanes are active
  Handler masked = nullptr;  // some lanes are active; the others' registers keep their values
  int sources = -1;          // number of operands that a lane-wise instruction reads; otherwise -1
  std::uint32_t widths = 0;  // widths of its result and its sources: see operand_bits()

  // 1 for a predicate, 32 for everything that fits one word of a register, or 64; 0 for none.
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
  const Operand* operands = nullptr;  // in DecodedProgram::operands; their order is the handler's
  std::int64_t offset = 0;            // added to an address
  // A number that the opcode gives, such as the bytes of a copy or whether a result is wanted. The
  // handler says which.
  std::int32_t setting = 0;
  // Of the counters of a block, an access or a loop; of a call, or of a loaded register.
  std::uint32_t index = 0;
  // Of a branch or a return. Of copies, loads and waits, what follows in their basic block, in
  // BlockCost::half_multiply_adds.
  std::uint32_t target = 0;
  std::uint32_t reconvergence = 0;  // instruction where a branch's lanes reconverge, or none
  Operand guard;                    // for a predicated instruction
  std::int32_t line = 0;
  std::uint32_t calls = 0;  // index in DecodedProgram::calls
  bool guard_negated = false;
  bool wide_address = false;      // a shared or local address is in a 64-bit register
  bool is_read_only = false;      // a load of memory that the kernel declares as read-only
  bool is_volatile = false;       // also relaxed, acquire, release: threads may synchronise with it
  bool in_window = false;         // an atomic operation on shared memory
  bool may_be_joined = false;     // the assembler may join this shared-memory access with others
  std::uint8_t unused_words = 0;  // for a load: one bit per 4 bytes that no instruction reads
  std::uint8_t maybe_unused_words = 0;  // the same for words that are read only under a condition
  std::uint8_t first_at = 0;            // MachineAccess::first_at
  Handlers guarded;                     // what a predicated instruction executes in active lanes
};

inline constexpr std::uint32_t no_instruction = 0xffffffffu;

// A value that is the same in all lanes, warps and blocks: an immediate, a kernel parameter or the
// address of a module's variable.
struct Constant {
  enum class Kind { value, parameter, variable } kind = Kind::value;
  int bits = 32;
  std::uint64_t value = 0;  // Kind::value
  int parameter = 0;        // index of the parameter or the variable
  std::uint32_t byte = 0;   // offset in the parameter
  int parameter_bits = 32;
  bool is_signed = false;
  std::uint32_t word = 0;  // its offset among the constants

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

// A special register that the kernel reads. It has a slot in the warp's registers, which is set for
// each block.
struct SpecialSlot {
  Special special;
  std::uint32_t word = 0;
};

// What a basic block's instructions add to the counters each time a warp executes it. A predicated
// FFMA and a barrier have a block of their own, because a warp may execute theirs without them.
struct BlockCost {
  struct Line {
    int line = 0;
    std::array<std::uint32_t, instruction_kinds> instructions = {};
    std::uint32_t ffma = 0;  // of a lane, and so are multiply-adds of tensor cores
    std::uint32_t tensor_multiply_adds = 0;
    std::uint32_t barriers = 0;  // of the block of threads
  };
  std::vector<Line> lines;
  std::uint32_t instructions = 0;  // of all lines and kinds
  // Of a lane in each execution, without those under a predicate of their own: twice its
  // multiply-adds, and its other floating-point instructions.
  std::uint32_t half_multiply_adds = 0;
};

// An access to memory. It is counted when it executes, because its cost depends on its addresses.
struct CountedAccess {
  // An arrival is at a barrier in memory, or tests it.
  enum class Kind { load, store, copy, bulk_copy, arrival, atomic } kind = Kind::load;
  ptx::Space space = ptx::Space::global;
  int line = 0;
  int bytes = 4;                  // per lane
  int element_bytes = 4;          // of each register of a load or store
  int ptx_line = 0;               // in the PTX text
  std::uint32_t instruction = 0;  // index in the program
  // The machine access that an access to shared memory becomes, from the machine code
  // (joined_accesses.hpp) or predicted (joining_rule.hpp).
  MachineAccess machine = {};
};

// An instruction of the PTX text. It executes as often as its basic block.
struct PtxInstruction {
  int ptx_line = 0, line = 0;  // in the PTX text, in the kernel's source file
  std::uint32_t block = 0;
  std::optional<int> matrix_fmas = {};  // machine::PtxProfile::matrix_fmas
};

// A loop that a backward jump makes: its first and last line in the PTX text.
struct PtxLoop {
  int first_line = 0, last_line = 0;
};

struct SharedVariable {
  std::string name;                     // the name in the source: "a_tile"
  std::uint32_t offset = 0, bytes = 0;  // in the block's shared (or the thread's local) memory
  std::uint32_t alignment = 1;          // that it asks for: that of `offset` may be less
  bool dynamic = false;                 // the launch gives its size
};

// A __device__ or __constant__ variable, or a string. Bytes without an initial value are 0.
struct ModuleVariable {
  struct Address {
    std::uint64_t at = 0;  // byte offset in this variable
    int variable = 0;      // the variable whose address is stored there
    std::uint64_t offset = 0;
  };
  std::string name;  // the name in the source
  bool constant = false;
  std::uint64_t bytes = 0;
  int parameter = -1;                   // it holds this kernel parameter's argument; -1 for none
  std::vector<std::byte> initial = {};  // the first bytes
  std::vector<Address> addresses = {};  // addresses that it contains
};

// An argument or a result of a call. It has stride() bytes per lane, and begins at a word of a
// frame.
struct CallValue {
  std::uint32_t word = 0, bytes = 0;
  std::uint32_t stride() const { return (bytes + 7) / 8 * 8; }
  std::uint32_t words() const { return stride() / 4 * lanes; }
};

// The kernel, which is the first, or a called function. Its registers are a frame in the warp's
// registers, after its callers' frames. Each frame begins with the special registers.
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
  // A called function's local variables are on the thread's stack. The address of each is stored in
  // two words of the frame.
  struct Local {
    std::uint32_t word = 0, offset = 0;
  };
  std::vector<Local> locals;
  std::uint32_t local_bytes = 0;
};

struct Call {
  int function = 0;  // -1 if its address is in the instruction's first operand
  std::vector<CallValue> arguments, results;  // in the caller's frame
  std::uint32_t caller = 0;                   // the function that calls
};

// True if the function's parameters and results match the call. `Function` is of the PTX or
// decoded.
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

inline constexpr int most_calls = 64;  // the deepest nesting of calls

// Where the first lane's elements are in a matrix in memory, for the instruction address_in_matrix,
// whose setting has them with how many elements a lane has, their bytes, and whether lane / 4
// counts in the major direction; otherwise in the other.
struct TilePlace {
  int major = 0, minor = 0;

  std::int32_t packed(int of_lane, int element_bytes, bool major_by_quarter) const {
    return major | minor << 8 | of_lane << 16 | element_bytes << 20 |
           (major_by_quarter ? 1 << 24 : 0);
  }
};

struct DecodedProgram {
  std::string name;
  std::vector<Instruction> instructions;
  std::unique_ptr<Operand[]> operands;  // of all instructions
  std::vector<ptx::Parameter> parameters;
  std::vector<Constant> constants;
  std::uint32_t constant_words = 0;
  std::vector<SpecialSlot> specials;
  std::uint32_t special_words = 0;
  std::uint32_t register_words = 0;  // per warp, for the frames of the deepest calls
  std::vector<DecodedFunction> functions;
  std::vector<Call> function_calls;
  std::vector<ModuleVariable> variables;
  std::vector<MatrixProduct> products;  // Instruction::setting of multiply_matrices is an index
  std::vector<BlockCost> blocks;
  std::vector<CountedAccess> accesses;
  std::vector<PtxInstruction> ptx;
  std::vector<PtxLoop> loops;
  std::vector<std::uint32_t> barriers;       // the instructions of each barrier of the block
  std::vector<std::uint32_t> warp_barriers;  // and of each __syncwarp()
  std::optional<machine::Code> machine;      // the machine code, if there is any
  // The different lists of calls (ptx::Statement::calls) of inlined instructions. The first is
  // empty.
  std::vector<std::vector<int>> calls = {{}};
  std::vector<SharedVariable> shared, local;
  std::uint32_t first_shared = 0;  // the address at which shared memory begins
  std::uint32_t static_shared_bytes = 0;
  std::uint32_t local_bytes = 0;            // per thread
  std::uint32_t loaded_register_count = 0;  // of ptx/register_allocation.hpp, of all functions
  std::int32_t stack = -1;               // index in `local` of called functions' stack; -1 for none
  bool partial_synchronisation = false;  // not only by barriers of whole blocks and whole warps
  bool has_loop_by_data = false;         // ptx/control_flow.hpp
  bool shared_atomics = false;           // atomic or volatile accesses to shared memory
  bool narrow_shared_accesses = false;   // shared-memory accesses of fewer than 4 bytes
};

// `code` is the machine code made from the PTX, if there is any.
DecodedProgram decode(const ptx::Module& module, const ptx::Function& function,
                      std::optional<machine::Code> code);

// What the rest of simt asks of a program beside its run.
struct Program::Impl {
  DecodedProgram program;
};

// Runs each of the blocks until its warps have made `steps` requests to global memory with one
// instruction, and passes the requests to `take`, from several threads at a time. The blocks'
// stores change the buffers. There are no checks.
using TakeRequests = std::function<void(std::size_t block, std::vector<Access> requests)>;
void observe(const DecodedProgram& program, const Launch& launch,
             const std::vector<Buffer>& buffers, const std::vector<Argument>& arguments,
             const std::vector<Dim3>& blocks, std::uint64_t steps, const TakeRequests& take);

}  // namespace gemm_tutor::simt
