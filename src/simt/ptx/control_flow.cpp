#include "simt/ptx/control_flow.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "support/dominators.hpp"
#include "support/error.hpp"

namespace gemm_tutor::simt {
namespace {

std::size_t jump_target(const ptx::Function& function, const ptx::Statement& branch) {
  const bool named =
      branch.operands.size() == 1 && branch.operands[0].kind == ptx::Operand::Kind::symbol;
  const auto label =
      named ? function.labels.find(branch.operands[0].symbol) : function.labels.end();
  if (label == function.labels.end()) {
    throw Error(
        ExitStatus::unavailable,
        fmt::format("line {}: '{}' jumps to a label that is not there", branch.line, branch.opcode),
        "The PTX is damaged.");
  }
  return label->second;
}

bool is_return(const ptx::Function& function, const ptx::Statement& statement) {
  return !function.is_entry && statement.row->form == Form::returning;
}

bool leaves_block(Form form) {
  return form == Form::branch || form == Form::exit || form == Form::returning;
}

// Where blocks begin: at the entry, at each jump's target, after each jump, call or exit, and at
// the end.
std::set<std::size_t> block_beginnings(const ptx::Function& function) {
  const std::size_t count = function.statements.size();
  std::set<std::size_t> beginnings = {0, count};
  for (std::size_t i = 0; i < count; ++i) {
    const ptx::Statement& statement = function.statements[i];
    const Form form = statement.row->form;
    if (form == Form::branch) beginnings.insert(jump_target(function, statement));
    if (leaves_block(form) || form == Form::call) beginnings.insert(i + 1);
  }
  return beginnings;
}

// The successors of each block. The successor of blocks that leave the kernel is an additional
// block, the exit.
std::vector<std::vector<int>> followers(const std::vector<BasicBlock>& blocks) {
  std::vector<std::vector<int>> next(blocks.size() + 1);
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    if (blocks[b].next >= 0) next[b].push_back(blocks[b].next);
    if (blocks[b].target >= 0) next[b].push_back(blocks[b].target);
    if (next[b].empty()) next[b].push_back(static_cast<int>(blocks.size()));
  }
  return next;
}

}  // namespace

std::vector<BasicBlock> basic_blocks(const ptx::Function& function) {
  const std::set<std::size_t> beginnings = block_beginnings(function);
  const std::vector<std::size_t> begins(beginnings.begin(), beginnings.end());
  const auto block_at = [&](std::size_t statement) {
    const auto found = std::lower_bound(begins.begin(), begins.end(), statement);
    return static_cast<int>(found - begins.begin());
  };

  std::vector<BasicBlock> blocks(begins.size());
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    BasicBlock& block = blocks[b];
    block.begin = begins[b];
    if (b + 1 == blocks.size()) {
      block.end = block.begin;
      break;
    }
    block.end = begins[b + 1];
    const ptx::Statement& last = function.statements[block.end - 1];
    if (last.row->form == Form::branch) block.target = block_at(jump_target(function, last));
    if (is_return(function, last)) block.target = static_cast<int>(blocks.size()) - 1;
    const bool always_leaves = last.guard < 0 && leaves_block(last.row->form);
    if (!always_leaves) block.next = static_cast<int>(b) + 1;
  }

  const int exit = static_cast<int>(blocks.size());
  const Dominators post_dominators(reversed(followers(blocks)), exit);
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const int meeting = post_dominators.nearest(static_cast<int>(b));
    blocks[b].reconvergence = meeting == exit ? -1 : meeting;
  }
  return blocks;
}

namespace {

bool is_load_of_data(const ptx::Statement& statement) {
  const bool loads_matrix = statement.row->form == Form::matrix && statement.row->has_result &&
                            statement.row->kind == InstructionKind::memory;
  if (loads_matrix) return true;
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
        if (statement->row->form == Form::asynchronous) continue;  // waits
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

}  // namespace gemm_tutor::simt
