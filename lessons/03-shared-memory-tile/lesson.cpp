#include "course/tiling.hpp"

namespace gemm_tutor {

Lesson lesson_03_shared_memory_tile() {
  Kernel kernel;
  kernel.name = "shared_memory_tile";
  kernel.settings = {{"BM", 32}, {"BN", 32}, {"BK", 32}};
  kernel.shape = [](const Settings& s) {
    // Each thread copies as many values of a tile as any other. (That a block has too many threads
    // is said by whoever checks the launch.)
    if (std::int64_t{s["BM"]} * s["BN"] <= 1024) {
      require_multiple(s, "BK", "BM");
      require_multiple(s, "BK", "BN");
    }
    return tiled_shape(s, tile_floats(s));
  };
  kernel.traffic = tiled_traffic();

  Lesson lesson;
  lesson.kernels = {kernel};
  lesson.change =
      "A block fetches each value of its tiles once, into shared memory, for all its threads.";
  return lesson;
}

}  // namespace gemm_tutor
