// An SM's work for a kernel: the machine code and the counted paths of warps through it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "simt/emulator.hpp"
#include "simt/estimate/simulation.hpp"
#include "simt/estimate/traffic.hpp"
#include "simt/machine/code.hpp"

namespace gemm_tutor {

// How often warps went from one block of the code to another.
using Ways = std::map<std::pair<int, int>, double>;

// Computes the ways from the executions of the code's instructions.
Ways ways_of(const machine::Code& code, const std::vector<double>& executions);

struct CountedCode {
  const machine::Code* code = nullptr;
  std::vector<double> executions;  // per instruction, by all warps
  std::vector<int> lines;          // per instruction, in the kernel's file; 0 for none
  std::vector<double> costs;       // emulator::MachineInstruction::cost
  MemoryTraffic traffic;
};

CountedCode counted_code(const machine::Code& code, const emulator::Result& counted,
                         MemoryTraffic traffic);

// Returns a warp's operations with fewer iterations of long loops: the longest loop has
// `most_iterations`, the others are scaled in proportion, but have at least two. The caller sets
// the numbers of warps and blocks.
SmWork work_of(const CountedCode& counted, double most_iterations);

}  // namespace gemm_tutor
