#include "course/tiling.hpp"

namespace gemm_tutor {

Lesson lesson_01_naive_uncoalesced() {
  Kernel kernel;
  kernel.name = "naive_uncoalesced";
  kernel.shape = [](const Settings&) {
    LaunchShape shape = tiled_shape({{"BM", 32}, {"BN", 32}});
    shape.grid_x_along_rows = true;
    return shape;
  };
  kernel.traffic = untiled_traffic();

  Lesson lesson;
  lesson.kernels = {kernel};
  lesson.change = "The two outer loops are gone: every element of C has a thread of its own.";
  return lesson;
}

}  // namespace gemm_tutor
