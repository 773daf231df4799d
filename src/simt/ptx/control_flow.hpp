// The basic blocks of a kernel, and the points where diverged lanes of a warp reconverge.
#pragma once

#include <cstddef>
#include <vector>

#include "simt/ptx/ptx.hpp"

namespace gemm_tutor::simt {

struct BasicBlock {
  std::size_t begin = 0, end = 0;  // statements [begin, end)
  int next = -1;    // the block that follows if the last statement does not jump; -1 for none
  int target = -1;  // the block that the last statement jumps to; -1 for none
  // The immediate post-dominator: the first block on every path from here; -1 for none.
  int reconvergence = -1;
};

// Returns the blocks in the order of the text. The first is the entry. The last is empty: it is the
// end of the body, and called functions return there. Throws Error (unavailable) for a jump to a
// missing label.
std::vector<BasicBlock> basic_blocks(const ptx::Function& function);

// Returns true if a jump out of a loop, or back to its start, depends on a value loaded from global
// or shared memory. The loop's number of iterations may differ from block to block, so that counts
// of sampled blocks cannot be scaled to others.
bool has_loop_by_data(const ptx::Function& function);

}  // namespace gemm_tutor::simt
