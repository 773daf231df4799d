#include "course/tiling.hpp"

namespace gemm_tutor {

Lesson lesson_02_naive_coalesced() {
  Kernel kernel;
  kernel.name = "naive_coalesced";
  kernel.shape = [](const Settings&) { return tiled_shape({{"BM", 32}, {"BN", 32}}); };
  kernel.traffic = untiled_traffic();

  Lesson lesson;
  lesson.kernels = {kernel};
  lesson.change =
      "x and y changed places: a warp's threads now lie along a row, and read neighbours in B.";
  return lesson;
}

}  // namespace gemm_tutor
