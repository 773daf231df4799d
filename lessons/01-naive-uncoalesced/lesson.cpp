#include "course/lesson.hpp"

namespace gemm_tutor {

Lesson lesson_01_naive_uncoalesced() {
  Kernel kernel;
  kernel.name = "naive_uncoalesced";
  kernel.shape = [](const Settings&) {
    LaunchShape shape;
    shape.block = {32, 32};
    shape.tile_rows = shape.tile_columns = 32;
    shape.grid_x_along_rows = true;
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
  lesson.change = "The two outer loops are gone: every element of C has a thread of its own.";
  return lesson;
}

}  // namespace gemm_tutor
