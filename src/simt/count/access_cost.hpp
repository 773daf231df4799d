// Computes a memory request's cost from the addresses of the warp's lanes. docs/emulator.md says
// how the rules were found.
#pragma once

#include <cstdint>

namespace gemm_tutor::simt {

// Returns the number of distinct 32-byte sectors of global memory. Bit l of `active` is set if lane
// l is active. Each lane accesses `bytes` (1, 2, 4, 8 or 16) at an address aligned to them.
std::uint32_t global_sectors(const std::uint64_t* addresses, std::uint32_t active, int bytes);

// Writes the distinct sectors' numbers (address / 32) to `sectors` in ascending order and returns
// how many there are, at most 32.
int distinct_sectors(const std::uint64_t* addresses, std::uint32_t active, std::uint64_t* sectors);

// Returns the number of distinct addresses. Constant memory serves one address after the other.
std::uint32_t distinct_addresses(const std::uint64_t* addresses, std::uint32_t active);

// Returns the sectors that are counted for an asynchronous copy of 16 bytes per lane, which
// bypasses the L1 cache. A piece is data from the same 128 bytes of global memory for the same 32
// bytes of shared memory. Each piece counts once; data that a later lane overwrites does not count.
std::uint32_t copied_sectors(const std::uint64_t* sources, const std::uint32_t* targets,
                             std::uint32_t active);

// Wavefronts and conflicts as of ServedGroup.
struct SharedCost {
  std::uint32_t wavefronts = 0, conflicts = 0;
};
SharedCost shared_cost(const std::uint32_t* addresses, std::uint32_t active, int bytes, bool store);

}  // namespace gemm_tutor::simt
