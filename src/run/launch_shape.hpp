// The shape of a launch, and the part of C that a block computes.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gemm/problem.hpp"
#include "gemm/verification.hpp"
#include "simt/gpu_spec.hpp"

namespace gemm_tutor {

// A fixed number of blocks that share the tiles of C. run/stream_k_schedule.hpp has the schedule.
struct StreamK {
  int blocks = 1;
  int group_rows = 1;  // tiles are ordered in groups of this many rows, column by column in a group
};

// A grid as its blocks along x, y and z: integer expressions over M, N and K, and SMs, the number
// of the GPU's multiprocessors. "1" for an extent that is not needed.
using GridExpressions = std::array<std::string, 3>;

// A block's threads and its tile of C, which do not depend on the problem.
struct LaunchShape {
  simt::Dim3 block;                       // threads
  int tile_rows = 1;                      // BM; 0 if it is not known which part a block computes
  int tile_columns = 1;                   // BN; 0 likewise
  int tile_depth = 0;                     // BK: the step along K; 0 if it is not known
  bool grid_x_along_rows = false;         // blockIdx.x counts tiles along M (slow), not along N
  std::uint32_t blocks_of_tile = 1;       // along z: each computes a part of K
  std::int64_t static_shared_floats = 0;  // that the kernel declares
  std::string dynamic_shared = "0";       // bytes: an expression like those of a grid
  std::optional<StreamK> stream_k = std::nullopt;  // nothing if each block computes its own tile
  // The grid of a user's kernel, if it does not follow from the tile.
  std::optional<GridExpressions> grid = std::nullopt;
  int multiprocessors = 0;  // of the GPU, for SMs in the grid

  bool has_tile() const { return tile_rows > 0; }
};

// Returns the value of a grid's expression or of one of bytes; nothing if it is no integer
// expression over M, N, K and SMs, or if C++ defines no value.
std::optional<std::int64_t> grid_extent(const std::string& expression, const Problem& problem,
                                        int multiprocessors);

// Sets the shape's tile and `grid_x_along_rows` if the grid has a block for each tile of C, rounded
// up or down. Removes the grid if it is rounded up, so that it follows from the tile.
void find_tile(LaunchShape& shape);

// Rows and columns of C.
struct TileExtents {
  int rows = 0, columns = 0;
};

// Returns the shape's tile; if a grid of its own has none, the rows and the columns of C that one
// more block is for. Each is `usual` if there is no such number up to 512.
TileExtents tile_of_blocks(const LaunchShape& shape, int usual);

// Returns the grid: ceil(N / tile_columns) x ceil(M / tile_rows) x blocks_of_tile, with x along N
// unless the shape says M or has a grid of its own. For stream-K, it is a row of blocks. Throws
// Error (usage) if M, N or K, rounded up to whole tiles, is more than an int can hold, because the
// kernels' indices are int; and if the expressions of the grid or of
// dynamic shared memory have no value that a GPU can launch.
simt::Launch launch_for(const LaunchShape& shape, const Problem& problem);

// Returns the part of C that a block computes, alone or with others; all of C if the tile is not
// known. Not for stream-K.
Region block_region(const LaunchShape& shape, const Problem& problem, const simt::Dim3& block);

// Returns the parts of C that a block computes, alone or with others, in the order of computation;
// also for stream-K. Empty if the block has no work.
std::vector<Region> block_regions(const LaunchShape& shape, const Problem& problem,
                                  const simt::Dim3& block);

// True if C consists of whole tiles, or if the tile is not known. K need not, because no element of
// a last step is loaded twice.
bool has_whole_tiles(const LaunchShape& shape, const Problem& problem);

// Returns M, N and K rounded up to whole tiles, each as it is if an int cannot hold that. The shape
// must have a tile.
Problem in_whole_tiles(const LaunchShape& shape, const Problem& problem);

}  // namespace gemm_tutor
