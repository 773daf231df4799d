// The memory requests of one block's warps.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "simt/finding.hpp"

namespace gemm_tutor::emulator {

// One request of one warp of the traced block. Local memory, atomic additions and bulk copies are
// not recorded.
struct Access {
  int line = 0;                             // in the kernel's source file
  int ptx_line = 0;                         // of the PTX text; 0 without machine code
  std::uint32_t instruction = 0;            // distinguishes the instructions of a line
  int warp = 0;                             // number in the block
  std::uint64_t step = 0;                   // the warp's earlier executions of the instruction
  MemorySpace space = MemorySpace::global;  // or shared
  bool store = false;
  int bytes = 4;             // per lane
  int joined = 1;            // number of PTX accesses that the assembler joined
  std::uint32_t active = 0;  // one bit per lane
  std::optional<std::size_t> buffer = std::nullopt;  // the launch's buffer, for global memory
  // Byte offsets in the buffer or in the block's shared memory, from where its arrays begin. Out of
  // bounds they may be negative (two's complement). 0 for lanes that are not active.
  std::array<std::uint64_t, 32> offsets = {};
  std::uint32_t cost = 0, conflicts = 0;  // sectors; or wavefronts, and those that are conflicts
  // An asynchronous copy is recorded as a load from global memory and a store to shared memory with
  // the same instruction and step. The store has cost 0; a profiler does not count it, either.
  bool asynchronous = false;

  // The first active lane's offset; 0 if there is none.
  std::uint64_t first_offset() const {
    return active == 0 ? 0 : offsets[static_cast<std::size_t>(std::countr_zero(active))];
  }
};

// A line with instructions that are not recorded. They need not have been executed.
struct Unrecorded {
  int line = 0;
  std::string what;  // "atomic additions", "bulk copies", "local memory"
};

// An array of the block's shared memory.
struct SharedArray {
  std::string name;
  std::uint64_t offset = 0, bytes = 0;  // in the block's shared memory, as Access::offsets
  std::vector<std::int64_t> extents;    // as declared in the source; empty if not known
  int element_bytes = 4;                // 4 if not known
};

// Computes a memory request's cost from the addresses of the warp's lanes. docs/emulator.md says
// how the rules were found.

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
