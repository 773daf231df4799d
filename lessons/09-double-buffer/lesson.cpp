#include "course/tiling.hpp"

namespace gemm_tutor {
namespace {

Kernel through_registers() {
  Kernel kernel;
  kernel.name = "double_buffer";
  kernel.title = "the next tile waits in registers while this one is computed";
  kernel.settings = {{"BM", 128}, {"BN", 128}, {"BK", 8}, {"TM", 8}, {"TN", 8}};
  kernel.shape = [](const Settings& s) {
    require_pieces_of_four(s);
    const LaunchShape shape = tiled_shape(s, 2 * tile_floats(s));
    require_whole_loads(s, shape, 4);
    return shape;
  };
  kernel.traffic = tiled_traffic();
  kernel.has_whole_variant = true;
  return kernel;
}

Kernel in_shared() {
  Kernel kernel;
  kernel.name = "double_buffer_in_shared";
  kernel.title = "two shared buffers, and 2×2 elements a thread with float2 loads of B";
  kernel.settings = {{"BM", 32}, {"BN", 32}, {"BK", 16}, {"TM", 2}, {"TN", 2}};
  kernel.shape = [](const Settings& s) {
    require_one_load_a_thread(s, 2);
    return tiled_shape(s, 2 * tile_floats(s));
  };
  kernel.traffic = tiled_traffic();
  kernel.has_whole_variant = true;
  return kernel;
}

}  // namespace

Lesson lesson_09_double_buffer() {
  Lesson lesson;
  lesson.kernels = {through_registers(), in_shared()};
  lesson.change =
      "Two of each tile: the loads for the next step are on their way while this one is computed.";
  return lesson;
}

}  // namespace gemm_tutor
