// Computes a memory request's cost from the addresses of the warp's lanes. docs/emulator.md says
// how the rules were found.
#pragma once

#include <array>
#include <cstdint>

namespace gemm_tutor::emulator {

// Returns the number of distinct 32-byte sectors of global memory. Bit l of `active` is set if lane
// l is active. Each lane accesses `bytes` (1, 2, 4, 8 or 16) at an address aligned to them.
std::uint32_t global_sectors(const std::uint64_t* addresses, std::uint32_t active, int bytes);

// Writes the distinct sectors' numbers (address / 32) to `sectors` in ascending order and returns
// how many there are, at most 32.
int distinct_sectors(const std::uint64_t* addresses, std::uint32_t active, std::uint64_t* sectors);

// Returns the number of distinct addresses. Constant memory serves one address after the other.
std::uint32_t distinct_addresses(const std::uint64_t* addresses, std::uint32_t active);

// Returns the sectors that are counted for a cp.async.cg of 16 bytes per lane, which bypasses the
// L1 cache. A piece is data from the same 128 bytes of global memory for the same 32 bytes of
// shared memory. Each piece counts once; data that a later lane overwrites does not count.
std::uint32_t copied_sectors(const std::uint64_t* sources, const std::uint32_t* targets,
                             std::uint32_t active);

// Wavefronts are passes of the shared-memory pipe, which has 32 banks of 4 bytes. Lanes are served
// in groups of at most 128 bytes. Every pass of a group after its first is a bank conflict.
struct SharedCost {
  std::uint32_t wavefronts = 0, conflicts = 0;
};
SharedCost shared_cost(const std::uint32_t* addresses, std::uint32_t active, int bytes, bool store);

// Returns the number of lanes that are served as one group. A group's first lane is a multiple of
// this number.
int lanes_served_together(const std::uint32_t* addresses, std::uint32_t active, int bytes,
                          bool store);

// A word (address / 4, in the bank word % 32) and the pass of its group that serves it, from 0.
struct ServedWord {
  std::uint32_t word, pass;
};
// The distinct words that the lanes [begin, end) access, in the lanes' order.
struct ServedGroup {
  std::array<ServedWord, 128> words;  // only the first `count` are valid
  int count = 0;
  std::uint32_t passes = 0;
};
ServedGroup serve(const std::uint32_t* addresses, std::uint32_t active, int bytes, int begin,
                  int end);

}  // namespace gemm_tutor::emulator
