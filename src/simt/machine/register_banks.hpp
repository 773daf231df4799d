// Register bank conflicts. From Volta on, a warp's registers are in two banks, even and odd. Each
// bank delivers one register per cycle. A register that an earlier instruction read with the reuse
// bit comes from the reuse cache instead. This cache has one entry per operand slot and bank. The
// next instruction that reads a register of that bank in that slot empties the entry. Sources:
// "Dissecting the NVIDIA Volta GPU architecture via microbenchmarking" (Jia et al., 2018) for the
// banks, "Analyzing Modern NVIDIA GPU cores" (Huerta et al., MICRO 2025) for the cache. With this
// rule, and with no simpler one, each reuse bit that NVRTC 13.0 sets in the lessons' kernels is
// used, for sm_75 to sm_120.
#pragma once

#include <algorithm>
#include <vector>

#include "simt/machine/code.hpp"

namespace gemm_tutor::machine {

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

}  // namespace gemm_tutor::machine
