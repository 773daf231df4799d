// How often a kernel's machine code was executed, from how often its PTX was. No machine code is
// run: most instructions (memory, barriers, FFMA) come from one PTX instruction, which the line
// table names, and stay in their place in the control flow. Of unrolled loops there are several
// copies, which share the iterations. docs/emulator.md says how exact this is.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "machine/code.hpp"

namespace gemm_tutor::machine {

// A loop of the PTX, by the lines of its first and its last instruction in the PTX text.
struct PtxLoop {
  int first_line = 0, last_line = 0;
  std::map<std::uint64_t, std::uint64_t> entries;  // by warps, for that many iterations
};

struct PtxProfile {
  // By warps, of each line of the PTX text that has an instruction; absent for others.
  std::map<int, std::uint64_t> executions;
  std::vector<PtxLoop> loops;
};

// By warps, of each of the code's instructions.
std::vector<std::uint64_t> executions(const Code& code, const PtxProfile& profile);

}  // namespace gemm_tutor::machine
