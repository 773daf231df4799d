#include "course/tiling.hpp"

namespace gemm_tutor {
namespace {

Kernel async_copy() {
  Kernel kernel;
  kernel.name = "async_copy";
  kernel.settings = {{"BM", 128}, {"BN", 256}, {"BK", 4},  {"WM", 64},
                     {"WN", 64},  {"TM", 8},   {"TN", 16}, {"STAGES", 4}};
  kernel.shape = [](const Settings& s) {
    require_pieces_of_four(s);
    require_warp_tiles(s);
    require(s["STAGES"] > 1, s, "STAGES must be 2 or more: one to compute from, and one to fill");
    const std::int64_t padded_floats = tile_floats(s) + 4 * std::int64_t{s["BK"]};
    LaunchShape shape = tiled_shape(s, s["STAGES"] * padded_floats);
    shape.block = {shape.block.x * shape.block.y, 1};
    shape.tile_depth = s["STAGES"] * s["BK"];  // the ring goes round as a whole
    require_whole_copies(s, shape);
    return shape;
  };
  kernel.traffic = tiled_traffic();
  kernel.has_whole_variant = true;
  kernel.compute_capability = 80;
  return kernel;
}

}  // namespace

Lesson lesson_12_async_copy() {
  Lesson lesson;
  lesson.kernels = {async_copy()};
  lesson.change =
      "The tiles are copied to shared memory without registers in between, three steps ahead.";
  return lesson;
}

}  // namespace gemm_tutor
