// Computes the executions of machine instructions, and the ways of warps through their blocks, from
// the executions of the PTX. No machine code is run.
// Most instructions (memory, barriers, FFMA) come from one PTX instruction, which the line table
// names, and keep their place in the control flow. Unrolled loops have several copies, which share
// the iterations. docs/emulator.md says how exact this is.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "simt/machine/code.hpp"

namespace gemm_tutor::simt::machine {

// A loop of the PTX, with the PTX lines of its first and last instruction.
struct PtxLoop {
  int first_line = 0, last_line = 0;
  std::map<std::uint64_t, std::uint64_t> entries;  // by iterations: how often a warp entered it
};

struct PtxProfile {
  // Executions by warps of each PTX line that has an instruction.
  std::map<int, std::uint64_t> executions;
  std::vector<PtxLoop> loops;
  // Of lines with an instruction on matrices that may become several: the FMAs of a product; 0 for
  // a load or a store.
  std::map<int, int> matrix_fmas = {};
};

struct Executions {
  std::vector<std::uint64_t> of_instructions;  // by warps
  // How often warps went from one block to the next, which may be the exit.
  std::map<std::pair<int, int>, double> ways;
};

// Returns the executions of the code's instructions, and all ways between reachable blocks.
Executions executions(const Code& code, const PtxProfile& profile);

}  // namespace gemm_tutor::simt::machine
