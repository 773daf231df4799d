// Who loads what: which warp, and which thread, of a block loads each element of its tiles of A and
// B in a step along K, and stores each element of its tile of C, as the emulator recorded it. Of a
// block that computes several tiles these are the first's; what it stores of a tile that it shares
// are its sums, in the workspace.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gemm/verification.hpp"
#include "trace/limits.hpp"
#include "trace/trace.hpp"

namespace gemm_tutor {

// Of one element: -1 for none.
struct Owner {
  int warp = -1, thread = -1;  // the first that did; the thread's number in its block
  bool several_warps = false, several_threads = false;
};

struct TileOwners {
  char matrix = 'A';
  Region region;              // of the matrix: rows and columns
  std::vector<Owner> owners;  // of its elements, row by row

  const Owner& at(int row, int column) const;  // of the matrix
};

struct WhoLoads {
  Dim3 block;
  std::int64_t step = 0, steps = 1;  // along K
  int warps = 1;
  TileOwners a, b;           // loaded in that step
  TileOwners c;              // stored, in all
  Failure failure;           // with what the block had done
  std::string not_recorded;  // what it may do besides; empty for nothing
  bool all_accesses = true;
  std::string tile = {};  // what tile_of_several() says
  std::vector<CompilerWarning> warnings = {};
};

// A sentence: which of the tiles that the block has a part of this is, and which part. Empty where
// the block has one tile, and all of it.
std::string tile_of_several(const Trace& trace);

// The first step along K that the block takes: not 0 where others take the first ones of its tile.
std::int64_t first_step(const Trace& trace);

// The tiles of A and B of all steps along K, each as who_loads() has it.
struct TilesOfSteps {
  std::vector<TileOwners> a, b;
  TileOwners c;
};
TilesOfSteps tiles_of_steps(const Trace& trace);

// Throws Error (usage) for a step that K does not have.
WhoLoads who_loads(const Trace& trace, std::int64_t step);

// The same for the steps from `first` to `last`, both included: at most most_frames, and none
// beyond the last that K has. Throws Error (usage) where K does not have the first.
inline constexpr std::int64_t most_frames = 16;
std::vector<WhoLoads> who_loads(const Trace& trace, std::int64_t first, std::int64_t last);

}  // namespace gemm_tutor
