#include "support/dominators.hpp"

#include <cstddef>

namespace gemm_tutor {

std::vector<std::vector<int>> reversed(const std::vector<std::vector<int>>& next) {
  std::vector<std::vector<int>> before(next.size());
  for (std::size_t block = 0; block < next.size(); ++block) {
    for (const int follower : next[block]) before[follower].push_back(static_cast<int>(block));
  }
  return before;
}

Dominators::Dominators(std::vector<std::vector<int>> next, int root)
    : root_(root),
      next_(std::move(next)),
      before_(reversed(next_)),
      rank_(next_.size(), -1),
      parent_(next_.size(), -1) {
  number();
  iterate();
  number_tree();
}

bool Dominators::dominates(int first, int block) const {
  if (!reaches(block) || !reaches(first)) return false;
  return begin_[first] <= begin_[block] && end_[block] <= end_[first];
}

void Dominators::number() {
  std::vector<std::pair<int, std::size_t>> path = {{root_, 0}};
  std::vector<bool> seen(next_.size());
  seen[root_] = true;
  while (!path.empty()) {
    auto& [block, child] = path.back();
    if (child < next_[block].size()) {
      const int follower = next_[block][child++];
      if (!seen[follower]) {
        seen[follower] = true;
        path.emplace_back(follower, 0);
      }
    } else {
      rank_[block] = static_cast<int>(postorder_.size());
      postorder_.push_back(block);
      path.pop_back();
    }
  }
}

int Dominators::meet(int a, int b) const {
  while (a != b) {
    while (rank_[a] < rank_[b]) a = parent_[a];
    while (rank_[b] < rank_[a]) b = parent_[b];
  }
  return a;
}

// Cooper, Harvey and Kennedy: "A Simple, Fast Dominance Algorithm".
void Dominators::iterate() {
  parent_[root_] = root_;
  for (bool changed = true; changed;) {
    changed = false;
    for (auto block = postorder_.rbegin(); block != postorder_.rend(); ++block) {
      if (*block == root_) continue;
      int parent = -1;
      for (const int before : before_[*block]) {
        if (parent_[before] >= 0) parent = parent < 0 ? before : meet(before, parent);
      }
      if (parent_[*block] != parent) {
        parent_[*block] = parent;
        changed = true;
      }
    }
  }
}

// A block's dominators come before it in the reverse of the postorder.
void Dominators::number_tree() {
  std::vector<int> size(next_.size(), 1);  // of the tree below each block, with the block
  for (const int block : postorder_)
    if (block != root_) size[parent_[block]] += size[block];
  std::vector<int> free(next_.size());  // the next number below each block
  begin_.assign(next_.size(), 0);
  end_ = begin_;
  for (auto block = postorder_.rbegin(); block != postorder_.rend(); ++block) {
    if (*block != root_) {
      begin_[*block] = free[parent_[*block]];
      free[parent_[*block]] += size[*block];
    }
    free[*block] = begin_[*block] + 1;
    end_[*block] = begin_[*block] + size[*block];
  }
}

}  // namespace gemm_tutor
