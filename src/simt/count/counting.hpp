// Computes the counters of each line from the executions of basic blocks and accesses.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "simt/emulator.hpp"
#include "simt/exec/program.hpp"
#include "simt/exec/worker.hpp"
#include "simt/machine/executions.hpp"

namespace gemm_tutor::simt {

// By line of the kernel's source file; line 0 for instructions without a line.
using CountersByLine = std::map<int, LineCounters>;

// Empty without machine code.
machine::Executions machine_executions(const DecodedProgram& program, const Tally& tally);

// `executions` has those by warps of each machine instruction.
CountersByLine counters_by_line(const RunContext& context, const Tally& tally,
                                const std::vector<std::uint64_t>& executions);

// Returns the cost of all requests, in wavefronts or sectors, by line of the PTX text. Empty
// without machine code.
std::map<int, std::uint64_t> request_costs(const DecodedProgram& program, const Tally& tally,
                                           const std::vector<std::uint64_t>& executions);

// Returns what is known without its executions and its place.
MachineInstruction described(const machine::Instruction& instruction);

// Returns the reachable machine instructions with their executions and costs.
std::vector<MachineInstruction> machine_instructions(const DecodedProgram& program,
                                                     const std::vector<std::uint64_t>& executions,
                                                     const std::map<int, std::uint64_t>& costs);

// Returns the number of PTX instructions that warps have executed.
std::uint64_t warp_instructions(const DecodedProgram& program, const Tally& tally);

// Returns how long the emulator takes for these executions, in warp instructions that multiply no
// matrices.
double emulation_cost(const DecodedProgram& program, const Tally& tally);

// Returns value · whole / part, rounded to the nearest integer.
std::uint64_t scale(std::uint64_t value, std::uint64_t whole, std::uint64_t part);

}  // namespace gemm_tutor::simt
