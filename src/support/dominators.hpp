// Dominators of a graph of basic blocks: on every way from the root to a block lie its dominators.
// With the edges reversed and an exit as the root they are post-dominators.
#pragma once

#include <utility>
#include <vector>

namespace gemm_tutor {

class Dominators {
 public:
  // `next[b]` are the blocks that follow block b.
  Dominators(std::vector<std::vector<int>> next, int root);

  // The nearest block, other than itself, on every way from the root to the block; -1 for the root
  // and for what no way leads to.
  int nearest(int block) const { return block == root_ ? -1 : parent_[block]; }

  bool reaches(int block) const { return parent_[block] >= 0; }

  // Whether `first` lies on every way to `block`, which is one of them itself.
  bool dominates(int first, int block) const;

 private:
  void number();
  void iterate();
  int meet(int a, int b) const;

  int root_;
  std::vector<std::vector<int>> next_, before_;
  std::vector<int> rank_;  // in postorder from the root; -1 for what no way leads to
  std::vector<int> postorder_;
  std::vector<int> parent_;  // the root is its own
};

// The graph with every edge the other way round.
std::vector<std::vector<int>> reversed(const std::vector<std::vector<int>>& next);

}  // namespace gemm_tutor
