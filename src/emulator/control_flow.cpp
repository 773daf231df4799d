#include "emulator/control_flow.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

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

// Where blocks begin: at the entry, at each jump's target, after each jump or exit, and at the end.
std::set<std::size_t> block_beginnings(const ptx::Function& function) {
  const std::size_t count = function.statements.size();
  std::set<std::size_t> beginnings = {0, count};
  for (std::size_t i = 0; i < count; ++i) {
    const ptx::Statement& statement = function.statements[i];
    if (is_branch(statement.opcode)) beginnings.insert(jump_target(function, statement));
    if (is_branch(statement.opcode) || is_exit(statement.opcode)) beginnings.insert(i + 1);
  }
  return beginnings;
}

void append_successors(const BasicBlock& block, int exit, std::vector<int>& out) {
  out.clear();
  if (block.next >= 0) out.push_back(block.next);
  if (block.target >= 0) out.push_back(block.target);
  if (out.empty()) out.push_back(exit);
}

// Immediate post-dominators by Cooper, Harvey and Kennedy's iteration, on the reversed graph from a
// virtual exit that every returning block leads to.
class PostDominators {
 public:
  explicit PostDominators(const std::vector<BasicBlock>& blocks)
      : exit_(static_cast<int>(blocks.size())),
        predecessors_(blocks.size() + 1),
        successors_(blocks.size() + 1),
        rank_(blocks.size() + 1, -1),
        parent_(blocks.size() + 1, -1) {
    for (int b = 0; b < exit_; ++b) {
      append_successors(blocks[b], exit_, successors_[b]);
      for (const int s : successors_[b]) predecessors_[s].push_back(b);
    }
    number_from_exit();
    iterate();
  }

  // -1 when only the exit itself, or nothing, post-dominates the block.
  int of(int block) const { return parent_[block] == exit_ ? -1 : parent_[block]; }

 private:
  void number_from_exit() {
    std::vector<std::pair<int, std::size_t>> path = {{exit_, 0}};
    std::vector<bool> seen(predecessors_.size());
    seen[exit_] = true;
    while (!path.empty()) {
      auto& [block, child] = path.back();
      if (child < predecessors_[block].size()) {
        const int next = predecessors_[block][child++];
        if (!seen[next]) {
          seen[next] = true;
          path.emplace_back(next, 0);
        }
      } else {
        rank_[block] = static_cast<int>(postorder_.size());
        postorder_.push_back(block);
        path.pop_back();
      }
    }
  }

  int meet(int a, int b) const {
    while (a != b) {
      while (rank_[a] < rank_[b]) a = parent_[a];
      while (rank_[b] < rank_[a]) b = parent_[b];
    }
    return a;
  }

  void iterate() {
    parent_[exit_] = exit_;
    for (bool changed = true; changed;) {
      changed = false;
      for (auto block = postorder_.rbegin(); block != postorder_.rend(); ++block) {
        if (*block == exit_) continue;
        int parent = -1;
        for (const int s : successors_[*block]) {
          if (parent_[s] >= 0) parent = parent < 0 ? s : meet(s, parent);
        }
        if (parent_[*block] != parent) {
          parent_[*block] = parent;
          changed = true;
        }
      }
    }
  }

  int exit_;
  std::vector<std::vector<int>> predecessors_, successors_;
  std::vector<int> rank_;  // in postorder from the exit; -1 for what never gets there
  std::vector<int> postorder_;
  std::vector<int> parent_;
};

}  // namespace

bool is_branch(std::string_view opcode) { return opcode == "bra" || opcode == "bra.uni"; }
bool is_exit(std::string_view opcode) {
  return opcode == "ret" || opcode == "exit" || opcode == "ret.uni";
}

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
    if (is_branch(last.opcode)) block.target = block_at(jump_target(function, last));
    const bool always_leaves = last.guard < 0 && (is_branch(last.opcode) || is_exit(last.opcode));
    if (!always_leaves) block.next = static_cast<int>(b) + 1;
  }

  const PostDominators post_dominators(blocks);
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    blocks[b].reconvergence = post_dominators.of(static_cast<int>(b));
  }
  return blocks;
}

}  // namespace gemm_tutor::emulator
