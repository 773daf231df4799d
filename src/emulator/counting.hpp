// From what a program's blocks and accesses did to the counters of each line.
#pragma once

#include <cstdint>
#include <map>

#include "emulator/emulator.hpp"
#include "emulator/program.hpp"
#include "emulator/worker.hpp"

namespace gemm_tutor::emulator {

using CountersByLine = std::map<int, Counters>;

// By the line of the kernel's source file; 0 for what has none.
CountersByLine counters_by_line(const DecodedProgram& program, const Tally& tally);

// Of the PTX, by warps.
std::uint64_t warp_instructions(const DecodedProgram& program, const Tally& tally);

// value · whole / part, rounded to the nearest.
std::uint64_t scale(std::uint64_t value, std::uint64_t whole, std::uint64_t part);

}  // namespace gemm_tutor::emulator
