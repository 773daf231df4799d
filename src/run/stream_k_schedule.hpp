// The schedule of a grid with few blocks that share the tiles of C evenly ("stream-K").
//
// There are T tiles. Each is computed in S steps of tile_depth along K. In the full waves, each of
// the B blocks computes one whole tile: in wave w block b computes tile w·B + b. The R < B
// remaining tiles have R·S steps, ordered by tile and then by K. Block b computes the steps from
// b·R·S/B up to (b + 1)·R·S/B. A piece that has all S steps of a tile is stored to C. Any other
// piece is stored to the block's part of a workspace, which has room for two pieces. A second pass
// adds these pieces.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "gemm/verification.hpp"
#include "run/launch_shape.hpp"
#include "simt/gpu_spec.hpp"

namespace gemm_tutor {

// The floats of a tile that a block of the second pass adds, with 256 threads.
inline constexpr int floats_of_second_block = 1024;

// The part of one tile that one block computes.
struct TilePiece {
  std::int64_t tile = 0;  // the tile's number in the order of the schedule
  std::int64_t first_step = 0, steps = 0;
};

class StreamKSchedule {
 public:
  // The shape must have stream_k.
  StreamKSchedule(const LaunchShape& shape, const Problem& problem);

  std::int64_t blocks() const { return blocks_; }
  std::int64_t tiles() const { return rows_of_tiles_ * columns_of_tiles_; }  // T
  std::int64_t steps() const { return steps_; }                              // S, per tile
  std::int64_t whole_waves() const { return tiles() / blocks_; }
  std::int64_t tiles_shared() const { return tiles() % blocks_; }  // R

  Region region(std::int64_t tile) const;  // the tile's part of C

  // Returns the block's pieces in the order of computation. Empty if the block has no work.
  std::vector<TilePiece> pieces(std::int64_t block) const;

  // P: the number of pieces that are not a whole tile, and so are stored to the workspace.
  std::int64_t partial_pieces() const;

  // The workspace's floats: two tiles per block; 0 if no tile is shared.
  std::int64_t workspace_floats() const;

  // Returns the second pass' launch, ceil(BM·BN / floats_of_second_block) x R blocks; nothing if no
  // tile is shared.
  std::optional<simt::Launch> second_launch() const;

  // Returns the tiles that these blocks compute completely, in the order of the schedule.
  std::vector<Region> completed_by(const std::vector<simt::Dim3>& blocks) const;

  // Returns blocks that together compute a whole tile, if no block computes one alone. A sample of
  // blocks must have these, so that a part of the result can be verified.
  std::vector<simt::Dim3> blocks_of_a_tile() const;

 private:
  std::int64_t tile_floats() const { return std::int64_t{shape_.tile_rows} * shape_.tile_columns; }
  std::int64_t first_shared_step(std::int64_t block) const;  // b·R·S/B
  std::vector<TilePiece> shared_pieces(std::int64_t block) const;

  LaunchShape shape_;
  Problem problem_;
  std::int64_t blocks_, group_rows_, rows_of_tiles_, columns_of_tiles_, steps_;
};

}  // namespace gemm_tutor
