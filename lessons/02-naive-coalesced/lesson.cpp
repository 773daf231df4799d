#include "course/lesson.hpp"

namespace gemm_tutor {

Lesson lesson_02_naive_coalesced() {
  Kernel kernel;
  kernel.name = "naive_coalesced";
  kernel.shape = [](const Settings&) {
    LaunchShape shape;
    shape.block = {32, 32};
    shape.tile_rows = shape.tile_columns = 32;
    shape.grid_x_along_rows = false;
    return shape;
  };
  kernel.traffic.loads = "2·M·N·K";
  kernel.traffic.stores = "M·N";
  kernel.traffic.load_floats = [](const Problem& p, const Settings&) { return p.flops(); };
  kernel.traffic.store_floats = [](const Problem& p, const Settings&) {
    return static_cast<double>(p.c_elements());
  };

  Lesson lesson;
  lesson.kernels = {kernel};
  lesson.change =
      "x and y changed places: a warp's threads now lie along a row, and read neighbouring "
      "elements "
      "of B.";
  return lesson;
}

}  // namespace gemm_tutor
