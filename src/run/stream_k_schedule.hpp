// The schedule of a grid of few blocks that share the tiles of C evenly ("stream-K").
//
// There are T tiles, each computed in S steps of tile_depth along K. As often as all B blocks can
// have a tile each they do: in wave w block b computes tile w·B + b alone. The R < B tiles left
// have R·S steps, and block b gets those from b·R·S/B up to (b + 1)·R·S/B, in the order of the
// tiles and, within a tile, of K. A piece of a tile with all S steps goes to C. Any other goes to
// the block's part of a workspace, which has room for the two there can be, and a second pass adds
// them up.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "gemm/verification.hpp"
#include "model/launch.hpp"
#include "run/launch_shape.hpp"

namespace gemm_tutor {

// The floats of a tile that a block of the second pass adds up, with 256 threads.
inline constexpr int floats_of_second_block = 1024;

// What one block computes of one tile.
struct TilePiece {
  std::int64_t tile = 0;  // its number in the order of the walk
  std::int64_t first_step = 0, steps = 0;
};

class StreamKSchedule {
 public:
  // Of a shape with stream_k.
  StreamKSchedule(const LaunchShape& shape, const Problem& problem);

  std::int64_t blocks() const { return blocks_; }
  std::int64_t tiles() const { return rows_of_tiles_ * columns_of_tiles_; }  // T
  std::int64_t steps() const { return steps_; }                              // S, of each tile
  std::int64_t whole_waves() const { return tiles() / blocks_; }
  std::int64_t tiles_shared() const { return tiles() % blocks_; }  // R

  Region region(std::int64_t tile) const;  // of C

  // In the order in which the block computes them; none where there are more blocks than steps.
  std::vector<TilePiece> pieces(std::int64_t block) const;

  // P: the pieces of all blocks that are no whole tile, and so go to `partial`.
  std::int64_t partial_pieces() const;

  // Floats of `partial`: two tiles a block; 0 where no tile is shared.
  std::int64_t workspace_floats() const;

  // Of the second pass: ceil(BM·BN / floats_of_second_block) x R blocks; nothing where no tile is
  // shared.
  std::optional<Launch> second_launch() const;

  // The tiles of which these blocks compute all, in the order of the walk.
  std::vector<Region> completed_by(const std::vector<Dim3>& blocks) const;

  // Blocks that compute all of a tile together, where no block does so alone: a few blocks say
  // something of the result only with these among them.
  std::vector<Dim3> blocks_of_a_tile() const;

 private:
  std::int64_t tile_floats() const { return std::int64_t{shape_.tile_rows} * shape_.tile_columns; }
  std::int64_t first_shared_step(std::int64_t block) const;  // b·R·S/B
  std::vector<TilePiece> shared_pieces(std::int64_t block) const;

  LaunchShape shape_;
  Problem problem_;
  std::int64_t blocks_, group_rows_, rows_of_tiles_, columns_of_tiles_, steps_;
};

}  // namespace gemm_tutor
