#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "run/launch_shape.hpp"
#include "run/stream_k_schedule.hpp"
#include "support/ceil_divide.hpp"
#include "support/error.hpp"
#include "support/text.hpp"

namespace gemm_tutor {
namespace {

std::uint32_t tiles(int extent, int tile) {
  return static_cast<std::uint32_t>(ceil_divide(extent, tile));
}

// The indices of the last tile extend to the tile's end, even beyond the matrix.
void check_indices(char dimension, int extent, int tile) {
  constexpr std::int64_t largest = std::numeric_limits<int>::max();
  if (std::int64_t{tiles(extent, tile)} * tile <= largest) return;
  throw Error(
      ExitStatus::usage,
      fmt::format("{} = {} in tiles of {} goes beyond {}, the largest int", dimension,
                  with_thousands(extent), with_thousands(tile), with_thousands(largest)),
      fmt::format("Choose {} at most {}.", dimension, with_thousands(largest - largest % tile)));
}

}  // namespace

Launch launch_for(const LaunchShape& shape, const Problem& problem) {
  check_indices('M', problem.m, shape.tile_rows);
  check_indices('N', problem.n, shape.tile_columns);
  check_indices('K', problem.k, shape.tile_depth);
  if (shape.stream_k) {
    return {.grid = {static_cast<std::uint32_t>(shape.stream_k->blocks)},
            .block = shape.block,
            .dynamic_shared_bytes = shape.dynamic_shared_bytes};
  }
  const std::uint32_t down = tiles(problem.m, shape.tile_rows);
  const std::uint32_t across = tiles(problem.n, shape.tile_columns);
  const std::uint32_t along_z = shape.blocks_of_tile;
  return {
      .grid = shape.grid_x_along_rows ? Dim3{down, across, along_z} : Dim3{across, down, along_z},
      .block = shape.block,
      .dynamic_shared_bytes = shape.dynamic_shared_bytes};
}

Region block_region(const LaunchShape& shape, const Problem& problem, const Dim3& block) {
  const int down = static_cast<int>(shape.grid_x_along_rows ? block.x : block.y);
  const int across = static_cast<int>(shape.grid_x_along_rows ? block.y : block.x);
  const int row = down * shape.tile_rows, column = across * shape.tile_columns;
  return {.row_begin = row,
          .row_end = row + std::min(shape.tile_rows, problem.m - row),
          .column_begin = column,
          .column_end = column + std::min(shape.tile_columns, problem.n - column)};
}

std::vector<Region> block_regions(const LaunchShape& shape, const Problem& problem,
                                  const Dim3& block) {
  if (!shape.stream_k) return {block_region(shape, problem, block)};
  const StreamKSchedule schedule(shape, problem);
  std::vector<Region> regions;
  for (const TilePiece& piece : schedule.pieces(block.x)) {
    regions.push_back(schedule.region(piece.tile));
  }
  return regions;
}

bool has_whole_tiles(const LaunchShape& shape, const Problem& problem) {
  return problem.m % shape.tile_rows == 0 && problem.n % shape.tile_columns == 0;
}

}  // namespace gemm_tutor
