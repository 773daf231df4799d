// Finds a place for a barrier that would order two racing accesses.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "simt/exec/program.hpp"
#include "simt/finding.hpp"

namespace gemm_tutor::emulator {

// Returns where a barrier is missing between two instructions of different threads: between them,
// or at the end of the loop that has both. Returns nothing if the control flow does not tell, for
// example if every path between them has a barrier, or if some threads may not reach the place. For
// threads of one warp, __syncwarp() counts as a barrier. `stores` are the instructions that store
// to the array. If some of them come before the loop, it is filled for a later iteration: then the
// fault may as well be an index or a buffer, and nothing is returned.
std::optional<Separation> separation(const DecodedProgram& program, std::uint32_t first,
                                     std::uint32_t second, bool same_warp,
                                     const std::vector<std::uint32_t>& stores = {});

}  // namespace gemm_tutor::emulator
