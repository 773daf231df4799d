// A kernel's machine code: instructions, basic blocks and loops.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "simt/instruction.hpp"
#include "support/dominators.hpp"

namespace gemm_tutor::machine {

struct Block {
  std::size_t begin = 0, end = 0;  // instructions [begin, end)
  bool is_reachable = false;       // false for the padding at the end
  int loop = -1;                   // the innermost loop, or -1
};

struct Loop {
  int header = 0;           // block
  std::vector<int> blocks;  // ascending, including those of inner loops
  int outer = -1;           // the enclosing loop, or -1
};

// The control flow graph of the blocks. It has one more node after the last block, the exit.
struct Flow {
  std::vector<std::vector<int>> next, before;  // successors and predecessors, if reachable
  Dominators dominators, post_dominators;

  int exit() const { return static_cast<int>(next.size()) - 1; }
};

struct Code {
  int architecture = 0;
  std::vector<Instruction> instructions;
  std::vector<Block> blocks;  // in the order of the code
  std::vector<Loop> loops;    // inner loops before outer ones
  Flow flow;

  // True if a warp that executes one of the blocks executes the other equally often.
  bool are_equivalent(int block, int other) const;
};

// Finds the blocks and loops of instructions. Their addresses begin at 0.
Code structured(int architecture, std::vector<Instruction> instructions);

// Throws Error (unavailable) if the cubin cannot be read, or has no such kernel.
Code read_code(std::span<const char> cubin, std::string_view kernel);

}  // namespace gemm_tutor::machine
