#include "run/stream_k_schedule.hpp"

#include <algorithm>
#include <iterator>
#include <map>

#include "support/numbers.hpp"

namespace gemm_tutor {
namespace {

constexpr std::uint32_t second_threads = 256;  // four floats each

}  // namespace

StreamKSchedule::StreamKSchedule(const LaunchShape& shape, const Problem& problem)
    : shape_(shape),
      problem_(problem),
      blocks_(shape.stream_k.value().blocks),
      group_rows_(shape.stream_k->group_rows),
      rows_of_tiles_(ceil_divide(problem.m, shape.tile_rows)),
      columns_of_tiles_(ceil_divide(problem.n, shape.tile_columns)),
      steps_(ceil_divide(problem.k, shape.tile_depth)) {}

Region StreamKSchedule::region(std::int64_t tile) const {
  const std::int64_t group_tiles = group_rows_ * columns_of_tiles_;
  const std::int64_t first_row = tile / group_tiles * group_rows_;
  const std::int64_t rows = std::min(group_rows_, rows_of_tiles_ - first_row);
  const auto row = static_cast<int>((first_row + tile % group_tiles % rows) * shape_.tile_rows);
  const auto column = static_cast<int>(tile % group_tiles / rows * shape_.tile_columns);
  return {.row_begin = row,
          .row_end = row + std::min(shape_.tile_rows, problem_.m - row),
          .column_begin = column,
          .column_end = column + std::min(shape_.tile_columns, problem_.n - column)};
}

std::int64_t StreamKSchedule::first_shared_step(std::int64_t block) const {
  return block * tiles_shared() * steps_ / blocks_;
}

std::vector<TilePiece> StreamKSchedule::pieces(std::int64_t block) const {
  std::vector<TilePiece> result;
  for (std::int64_t wave = 0; wave < whole_waves(); ++wave) {
    result.push_back({wave * blocks_ + block, 0, steps_});
  }
  std::ranges::copy(shared_pieces(block), std::back_inserter(result));
  return result;
}

std::vector<TilePiece> StreamKSchedule::shared_pieces(std::int64_t block) const {
  std::vector<TilePiece> result;
  const std::int64_t end = first_shared_step(block + 1);
  for (std::int64_t step = first_shared_step(block); step < end;) {
    const std::int64_t tile = step / steps_;
    const std::int64_t piece_end = std::min(end, (tile + 1) * steps_);
    result.push_back({whole_waves() * blocks_ + tile, step % steps_, piece_end - step});
    step = piece_end;
  }
  return result;
}

std::int64_t StreamKSchedule::partial_pieces() const {
  const std::int64_t all = tiles_shared() * steps_;
  if (blocks_ >= all) return steps_ > 1 ? all : 0;  // each step alone
  std::int64_t count = 0;
  for (std::int64_t block = 0; block < blocks_; ++block) {
    count += std::ranges::count_if(shared_pieces(block),
                                   [&](const TilePiece& piece) { return piece.steps < steps_; });
  }
  return count;
}

std::int64_t StreamKSchedule::workspace_floats() const {
  return tiles_shared() == 0 ? 0 : 2 * blocks_ * tile_floats();
}

std::optional<simt::Launch> StreamKSchedule::second_launch() const {
  if (tiles_shared() == 0) return {};
  const std::int64_t across = ceil_divide(tile_floats(), floats_of_second_block);
  return simt::Launch{
      .grid = {static_cast<std::uint32_t>(across), static_cast<std::uint32_t>(tiles_shared())},
      .block = {second_threads}};
}

std::vector<Region> StreamKSchedule::completed_by(const std::vector<simt::Dim3>& blocks) const {
  std::map<std::int64_t, std::int64_t> steps_of_tile;
  for (const simt::Dim3& block : blocks) {
    for (const TilePiece& piece : pieces(block.x)) steps_of_tile[piece.tile] += piece.steps;
  }
  std::vector<Region> result;
  for (const auto& [tile, steps] : steps_of_tile) {
    if (steps == steps_) result.push_back(region(tile));
  }
  return result;
}

std::vector<simt::Dim3> StreamKSchedule::blocks_of_a_tile() const {
  if (whole_waves() > 0) return {};
  const std::int64_t tile = tiles_shared() / 2;
  std::vector<simt::Dim3> result;
  for (std::int64_t block = 0; block < blocks_; ++block) {
    const std::int64_t begin = first_shared_step(block), end = first_shared_step(block + 1);
    const bool shares = begin < end && begin < (tile + 1) * steps_ && end > tile * steps_;
    if (shares) result.push_back({static_cast<std::uint32_t>(block), 0, 0});
  }
  return result;
}

}  // namespace gemm_tutor
