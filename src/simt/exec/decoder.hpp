// How PTX statements become instructions: operands become places, opcodes become handlers.
// decoder.cpp has most of them, decode_matrices.cpp those of tensor cores, and
// decode_asynchronous.cpp those whose effect comes later.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "simt/exec/machine.hpp"
#include "simt/ptx/control_flow.hpp"
#include "simt/ptx/register_allocation.hpp"
#include "simt/ptx/shown_addresses.hpp"

namespace gemm_tutor::simt {

struct MemoryOpcode;

// Everything that a kernel uses, directly or indirectly: the functions that it may call, including
// itself, and the module's variables.
struct Reachable {
  std::vector<const ptx::Function*> functions;
  std::vector<const ptx::Variable*> variables;
};

// The operands of an instruction that is being made. There are six at least, because some handlers
// have a place for each of six, and look at those that an instruction does not use.
class Places {
 public:
  Operand& operator[](std::size_t place) {
    if (place >= operands_.size()) operands_.resize(place + 1);
    return operands_[place];
  }
  const std::vector<Operand>& all() const { return operands_; }

 private:
  std::vector<Operand> operands_ = std::vector<Operand>(6);
};

// An instruction whose operands are not in the pool yet.
struct Draft : Instruction {
  Places places;
};

// What is known of the function that is being decoded.
struct Body {
  const ptx::Function* function = nullptr;
  std::vector<BasicBlock> blocks;
  std::vector<MachineAccess> machine_accesses;  // of each statement
  RegisterAllocation allocation;
  std::vector<std::vector<std::size_t>> readers;  // of each register
  std::vector<int> loaded;                        // loaded_registers()
  ShownAddresses shown_addresses;
  std::uint32_t frame_words = 0;                    // so far
  std::map<std::string, CallValue> call_values;     // by their names
  std::map<std::string, Operand> locals;            // where their addresses are
  std::map<int, std::vector<Operand>> temporaries;  // of steps, by width
  std::optional<Operand> carry;
  std::vector<std::uint32_t> block_begin;                  // the first instruction of each
  std::vector<std::pair<std::size_t, std::size_t>> jumps;  // instruction, block
};

class Decoder {
 public:
  Decoder(const ptx::Module& module, const ptx::Function& entry, std::optional<machine::Code> code);

  DecodedProgram decode();

 private:
  void decode(const ptx::Function& function);
  void lay_out_frame(DecodedFunction& made);
  CallValue reserve_call_value(const std::string& name, std::uint64_t bytes);
  void find_machine_accesses();
  void set_jumps();
  void reserve_stack();
  void keep_operands();
  void keep_module_variables();
  ModuleVariable module_variable(const ptx::Variable& variable) const;
  // The instruction at that place ends block `b`, and closes a loop.
  void jump_back(Instruction& jump, std::size_t place, std::size_t b);
  // Returns the source line where the loop from one block to another begins. The backward jump may
  // have the line of the loop's last statement, and arithmetic may be moved from before the loop.
  // Memory accesses and barriers keep their places.
  int loop_line(std::size_t first_block, std::size_t last_block) const;
  void lay_out_variables(const ptx::Function& entry);
  void lay_out(const ptx::Variable& variable);
  void reserve_special_registers();

  bool only_exits(std::size_t b) const;
  void block(std::size_t b);
  bool end_loads(const ptx::Statement& s);
  bool begin_loads(const ptx::Statement& s);
  Draft end_of_body(std::size_t end);
  void statement(const ptx::Statement& s, std::size_t b);
  Handlers handlers_of(std::string_view key);
  void set_guard(Instruction& instruction, const ptx::Statement& s);
  void emit(Draft draft, std::string_view key, const ptx::Statement& s);
  void emit_lanewise(const ptx::Statement& s, const std::string& key);
  void emit_steps(const ptx::Statement& s);
  void memory(const ptx::Statement& s);
  void widen(const ptx::Statement& s, const ptx::Operand& to, Operand value, bool is_signed);
  void parameter_load(const ptx::Statement& s, const MemoryOpcode& opcode);
  void call_value_access(const ptx::Statement& s, const MemoryOpcode& opcode,
                         const CallValue& value);
  void address_conversion(const ptx::Statement& s);
  void shuffle(const ptx::Statement& s);
  // PtxInstruction::matrix_fmas
  std::optional<int> matrix_fmas(std::string_view opcode) const;
  void matrix(const ptx::Statement& s);
  void matrix_product(const ptx::Statement& s);
  void matrix_move(const ptx::Statement& s);
  void matrix_access(const ptx::Statement& s);
  void tile_access(const ptx::Statement& s, const MatrixAccess& access, Draft address,
                   const MatrixAccess::Tile& tile, const std::vector<Operand>& registers);
  Operand temporary(int bits, std::size_t number);
  void asynchronous(const ptx::Statement& s);
  void start_copies(const ptx::Statement& s, const std::vector<std::string>& parts);
  Operand copied_bytes(const ptx::Statement& s, std::uint32_t bytes);
  void bulk_copy(const ptx::Statement& s);
  void arrival_or_test(const ptx::Statement& s, const std::vector<std::string>& parts);
  void atomic(const ptx::Statement& s);
  void leave(const ptx::Statement& s, std::size_t b);
  void barrier(const ptx::Statement& s);
  Draft released_by_memory(const ptx::Statement& s, const Instruction& access, ptx::Space space,
                           Operand address, Use use);
  void call(const ptx::Statement& s);
  std::vector<CallValue> call_values(const ptx::Statement& s, const ptx::Operand& list) const;

  Draft at_line(const ptx::Statement& s);
  std::uint32_t counted(CountedAccess access);
  std::uint32_t counted_apart(const BlockCost::Line& line);
  std::uint32_t counted_request(CountedAccess access, const MachineAccess& made);
  Operand address_base(const ptx::Statement& s, const ptx::Operand& address, int bits,
                       Instruction& instruction);
  int register_bits(const ptx::Operand& operand) const;
  Operand low_half(const ptx::Statement& s, const ptx::Operand& operand);
  Operand hardware_address(const ptx::Statement& s, Operand address, int bits);
  Operand scratch(int bits);
  Operand copy_of(const ptx::Statement& s, Operand value);
  template <typename IsUnused>
  static std::uint8_t unused_words(const ptx::Operand& loaded, int bits, IsUnused is_unused);
  bool is_read_under_a_condition(std::size_t load, int reg) const;
  Operand place(const ptx::Statement& s, const ptx::Operand& operand, int bits);
  Operand destination(const ptx::Statement& s, const ptx::Operand& operand, int bits);
  Operand constant(Constant value);
  Operand immediate(std::uint64_t value, int bits) {
    Constant c;
    c.bits = bits;
    c.value = bits == 64 ? value : static_cast<std::uint32_t>(value);
    return constant(c);
  }
  int function_number(const std::string& name) const;  // -1 for none
  int variable_number(const std::string& name) const;  // -1 for none
  std::optional<Operand> symbol_address(const std::string& symbol, int bits);
  std::optional<Operand> parameter_address(const std::string& symbol);
  [[noreturn]] void unsupported(const ptx::Statement& s, const std::string& why = "") const;

  Reachable reachable_;
  int architecture_;
  DecodedProgram program_;
  std::map<std::string, std::uint64_t>
      addresses_;  // of shared variables and the kernel's local ones
  std::map<std::string, Operand> specials_;
  bool fences_ = false;  // the kernel has fences, or atomic operations that are some
  std::map<std::string, Handlers, std::less<>> handlers_;
  int ptx_line_ = 0;                        // of the statement that is decoded now
  int groups_ = 0;                          // of machine accesses, in the functions before
  std::vector<Operand> operands_;           // of all instructions so far
  std::vector<std::size_t> first_operand_;  // of each instruction

  Body body_;
};

// Returns the words of an opcode: "ld", "global", "f32".
std::vector<std::string> split_opcode(std::string_view opcode);

// Returns an operand's registers: those of a vector, or a single one.
std::vector<ptx::Operand> elements_of(const ptx::Operand& operand);

}  // namespace gemm_tutor::simt
