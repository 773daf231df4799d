#include "course/tiling.hpp"

namespace gemm_tutor {

Lesson lesson_05_thread_tile() {
  Kernel kernel;
  kernel.name = "thread_tile";
  kernel.settings = {{"BM", 32}, {"BN", 32}, {"BK", 16}, {"TM", 2}, {"TN", 2}};
  kernel.shape = [](const Settings& s) {
    require_thread_tiles(s);
    // Each thread copies as many values of a tile as any other.
    require(s["BK"] % (s["BM"] / s["TM"]) == 0 && s["BK"] % (s["BN"] / s["TN"]) == 0, s,
            "BK is not a multiple of the block's sides, BM / TM and BN / TN");
    return tiled_shape(s, tile_floats(s));
  };
  kernel.traffic = tiled_traffic();

  Lesson lesson;
  lesson.kernels = {kernel};
  lesson.change =
      "As lesson 3, but a thread computes 2×2 elements of C: each value it reads from shared "
      "memory can serve two of them.";
  return lesson;
}

}  // namespace gemm_tutor
