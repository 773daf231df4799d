// How a kernel is launched, and which part of C a block computes.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "gemm/problem.hpp"
#include "gemm/verification.hpp"
#include "model/launch.hpp"

namespace gemm_tutor {

// A fixed number of blocks that share the tiles of C: run/stream_k_schedule.hpp has the
// schedule.
struct StreamK {
  int blocks = 1;
  int group_rows = 1;  // rows of tiles that are walked column by column, before the next ones
};

// The threads of a block and the tile of C that it computes, whatever the problem.
struct LaunchShape {
  Dim3 block;                        // threads
  int tile_rows = 1;                 // BM
  int tile_columns = 1;              // BN
  int tile_depth = 1;                // BK: the step along K
  bool grid_x_along_rows = false;    // blockIdx.x counts tiles along M (the slow way); else along N
  std::uint32_t blocks_of_tile = 1;  // along z: each has a part of K
  std::int64_t static_shared_floats = 0;  // what the kernel declares
  std::uint32_t dynamic_shared_bytes = 0;
  std::optional<StreamK> stream_k = std::nullopt;  // else each block has a tile of its own
};

// ceil(N / tile_columns) x ceil(M / tile_rows) x blocks_of_tile, x along N unless the shape says M;
// or the blocks that share the tiles, in a row. Throws Error (usage) when M, N or K rounded up
// to whole tiles is more than an int holds, which is as far as a kernel's indices go.
Launch launch_for(const LaunchShape& shape, const Problem& problem);

// The part of C that one block computes, or helps to compute, where the tiles are not shared.
Region block_region(const LaunchShape& shape, const Problem& problem, const Dim3& block);

// The parts of C that a block of either grid computes, or helps to compute, in its own order: none
// where there are more blocks than work.
std::vector<Region> block_regions(const LaunchShape& shape, const Problem& problem,
                                  const Dim3& block);

// C consists of whole tiles. K need not: what is left of it is not loaded twice.
bool has_whole_tiles(const LaunchShape& shape, const Problem& problem);

}  // namespace gemm_tutor
