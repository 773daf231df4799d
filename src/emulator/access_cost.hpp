// What a warp's memory request costs the hardware, from the addresses of its lanes alone.
// docs/emulator.md says how the rules were found.
#pragma once

#include <array>
#include <cstdint>

namespace gemm_tutor::emulator {

// Distinct 32-byte sectors of global memory. Bit l of `active` says that lane l takes part; each
// lane accesses `bytes` (1, 2, 4, 8 or 16) at its address, aligned to them.
std::uint32_t global_sectors(const std::uint64_t* addresses, std::uint32_t active, int bytes);

// Which they are: numbers (address / 32) in ascending order; returns how many. `sectors` has room
// for 32.
int distinct_sectors(const std::uint64_t* addresses, std::uint32_t active, std::uint64_t* sectors);

// Distinct addresses: loads of constant memory are served one after the other.
std::uint32_t distinct_addresses(const std::uint64_t* addresses, std::uint32_t active);

// The sectors that a cp.async.cg of 16 bytes per lane counts, which pass the first-level cache by:
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

// How many lanes, from a multiple of as many on, are served as one group.
int lanes_served_together(const std::uint32_t* addresses, std::uint32_t active, int bytes,
                          bool store);

// A word (address / 4, in the bank word % 32), and the pass of its group that brings it, from 0.
struct ServedWord {
  std::uint32_t word, pass;
};
// The distinct words that the lanes [begin, end) want, in the lanes' order.
struct ServedGroup {
  std::array<ServedWord, 128> words;  // the first `count`
  int count = 0;
  std::uint32_t passes = 0;
};
ServedGroup serve(const std::uint32_t* addresses, std::uint32_t active, int bytes, int begin,
                  int end);

}  // namespace gemm_tutor::emulator
