// The basic blocks of a kernel, and where the lanes of a warp that went different ways meet again.
#pragma once

#include <cstddef>
#include <vector>

#include "emulator/ptx.hpp"

namespace gemm_tutor::emulator {

struct BasicBlock {
  std::size_t begin = 0, end = 0;  // statements [begin, end)
  int next = -1;    // the block that follows when its last statement does not jump away
  int target = -1;  // where its last statement jumps to, if it does
  // The immediate post-dominator: the first block on every way from here; -1 for none.
  int reconvergence = -1;
};

// In the order of the text; the first is the entry. The last is empty: the body continues there
// when it runs off its end or jumps to it, and a function that is called returns there. Throws
// Error (unavailable) for a jump to a missing label.
std::vector<BasicBlock> basic_blocks(const ptx::Function& function);

bool is_branch(std::string_view opcode);
bool is_exit(std::string_view opcode);  // of the thread, or a return
bool is_call(std::string_view opcode);

}  // namespace gemm_tutor::emulator
