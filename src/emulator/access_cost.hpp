// What a warp's memory request costs the hardware, from the addresses of its lanes alone.
// docs/emulator.md says how the rules were found.
#pragma once

#include <cstdint>

namespace gemm_tutor::emulator {

// Distinct 32-byte sectors of global memory. Bit l of `active` says that lane l takes part; each
// lane accesses `bytes` (1, 2, 4, 8 or 16) at its address, aligned to them.
std::uint32_t global_sectors(const std::uint64_t* addresses, std::uint32_t active, int bytes);

// The sectors that a cp.async.cg of 16 bytes a lane counts, which pass the first-level cache by:
// the pieces that it is cut into by the 32 bytes of shared memory they go to and the 128 of global
// memory they come from, without what later lanes overwrite.
std::uint32_t copied_sectors(const std::uint64_t* sources, const std::uint32_t* targets,
                             std::uint32_t active);

// Passes of the shared-memory pipe, which has 32 banks of 4 bytes. The lanes are served in groups
// of at most 128 bytes; the passes of a group after its first are its bank conflicts.
struct SharedCost {
  std::uint32_t wavefronts = 0, conflicts = 0;
};
SharedCost shared_cost(const std::uint32_t* addresses, std::uint32_t active, int bytes, bool store);

}  // namespace gemm_tutor::emulator
