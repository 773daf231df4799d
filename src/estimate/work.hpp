// What an SM has to do for a kernel: its machine code with the ways that warps take through it, as
// often as they were counted.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "emulator/emulator.hpp"
#include "estimate/simulation.hpp"
#include "estimate/traffic.hpp"
#include "machine/code.hpp"

namespace gemm_tutor {

// How often warps went from a block of the code to the next.
using Ways = std::map<std::pair<int, int>, double>;

// From how often each block was executed. `executions` are of the code's instructions.
Ways ways_of(const machine::Code& code, const std::vector<double>& executions);

struct CountedCode {
  const machine::Code* code = nullptr;
  std::vector<double> executions;  // of each instruction, by all warps
  std::vector<int> lines;          // of the kernel's file, where each is from; 0 for none
  std::vector<double> costs;       // as emulator::MachineInstruction::cost
  MemoryTraffic traffic;
};

CountedCode counted_code(const machine::Code& code, const emulator::Result& counted,
                         MemoryTraffic traffic);

// The operations of a warp, where the longest loops make fewer iterations: the longest of all
// `most_iterations`, the others in proportion, but at least two. The counts of warps and blocks are
// the caller's.
SmWork work_of(const CountedCode& counted, double most_iterations);

}  // namespace gemm_tutor
