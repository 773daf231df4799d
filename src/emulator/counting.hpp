// From what a program's blocks and accesses did to the counters of each line.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "emulator/emulator.hpp"
#include "emulator/program.hpp"
#include "emulator/worker.hpp"

namespace gemm_tutor::emulator {

// By the line of the kernel's source file; 0 for what has none.
using CountersByLine = std::map<int, LineCounters>;

// Of each machine instruction, by warps; empty where there is no machine code.
std::vector<std::uint64_t> machine_executions(const DecodedProgram& program, const Tally& tally);

// `executions` are machine_executions().
CountersByLine counters_by_line(const RunContext& context, const Tally& tally,
                                const std::vector<std::uint64_t>& executions);

// What all requests cost, wavefronts or sectors, by line of the PTX text; empty where there is no
// machine code.
std::map<int, std::uint64_t> request_costs(const DecodedProgram& program, const Tally& tally,
                                           const std::vector<std::uint64_t>& executions);

// What can be reached of the machine code, with those executions and those costs.
std::vector<MachineInstruction> machine_instructions(const DecodedProgram& program,
                                                     const std::vector<std::uint64_t>& executions,
                                                     const std::map<int, std::uint64_t>& costs);

// Of the PTX, by warps.
std::uint64_t warp_instructions(const DecodedProgram& program, const Tally& tally);

// value · whole / part, rounded to the nearest.
std::uint64_t scale(std::uint64_t value, std::uint64_t whole, std::uint64_t part);

}  // namespace gemm_tutor::emulator
