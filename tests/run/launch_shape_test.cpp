#include <cstdint>
#include <limits>

#include "run/launch_shape.hpp"
#include "run_checks.hpp"

namespace gemm_tutor {
namespace {

LaunchShape shape_of(int rows, int columns, int depth) {
  LaunchShape shape;
  shape.block = {static_cast<std::uint32_t>(columns), static_cast<std::uint32_t>(rows)};
  shape.tile_rows = rows;
  shape.tile_columns = columns;
  shape.tile_depth = depth;
  return shape;
}

// How often each element of C lies in a block's region: once.
void check_cover(const LaunchShape& shape, const Problem& problem) {
  std::vector<int> covered(problem.c_elements());
  const simt::Dim3 grid = launch_for(shape, problem).grid;
  for (std::uint32_t y = 0; y < grid.y; ++y) {
    for (std::uint32_t x = 0; x < grid.x; ++x) {
      const Region region = block_region(shape, problem, {x, y});
      for (int row = region.row_begin; row < region.row_end; ++row) {
        for (int column = region.column_begin; column < region.column_end; ++column) {
          ++covered.at(std::int64_t{row} * problem.n + column);
        }
      }
    }
  }
  CHECK(covered == std::vector<int>(problem.c_elements(), 1));
}

}  // namespace

TEST_CASE("one block a tile, x along N unless the shape says M") {
  LaunchShape shape = shape_of(16, 32, 8);
  const Problem problem{100, 200, 7};
  CHECK(launch_for(shape, problem) == simt::Launch{{7, 7}, {32, 16}});  // ⌈200/32⌉ x ⌈100/16⌉
  shape = shape_of(32, 64, 8);
  CHECK(launch_for(shape, problem).grid == simt::Dim3{4, 4});
  CHECK(launch_for(shape, {64, 640, 1}).grid == simt::Dim3{10, 2});
  shape.grid_x_along_rows = true;
  CHECK(launch_for(shape, {64, 640, 1}).grid == simt::Dim3{2, 10});
}

TEST_CASE("the blocks' regions cover C, each element once") {
  for (const bool along_rows : {false, true}) {
    LaunchShape shape = shape_of(16, 32, 8);
    shape.grid_x_along_rows = along_rows;
    for (const Problem& problem : {Problem{1, 1, 1}, {16, 32, 8}, {33, 65, 9}, {127, 31, 2}}) {
      INFO(text(problem) << " " << along_rows);
      check_cover(shape, problem);
    }
  }
}

TEST_CASE("a size whose last tile ends beyond the largest int cannot be launched") {
  constexpr int largest = std::numeric_limits<int>::max();
  const LaunchShape shape = shape_of(32, 32, 32);
  CHECK(launch_for(shape, {largest - 31, 1, 1}).grid == simt::Dim3{1, 67108863});
  for (const Problem& problem : {Problem{largest, 1, 1}, {1, largest, 1}, {1, 1, largest}}) {
    const Error error = error_of([&] { launch_for(shape, problem); });
    CHECK(error.status() == ExitStatus::usage);
    CHECK(contains(error.what(), "2,147,483,647 in tiles of 32"));
    CHECK(contains(error.help(), "2,147,483,616"));
  }
}

}  // namespace gemm_tutor
