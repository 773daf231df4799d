#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "run/launch_shape.hpp"
#include "run/stream_k_schedule.hpp"
#include "source/evaluator.hpp"
#include "source/token.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"
#include "support/text.hpp"

namespace gemm_tutor {
namespace {

std::uint32_t tiles(int extent, int tile) {
  return static_cast<std::uint32_t>(ceil_divide(extent, tile));
}

// The indices of the last tile extend to the tile's end, even beyond the matrix.
void check_indices(char dimension, int extent, int tile) {
  constexpr std::int64_t largest = std::numeric_limits<int>::max();
  if (tile == 0) return;
  if (std::int64_t{tiles(extent, tile)} * tile <= largest) return;
  throw Error(
      ExitStatus::usage,
      fmt::format("{} = {} in tiles of {} goes beyond {}, the largest int", dimension,
                  with_thousands(extent), with_thousands(tile), with_thousands(largest)),
      fmt::format("Choose {} at most {}.", dimension, with_thousands(largest - largest % tile)));
}

constexpr const char* grid_help =
    "Give its blocks along x, y and z as expressions of M, N, K and SMs, the GPU's number of "
    "multiprocessors, as in --grid '(N + 63) / 64, (M + 63) / 64'.";

std::uint32_t shared_bytes_of(const LaunchShape& shape, const Problem& problem) {
  const auto bytes = grid_extent(shape.dynamic_shared, problem, shape.multiprocessors);
  constexpr std::int64_t most = std::numeric_limits<int>::max();
  if (bytes && *bytes >= 0 && *bytes <= most) return static_cast<std::uint32_t>(*bytes);
  throw Error(ExitStatus::usage,
              fmt::format("--shared: '{}' {}", shape.dynamic_shared,
                          bytes ? fmt::format("is {} bytes for {}×{}×{}", with_thousands(*bytes),
                                              problem.m, problem.n, problem.k)
                                : "has no value"),
              "Give the bytes as a number or as an expression of M, N and K, as in --shared "
              "'K * 4'.");
}

simt::Dim3 grid_of(const LaunchShape& shape, const Problem& problem) {
  // CUDA C++ Programming Guide: blocks of a grid along x, and along y and z
  constexpr std::int64_t most[] = {std::numeric_limits<int>::max(), 65'535, 65'535};
  std::array<std::uint32_t, 3> extents = {1, 1, 1};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::string& text = (*shape.grid)[axis];
    const auto extent = grid_extent(text, problem, shape.multiprocessors);
    if (!extent) {
      throw Error(ExitStatus::usage, fmt::format("--grid: '{}' has no value", text), grid_help);
    }
    if (*extent < 1 || *extent > most[axis]) {
      throw Error(
          ExitStatus::usage,
          fmt::format("--grid: '{}' is {} blocks along {} for {}×{}×{}, and a grid has 1 to "
                      "{} there",
                      text, with_thousands(*extent), "xyz"[axis], problem.m, problem.n, problem.k,
                      with_thousands(most[axis])),
          "Choose another size, or another grid with --grid.");
    }
    extents[axis] = static_cast<std::uint32_t>(*extent);
  }
  return {extents[0], extents[1], extents[2]};
}

// The tile along one dimension for this extent of a grid: it must depend on that dimension alone.
struct TileAlong {
  int size = 0;
  bool rounds_up = false;
};

std::optional<TileAlong> tile_along(const std::string& extent, int Problem::*dimension) {
  constexpr int large = 1024 * 27 * 25;  // a multiple of most tiles' sizes
  const auto blocks = [&](int size, int other) {
    Problem problem{other, other, other};
    problem.*dimension = size;
    return grid_extent(extent, problem, 0);
  };
  const auto most = blocks(large, large / 2);
  if (!most || *most < 1 || *most > large || large % *most != 0) return {};
  TileAlong tile{static_cast<int>(large / *most)};
  const auto rounded = blocks(tile.size + 1, 1);
  tile.rounds_up = rounded == 2;
  for (const int size : {tile.size, 7 * tile.size, 7 * tile.size + 1, 8 * tile.size - 1}) {
    const int expected = tile.rounds_up ? (size + tile.size - 1) / tile.size : size / tile.size;
    if (blocks(size, 3) != expected || blocks(size, 4096) != expected) return {};
  }
  return tile;
}

// The extent for which there is one more block than for 1, or a first block; nothing if there is no
// such extent up to `most`. All other sizes are `large`, a multiple of most tiles' sizes.
std::optional<int> extent_of_block(const GridExpressions& grid, int Problem::*dimension, int most,
                                   int large) {
  const auto blocks = [&](int extent) -> std::optional<std::int64_t> {
    Problem problem{large, large, large};
    problem.*dimension = extent;
    std::int64_t product = 1;
    for (const std::string& one : grid) {
      const auto along = grid_extent(one, problem, 0);
      if (!along || *along < 0 || *along > large) return {};
      product *= *along;
    }
    return product;
  };
  const auto first = blocks(1);
  if (!first) return {};
  int low = 1, high = most + 2;  // the first extent with more blocks is in (low, high]
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    (blocks(middle).value_or(0) > *first ? high : low) = middle;
  }
  if (high > most + 1) return {};
  return *first == 0 ? high : high - 1;
}

}  // namespace

std::optional<std::int64_t> grid_extent(const std::string& expression, const Problem& problem,
                                        int multiprocessors) {
  const std::vector<source::Token> tokens = source::tokens_of(expression);
  const source::NodePointer tree = source::parse_expression(tokens);
  if (!tree) return {};
  const auto value =
      source::value_of(*tree, [&](std::string_view name) -> std::optional<source::Integer> {
        const source::IntegerType wide{64, false};
        if (name == "M") return source::Integer{problem.m, wide};
        if (name == "N") return source::Integer{problem.n, wide};
        if (name == "K") return source::Integer{problem.k, wide};
        if (name == "SMs" && multiprocessors > 0) return source::Integer{multiprocessors, wide};
        return {};
      });
  return value ? std::optional(value->value) : std::nullopt;
}

void find_tile(LaunchShape& shape) {
  if (!shape.grid) return;
  for (const bool x_along_rows : {false, true}) {
    const auto down = tile_along((*shape.grid)[x_along_rows ? 0 : 1], &Problem::m);
    const auto across = tile_along((*shape.grid)[x_along_rows ? 1 : 0], &Problem::n);
    const auto along_z = grid_extent((*shape.grid)[2], {1, 1, 1}, 0);
    if (!down || !across || !along_z) continue;
    const bool has_sized_z = along_z != grid_extent((*shape.grid)[2], {5003, 5003, 5003}, 0);
    shape.tile_rows = down->size;
    shape.tile_columns = across->size;
    shape.grid_x_along_rows = x_along_rows;
    if (!down->rounds_up || !across->rounds_up || has_sized_z) return;
    shape.blocks_of_tile = static_cast<std::uint32_t>(*along_z);
    shape.grid.reset();
    return;
  }
}

TileExtents tile_of_blocks(const LaunchShape& shape, int usual) {
  if (shape.has_tile()) return {shape.tile_rows, shape.tile_columns};
  if (!shape.grid) return {usual, usual};
  constexpr int most = 512, large = 1024 * 27 * 25;
  const auto rows = extent_of_block(*shape.grid, &Problem::m, 4 * most, large);
  const auto columns = extent_of_block(*shape.grid, &Problem::n, 4 * most, large);
  // A grid that goes through C in groups of tiles has an axis for the tiles of a group.
  const auto within = [&](std::optional<int> extent) {
    if (!extent) return usual;
    for (const std::string& along : *shape.grid) {
      const auto group = grid_extent(along, {1, 1, 1}, 0);
      const bool is_fixed =
          group && *group > 1 && group == grid_extent(along, {large, large, large}, 0);
      if (*extent > most && is_fixed && *extent % *group == 0) *extent /= static_cast<int>(*group);
    }
    return *extent > most ? usual : *extent;
  };
  return {within(rows), within(columns)};
}

simt::Launch launch_for(const LaunchShape& shape, const Problem& problem) {
  check_indices('M', problem.m, shape.tile_rows);
  check_indices('N', problem.n, shape.tile_columns);
  check_indices('K', problem.k, shape.tile_depth);
  if (shape.stream_k) {
    return {.grid = {static_cast<std::uint32_t>(shape.stream_k->blocks)},
            .block = shape.block,
            .dynamic_shared_bytes = shared_bytes_of(shape, problem)};
  }
  if (shape.grid) {
    return {.grid = grid_of(shape, problem),
            .block = shape.block,
            .dynamic_shared_bytes = shared_bytes_of(shape, problem)};
  }
  const std::uint32_t down = tiles(problem.m, shape.tile_rows);
  const std::uint32_t across = tiles(problem.n, shape.tile_columns);
  const std::uint32_t along_z = shape.blocks_of_tile;
  return {.grid = shape.grid_x_along_rows ? simt::Dim3{down, across, along_z}
                                          : simt::Dim3{across, down, along_z},
          .block = shape.block,
          .dynamic_shared_bytes = shared_bytes_of(shape, problem)};
}

Region block_region(const LaunchShape& shape, const Problem& problem, const simt::Dim3& block) {
  if (!shape.has_tile()) return {0, problem.m, 0, problem.n};
  const int down = static_cast<int>(shape.grid_x_along_rows ? block.x : block.y);
  const int across = static_cast<int>(shape.grid_x_along_rows ? block.y : block.x);
  const int row = down * shape.tile_rows, column = across * shape.tile_columns;
  return {.row_begin = row,
          .row_end = row + std::min(shape.tile_rows, problem.m - row),
          .column_begin = column,
          .column_end = column + std::min(shape.tile_columns, problem.n - column)};
}

std::vector<Region> block_regions(const LaunchShape& shape, const Problem& problem,
                                  const simt::Dim3& block) {
  if (!shape.stream_k) return {block_region(shape, problem, block)};
  const StreamKSchedule schedule(shape, problem);
  std::vector<Region> regions;
  for (const TilePiece& piece : schedule.pieces(block.x)) {
    regions.push_back(schedule.region(piece.tile));
  }
  return regions;
}

bool has_whole_tiles(const LaunchShape& shape, const Problem& problem) {
  if (!shape.has_tile()) return true;
  return problem.m % shape.tile_rows == 0 && problem.n % shape.tile_columns == 0;
}

Problem in_whole_tiles(const LaunchShape& shape, const Problem& problem) {
  const auto whole = [](int extent, int tile) {
    const std::int64_t result = rounded_up(std::int64_t{extent}, std::int64_t{tile});
    return result <= std::numeric_limits<int>::max() ? static_cast<int>(result) : extent;
  };
  return {whole(problem.m, shape.tile_rows), whole(problem.n, shape.tile_columns),
          whole(problem.k, shape.tile_depth)};
}

}  // namespace gemm_tutor
