// A kernel's machine code: instructions, basic blocks and loops.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "simt/machine/instruction.hpp"
#include "support/dominators.hpp"

namespace gemm_tutor::simt::machine {

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

  const Instruction& instruction_at(std::uint32_t address) const {
    constexpr std::uint32_t bytes = 16;  // of each instruction
    return instructions[address / bytes];
  }
};

// Finds the blocks and loops of instructions. Their addresses begin at 0.
Code structured(int architecture, std::vector<Instruction> instructions);

// Throws Error (unavailable) if the cubin cannot be read, or has no such kernel.
Code read_code(std::span<const char> cubin, std::string_view kernel);

// Register bank conflicts. From Volta on, a warp's registers are in two banks, even and odd. Each
// bank delivers one register per cycle. A register that an earlier instruction read with the reuse
// bit comes from the reuse cache instead. This cache has one entry per operand slot and bank. The
// next instruction that reads a register of that bank in that slot empties the entry. Sources:
// "Dissecting the NVIDIA Volta GPU architecture via microbenchmarking" (Jia et al., 2018) for the
// banks, "Analyzing Modern NVIDIA GPU cores" (Huerta et al., MICRO 2025) for the cache. With this
// rule, and with no simpler one, each reuse bit that NVRTC 13.0 sets in the kernels of
// tests/machine/register_banks_test.cpp is used, for sm_75 to sm_120.

struct BankReads {
  int even = 0, odd = 0;  // registers that each bank delivers
  int reused = 0;         // registers that the reuse cache delivers
  int reused_odd = 0;     // of these, registers of the odd bank

  // Additional cycles, because reads wait for an earlier one of the same bank.
  int conflicts() const { return std::max({even, odd, 1}) - 1; }
};

// Returns the reads of each of the code's instructions; all 0 if it is not arithmetic. Other
// instructions do not use the reuse cache. A register that an instruction names twice is read once.
// The cache is assumed to be empty at the start of a basic block.
std::vector<BankReads> bank_reads(const Code& code);

}  // namespace gemm_tutor::simt::machine
