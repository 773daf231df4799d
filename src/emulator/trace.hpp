// What the warps of one block did to memory, request by request.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "emulator/finding.hpp"

namespace gemm_tutor::emulator {

// One request of one warp of the traced block. Not recorded are local memory, atomic additions and
// cp.async.bulk, of which only the bytes are counted.
struct Access {
  int line = 0;                   // in the kernel's own source file
  int ptx_line = 0;               // of the PTX text; 0 where there is no machine code
  std::uint32_t instruction = 0;  // tells several of one line apart
  int warp = 0;                   // of the block
  std::uint64_t step = 0;         // how often this warp had executed the instruction before
  MemorySpace space = MemorySpace::global;  // or shared
  bool store = false;
  int bytes = 4;             // of a lane
  int joined = 1;            // accesses of the PTX of which the assembler made this one
  std::uint32_t active = 0;  // lanes, a bit each
  std::optional<std::size_t> buffer = std::nullopt;  // of the launch's, for global memory in one
  // In bytes: into that buffer, or into the block's shared memory. One that is out of bounds may
  // lie before the beginning (in two's complement). 0 for lanes that are not active.
  std::array<std::uint64_t, 32> offsets = {};
  std::uint32_t cost = 0, conflicts = 0;  // sectors; or wavefronts, and those that are conflicts
  // Of a cp.async, which is a load of global memory and a store to shared memory with the same
  // instruction and step. The store is counted neither here (cost 0) nor by a profiler.
  bool asynchronous = false;

  // Of the first active lane, if there is one; else 0.
  std::uint64_t first_offset() const {
    return active == 0 ? 0 : offsets[static_cast<std::size_t>(std::countr_zero(active))];
  }
};

// A line with instructions that are not recorded, whether or not they were executed.
struct Unrecorded {
  int line = 0;
  std::string what;  // "atomic additions", "bulk copies", "local memory"
};

// An array of the block's shared memory.
struct SharedArray {
  std::string name;
  std::uint64_t offset = 0, bytes = 0;  // in the block's shared memory
  std::vector<std::int64_t> extents;    // as the source declares them; empty where not known
};

}  // namespace gemm_tutor::emulator
