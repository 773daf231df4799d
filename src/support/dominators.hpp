// Dominators of a graph of basic blocks. A dominator of a block is on every path from the root to
// the block. With reversed edges and an exit as the root, the results are post-dominators.
#pragma once

#include <utility>
#include <vector>

namespace gemm_tutor {

class Dominators {
 public:
  // `next[b]` lists the successors of block b.
  Dominators(std::vector<std::vector<int>> next, int root);

  // Returns the block's immediate dominator; -1 for the root and for unreachable blocks.
  int nearest(int block) const { return block == root_ ? -1 : parent_[block]; }

  bool reaches(int block) const { return parent_[block] >= 0; }

  // Every block dominates itself.
  bool dominates(int first, int block) const;

 private:
  void number();
  void iterate();
  void number_tree();
  int meet(int a, int b) const;

  int root_;
  std::vector<std::vector<int>> next_, before_;
  std::vector<int> rank_;  // in postorder from the root; -1 for unreachable blocks
  std::vector<int> postorder_;
  std::vector<int> parent_;  // immediate dominators; the root's is the root
  // In the tree of immediate dominators, a block has the numbers from `begin_` to before `end_`:
  // its own first, then those of the blocks that it dominates.
  std::vector<int> begin_, end_;
};

// Returns the graph with all edges reversed.
std::vector<std::vector<int>> reversed(const std::vector<std::vector<int>>& next);

}  // namespace gemm_tutor
