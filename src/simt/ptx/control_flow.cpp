#include "simt/ptx/control_flow.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "support/dominators.hpp"
#include "support/error.hpp"

namespace gemm_tutor::emulator {
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

}  // namespace gemm_tutor::emulator
