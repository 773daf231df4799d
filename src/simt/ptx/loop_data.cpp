#include "simt/ptx/loop_data.hpp"

#include <set>
#include <vector>

namespace gemm_tutor::emulator {
namespace {

bool is_load_of_data(const ptx::Statement& statement) {
  if (statement.row->form != Form::load) return false;
  const ptx::Space space = ptx::space_of(statement.opcode);
  return space != ptx::Space::parameter && space != ptx::Space::local &&
         space != ptx::Space::constant;
}

void add_registers(const ptx::Operand& operand, std::set<int>& registers) {
  if (operand.reg >= 0) registers.insert(operand.reg);
  for (const ptx::Operand& element : operand.elements) add_registers(element, registers);
}

class Dependence {
 public:
  explicit Dependence(const ptx::Function& function) {
    for (const ptx::Statement& statement : function.statements) {
      if (statement.operands.empty()) continue;
      std::set<int> results;
      add_registers(statement.operands[0], results);
      for (const int result : results) {
        const auto number = static_cast<std::size_t>(result);
        if (number >= made_by_.size()) made_by_.resize(number + 1);
        made_by_[number].push_back(&statement);
      }
    }
  }

  bool is_by_data(int predicate) const {
    std::set<int> seen = {predicate};
    std::vector<int> open = {predicate};
    while (!open.empty()) {
      const auto number = static_cast<std::size_t>(open.back());
      open.pop_back();
      if (number >= made_by_.size()) continue;
      for (const ptx::Statement* statement : made_by_[number]) {
        if (is_load_of_data(*statement)) return true;
        if (statement->row->form == Form::mbarrier) continue;  // waits
        std::set<int> sources;
        for (std::size_t o = 1; o < statement->operands.size(); ++o) {
          add_registers(statement->operands[o], sources);
        }
        for (const int source : sources) {
          if (seen.insert(source).second) open.push_back(source);
        }
      }
    }
    return false;
  }

 private:
  std::vector<std::vector<const ptx::Statement*>> made_by_;  // of each register
};

}  // namespace

bool has_loop_by_data(const ptx::Function& function) {
  const Dependence dependence(function);
  const auto target_of = [&](const ptx::Statement& statement) {
    if (statement.row->form != Form::branch || statement.operands.empty())
      return function.labels.end();
    return function.labels.find(statement.operands.back().symbol);
  };
  for (std::size_t end = 0; end < function.statements.size(); ++end) {
    const auto back = target_of(function.statements[end]);
    if (back == function.labels.end() || back->second > end) continue;
    for (std::size_t s = back->second; s <= end; ++s) {
      const ptx::Statement& statement = function.statements[s];
      const auto target = target_of(statement);
      if (statement.guard < 0 || target == function.labels.end()) continue;
      const bool leaves = target->second < back->second || target->second > end;
      if ((leaves || s == end) && dependence.is_by_data(statement.guard)) return true;
    }
  }
  return false;
}

}  // namespace gemm_tutor::emulator
