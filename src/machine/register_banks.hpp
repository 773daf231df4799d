// Conflicts of instructions over the banks of registers. From Volta on, a warp's registers are in
// two banks, the even ones and the odd ones, and each bank delivers one register per cycle. A
// register that an earlier instruction read with the reuse bit comes from the reuse cache instead,
// which has one entry for each operand slot and bank; the next instruction that reads a register of
// that bank in that slot empties the entry. Sources: "Dissecting the NVIDIA Volta GPU architecture
// via microbenchmarking" (Jia et al., 2018) for the banks, "Analyzing Modern NVIDIA GPU cores"
// (Huerta et al., MICRO 2025) for the cache. By this rule, and by no simpler one, each reuse bit
// that NVRTC 13.0 sets in the kernels of the lessons is used, for sm_75 to sm_120.
#pragma once

#include <algorithm>
#include <vector>

#include "machine/code.hpp"

namespace gemm_tutor::machine {

struct BankReads {
  int even = 0, odd = 0;  // registers that each bank delivers
  int reused = 0;         // registers that the reuse cache delivers
  int reused_odd = 0;     // of these, registers of the odd bank

  // Reads that wait for an earlier one of the same bank: a cycle each.
  int conflicts() const { return std::max({even, odd, 1}) - 1; }
};

// Of each of the code's instructions; all zero where an instruction is not arithmetic. Other
// instructions read no operand through the reuse cache, and leave it as it is. A register that one
// instruction names twice is read once. The cache is taken to be empty where a basic block begins.
std::vector<BankReads> bank_reads(const Code& code);

}  // namespace gemm_tutor::machine
