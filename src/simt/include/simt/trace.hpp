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

// One request of one warp of the traced block. Local memory, atomic additions and cp.async.bulk are
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
  // A cp.async is recorded as a load from global memory and a store to shared memory with the same
  // instruction and step. The store has cost 0; a profiler does not count it, either.
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
};

}  // namespace gemm_tutor::emulator
