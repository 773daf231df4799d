// The rows and columns of C that a thread computes, as far as they follow from the launch.
#pragma once

#include "course/lesson.hpp"

namespace gemm_tutor {

struct ThreadTile {
  int rows = 1, columns = 1;
};

// Returns 1×1 if the threads' x and y do not divide the tile's rows and columns. In a block with
// threads only along x, the kernel may divide them in any way.
inline ThreadTile thread_tile_of(const LaunchShape& shape) {
  const auto x = static_cast<int>(shape.block.x), y = static_cast<int>(shape.block.y);
  const int down = shape.grid_x_along_rows ? x : y, across = shape.grid_x_along_rows ? y : x;
  const bool in_a_line = (down == 1) != (across == 1);
  if (in_a_line && shape.tile_rows > 1 && shape.tile_columns > 1) return {};
  if (shape.tile_rows % down != 0 || shape.tile_columns % across != 0) return {};
  return {shape.tile_rows / down, shape.tile_columns / across};
}

}  // namespace gemm_tutor
