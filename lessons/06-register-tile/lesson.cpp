#include "course/tiling.hpp"

namespace gemm_tutor {

Lesson lesson_06_register_tile() {
  Kernel kernel;
  kernel.name = "register_tile";
  kernel.settings = {{"BM", 64}, {"BN", 64}, {"BK", 8}, {"TM", 8}, {"TN", 8}};
  kernel.shape = [](const Settings& s) {
    require_thread_tiles(s);
    const LaunchShape shape = tiled_shape(s, tile_floats(s) + s["BM"]);  // and the padding
    require_whole_loads(s, shape, 1);
    return shape;
  };
  kernel.traffic = tiled_traffic();

  Lesson lesson;
  lesson.kernels = {kernel};
  lesson.change =
      "8×8 elements a thread instead of 2×2: 16 values in registers feed 64 multiply-adds.";
  return lesson;
}

}  // namespace gemm_tutor
