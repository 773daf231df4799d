// The barrier that would order two accesses that race.
#pragma once

#include <cstdint>
#include <optional>

#include "emulator/finding.hpp"
#include "emulator/program.hpp"

namespace gemm_tutor::emulator {

// Where a barrier is missing between two instructions that different threads execute: between them,
// or at the end of the loop that both are in. Nothing where that does not follow from the
// control flow, as where each way between them has a barrier or where threads may not all come.
// Of threads of one warp __syncwarp() counts as a barrier.
std::optional<Separation> separation(const DecodedProgram& program, std::uint32_t first,
                                     std::uint32_t second, bool same_warp);

}  // namespace gemm_tutor::emulator
