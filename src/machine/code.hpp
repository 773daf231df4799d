// A kernel's machine code: instructions, basic blocks and loops.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "machine/instruction.hpp"
#include "support/dominators.hpp"

namespace gemm_tutor::machine {

struct Block {
  std::size_t begin = 0, end = 0;  // instructions [begin, end)
  bool is_reachable = false;       // the padding at the end is not
  int loop = -1;                   // the innermost, or -1
};

struct Loop {
  int header = 0;           // block
  std::vector<int> blocks;  // ascending, with those of the loops within
  int outer = -1;           // loop, or -1
};

// The ways through the blocks. After the last block there is one more, the exit.
struct Flow {
  std::vector<std::vector<int>> next, before;  // reachable blocks, and the exit
  Dominators dominators, post_dominators;

  int exit() const { return static_cast<int>(next.size()) - 1; }
};

struct Code {
  int architecture = 0;
  std::vector<Instruction> instructions;
  std::vector<Block> blocks;  // in the order of the code
  std::vector<Loop> loops;    // an inner one before its outer one
  Flow flow;

  // Whether whoever executes one of them executes the other as well, equally often.
  bool are_equivalent(int block, int other) const;
};

// The blocks and loops of instructions whose addresses begin at 0.
Code structured(int architecture, std::vector<Instruction> instructions);

// Throws Error (unavailable) where the cubin cannot be read or has no such kernel.
Code read_code(std::span<const char> cubin, std::string_view kernel);

}  // namespace gemm_tutor::machine
