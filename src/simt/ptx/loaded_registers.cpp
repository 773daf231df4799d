#include "simt/ptx/loaded_registers.hpp"

#include <algorithm>

#include "simt/ptx/register_allocation.hpp"

namespace gemm_tutor::simt {
namespace {

class Registers {
 public:
  explicit Registers(std::size_t count) : is_in_(count) {}

  bool has(int reg) const { return is_in_[static_cast<std::size_t>(reg)]; }
  bool has_any_of(const std::vector<int>& registers) const {
    return std::ranges::any_of(registers, [&](int reg) { return has(reg); });
  }
  // Returns whether one of them is new.
  bool add(const std::vector<int>& registers) {
    bool is_new = false;
    for (const int reg : registers) {
      is_new |= !has(reg);
      is_in_[static_cast<std::size_t>(reg)] = true;
    }
    return is_new;
  }

 private:
  std::vector<bool> is_in_;
};

bool stores_in_shared_memory(const ptx::Statement& s) {
  return s.row->form == Form::store && ptx::space_of(s.opcode) == ptx::Space::shared;
}

std::vector<int> stored_registers(const ptx::Statement& store) {
  std::vector<int> result;
  const ptx::Operand& stored = store.operands.back();
  if (stored.reg >= 0) result.push_back(stored.reg);
  for (const ptx::Operand& element : stored.elements) {
    if (element.reg >= 0) result.push_back(element.reg);
  }
  return result;
}

// Those whose values, or what is computed of them, are stored in shared memory.
Registers on_the_way_to_shared_memory(const ptx::Function& function) {
  Registers result(function.registers.size());
  for (bool is_new = true; is_new;) {
    is_new = false;
    for (auto s = function.statements.rbegin(); s != function.statements.rend(); ++s) {
      if (stores_in_shared_memory(*s)) {
        is_new |= result.add(stored_registers(*s));
      } else if (s->row->form == Form::lanewise && result.has_any_of(written_registers(*s))) {
        is_new |= result.add(read_registers(*s));
      }
    }
  }
  return result;
}

}  // namespace

bool is_move(const ptx::Statement& statement) {
  return statement.row->form == Form::lanewise && statement.opcode.starts_with("mov.");
}

bool is_global_load(const ptx::Statement& statement) {
  return statement.row->form == Form::load && ptx::space_of(statement.opcode) == ptx::Space::global;
}

bool is_fragment_load(const ptx::Statement& statement) {
  return statement.opcode.starts_with("ldmatrix.");
}

std::vector<int> loaded_registers(const ptx::Function& function, int first) {
  std::vector<int> numbers(function.registers.size(), -1);
  const Registers stored = on_the_way_to_shared_memory(function);
  Registers loaded(function.registers.size());
  for (bool is_new = true; is_new;) {
    is_new = false;
    for (const ptx::Statement& s : function.statements) {
      const bool moves = is_move(s) && loaded.has_any_of(read_registers(s));
      if (!moves && !is_global_load(s) && !is_fragment_load(s)) continue;
      std::vector<int> written = written_registers(s);
      if (is_global_load(s)) std::erase_if(written, [&](int reg) { return !stored.has(reg); });
      is_new |= loaded.add(written);
    }
  }
  for (std::size_t reg = 0; reg < numbers.size(); ++reg) {
    if (loaded.has(static_cast<int>(reg))) numbers[reg] = first++;
  }
  return numbers;
}

}  // namespace gemm_tutor::simt
