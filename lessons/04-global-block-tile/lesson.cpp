#include "course/tiling.hpp"

namespace gemm_tutor {

Lesson lesson_04_global_block_tile() {
  Kernel kernel;
  kernel.name = "global_block_tile";
  kernel.settings = {{"BM", 128}, {"BN", 128}, {"TM", 8}, {"TN", 8}};
  kernel.shape = [](const Settings& s) {
    require_thread_tiles(s);
    return tiled_shape(s);
  };
  kernel.traffic = tiled_traffic("TM", "TN");

  Lesson lesson;
  lesson.kernels = {kernel};
  lesson.change =
      "Shared memory is gone again; a thread keeps a tile of C in registers and computes 64 "
      "elements instead of one.";
  return lesson;
}

}  // namespace gemm_tutor
