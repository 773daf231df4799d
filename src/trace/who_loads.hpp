// Finds which warp and which thread of a block loads each element of its tiles of A and B in a step
// along K, and stores each element of its tile of C, from the recording. If a block computes
// several tiles, this is the first. If it shares a tile, its stores are its partial sums in the
// workspace.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "course/lesson_run.hpp"
#include "gemm/verification.hpp"
#include "simt/emulator.hpp"
#include "trace/selection.hpp"

namespace gemm_tutor {

// The owner of one element; -1 if there is none.
struct Owner {
  int warp = -1, thread = -1;  // the first that accessed it; numbers in the block
  bool several_warps = false, several_threads = false;

  auto operator<=>(const Owner&) const = default;
};

struct TileOwners {
  char matrix = 'A';
  Region region;              // rows and columns of the matrix
  std::vector<Owner> owners;  // of the region's elements, row by row

  const Owner& at(int row, int column) const;  // row and column of the matrix
};

struct WhoLoads {
  simt::Dim3 block;
  std::int64_t step = 0, steps = 1;  // along K
  int warps = 1;
  TileOwners a, b;           // loaded in that step
  TileOwners c;              // stored in any step
  Failure failure;           // of the block
  std::string not_recorded;  // accesses that are not recorded; may be empty
  bool all_accesses = true;
  std::string tile = {};  // tile_of_several()
  std::vector<simt::CompilerWarning> warnings = {};
};

// Returns a sentence that says which of the block's tiles this is, and which part of it. Empty if
// the block computes exactly one whole tile.
std::string tile_of_several(const Trace& trace);

// Returns the block's first step along K. It is not 0 if other blocks compute the first steps of
// the tile.
std::int64_t first_step(const Trace& trace);

// The tiles of A and B of all steps along K.
struct TilesOfSteps {
  std::vector<TileOwners> a, b;
  TileOwners c;
};
TilesOfSteps tiles_of_steps(const Trace& trace);

// Throws Error (usage) if K has no such step.
WhoLoads who_loads(const Trace& trace, std::int64_t step);

// The same for the steps from `first` to `last` (inclusive), at most most_frames, and not beyond
// K's last step. Throws Error (usage) if K has no step `first`.
inline constexpr std::int64_t most_frames = 16;
std::vector<WhoLoads> who_loads(const Trace& trace, std::int64_t first, std::int64_t last);

// The addresses of a request's lanes, for the rules of its cost.

// Of global memory, and of shared memory.
inline constexpr int sector_bytes = 32, banks = 32;

// The address of the start of shared memory. It is a multiple of the banks' total width, so that an
// offset and its address have the same bank. It is large enough for negative offsets.
inline constexpr std::uint32_t shared_origin = 1u << 23;

using LaneAddresses = std::array<std::uint32_t, 32>;
LaneAddresses shared_addresses(const simt::Access& access);

// Returns the first active lane's offset; 0 if there is none.
std::uint64_t first_offset(const simt::Access& access);

// Returns the bytes from each active lane to the next; nothing if they differ, or for one lane.
std::optional<std::int64_t> stride_of(const simt::Access& access);

}  // namespace gemm_tutor
