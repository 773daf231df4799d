// Finds a place for a barrier that would order two racing accesses.
#pragma once

#include <cstdint>
#include <optional>

#include "emulator/finding.hpp"
#include "emulator/program.hpp"

namespace gemm_tutor::emulator {

// Returns where a barrier is missing between two instructions of different threads: between them,
// or at the end of the loop that has both. Returns nothing if the control flow does not tell, for
// example if every path between them has a barrier, or if some threads may not reach the place. For
// threads of one warp, __syncwarp() counts as a barrier.
std::optional<Separation> separation(const DecodedProgram& program, std::uint32_t first,
                                     std::uint32_t second, bool same_warp);

}  // namespace gemm_tutor::emulator
