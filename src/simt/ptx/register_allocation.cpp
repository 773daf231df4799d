#include "simt/ptx/register_allocation.hpp"

#include <algorithm>

namespace gemm_tutor::simt {
namespace {

constexpr std::uint32_t lanes = 32;

struct RegisterAccess {
  int reg;
  bool write;
};

void append_operand(const ptx::Operand& operand, bool write, std::vector<RegisterAccess>& out) {
  const bool is_address = operand.kind == ptx::Operand::Kind::address;
  if (operand.reg >= 0) out.push_back({operand.reg, write && !is_address});
  for (const ptx::Operand& element : operand.elements) append_operand(element, write, out);
}

// The registers a statement reads, then those it writes.
std::vector<RegisterAccess> accesses(const ptx::Statement& statement) {
  std::vector<RegisterAccess> result;
  if (statement.guard >= 0) result.push_back({statement.guard, false});
  for (std::size_t i = 1; i < statement.operands.size(); ++i) {
    append_operand(statement.operands[i], false, result);
  }
  if (!statement.operands.empty())
    append_operand(statement.operands[0], statement.row->has_result, result);
  return result;
}

std::vector<int> registers_of(const ptx::Statement& statement, bool written) {
  std::vector<int> registers;
  for (const RegisterAccess& access : accesses(statement)) {
    if (access.write == written) registers.push_back(access.reg);
  }
  return registers;
}

using Set = std::vector<bool>;

struct Liveness {
  std::vector<Set> in, out;  // of each block, by a register's place among those used
};

// The registers that statements use, which may be far fewer than those declared, and each
// register's index among them.
struct UsedRegisters {
  std::vector<int> registers;
  std::vector<std::size_t> place;

  explicit UsedRegisters(const ptx::Function& function) : place(function.registers.size()) {
    std::vector<bool> seen(function.registers.size());
    for (const ptx::Statement& statement : function.statements) {
      for (const RegisterAccess& access : accesses(statement)) {
        if (seen[access.reg]) continue;
        seen[access.reg] = true;
        place[access.reg] = registers.size();
        registers.push_back(access.reg);
      }
    }
  }
};

// A predicated write keeps the old value in other lanes, so it does not end a live range.
Liveness liveness(const ptx::Function& function, const std::vector<BasicBlock>& blocks,
                  const UsedRegisters& used_registers) {
  const std::size_t count = used_registers.registers.size();
  std::vector<Set> used(blocks.size(), Set(count)), defined(blocks.size(), Set(count));
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    for (std::size_t s = blocks[b].begin; s < blocks[b].end; ++s) {
      const ptx::Statement& statement = function.statements[s];
      for (const RegisterAccess& access : accesses(statement)) {
        const std::size_t r = used_registers.place[access.reg];
        if ((!access.write || statement.guard >= 0) && !defined[b][r]) used[b][r] = true;
        if (access.write && statement.guard < 0) defined[b][r] = true;
      }
    }
  }
  Liveness live = {used, std::vector<Set>(blocks.size(), Set(count))};
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t b = blocks.size(); b-- > 0;) {
      for (const int successor : {blocks[b].next, blocks[b].target}) {
        if (successor < 0) continue;
        for (std::size_t r = 0; r < count; ++r) {
          if (!live.in[successor][r] || live.out[b][r]) continue;
          live.out[b][r] = true;
          if (!defined[b][r] && !live.in[b][r]) live.in[b][r] = true;
          changed = true;
        }
      }
    }
  }
  return live;
}

// A value's live range from the first to the last position in the text. Statement s reads at 2·s
// and writes at 2·s + 1, so that a result may use the slot of an operand whose live range ends.
struct Interval {
  std::size_t begin = ~std::size_t{0}, end = 0;
  int reg = 0;

  void cover(std::size_t place) {
    begin = std::min(begin, place);
    end = std::max(end, place);
  }
};

std::vector<Interval> intervals(const ptx::Function& function,
                                const std::vector<BasicBlock>& blocks, const Liveness& live,
                                const UsedRegisters& used) {
  std::vector<Interval> result(used.registers.size());
  for (std::size_t r = 0; r < result.size(); ++r) result[r].reg = used.registers[r];
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    for (std::size_t s = blocks[b].begin; s < blocks[b].end; ++s) {
      for (const RegisterAccess& access : accesses(function.statements[s])) {
        result[used.place[access.reg]].cover(2 * s + (access.write ? 1 : 0));
      }
    }
    for (std::size_t r = 0; r < result.size(); ++r) {
      if (live.in[b][r]) result[r].cover(2 * blocks[b].begin);
      if (live.out[b][r]) result[r].cover(2 * blocks[b].end);
    }
  }
  return result;
}

}  // namespace

std::vector<int> written_registers(const ptx::Statement& statement) {
  return registers_of(statement, true);
}

std::vector<int> read_registers(const ptx::Statement& statement) {
  return registers_of(statement, false);
}

std::vector<std::vector<std::size_t>> reading_statements(const ptx::Function& function) {
  std::vector<std::vector<std::size_t>> read(function.registers.size());
  for (std::size_t s = 0; s < function.statements.size(); ++s) {
    for (const RegisterAccess& access : accesses(function.statements[s])) {
      if (!access.write) read[static_cast<std::size_t>(access.reg)].push_back(s);
    }
  }
  return read;
}

RegisterAllocation allocate_registers(const ptx::Function& function,
                                      const std::vector<BasicBlock>& blocks,
                                      std::uint32_t first_word) {
  RegisterAllocation result;
  result.offset.resize(function.registers.size());
  result.words = first_word;

  const UsedRegisters used(function);
  const Liveness live = liveness(function, blocks, used);
  std::vector<Interval> order = intervals(function, blocks, live, used);
  std::sort(order.begin(), order.end(), [](const Interval& a, const Interval& b) {
    return std::pair(a.begin, a.reg) < std::pair(b.begin, b.reg);
  });

  // A slot is only for predicates, or for values of one word per lane, or of two. Otherwise a
  // lane's write could overlap a value of a lane that waits on another path.
  std::vector<std::uint32_t> free[3];
  const auto kind = [&](int reg) {
    const int bits = function.registers[reg].bits;
    return bits == 1 ? 0 : bits == 64 ? 2 : 1;
  };
  std::vector<Interval> alive;
  for (const Interval& interval : order) {
    std::erase_if(alive, [&](const Interval& old) {
      if (old.end >= interval.begin) return false;
      free[kind(old.reg)].push_back(result.offset[old.reg]);
      return true;
    });
    std::vector<std::uint32_t>& slots = free[kind(interval.reg)];
    if (slots.empty()) {
      result.offset[interval.reg] = result.words;
      result.words += function.registers[interval.reg].bits == 64 ? 2 * lanes : lanes;
    } else {
      result.offset[interval.reg] = slots.back();
      slots.pop_back();
    }
    alive.push_back(interval);
  }
  for (std::size_t r = 0; r < used.registers.size(); ++r) {
    const int reg = used.registers[r], bits = function.registers[reg].bits;
    if (!live.in.front()[r] || bits == 1) continue;
    const std::uint32_t words = bits == 64 ? 2 * lanes : lanes;
    for (std::uint32_t word = 0; word < words; ++word) {
      result.unset.push_back(result.offset[reg] + word);
    }
  }
  return result;
}

namespace {

class RegisterSet {
 public:
  explicit RegisterSet(std::size_t count) : is_in_(count) {}

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
RegisterSet on_the_way_to_shared_memory(const ptx::Function& function) {
  RegisterSet result(function.registers.size());
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
  const RegisterSet stored = on_the_way_to_shared_memory(function);
  RegisterSet loaded(function.registers.size());
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
