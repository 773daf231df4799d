#include "course/tiling.hpp"

namespace gemm_tutor {
namespace {

Kernel float4_of_all() {
  Kernel kernel;
  kernel.name = "vectorized_loads";
  kernel.title = "float4 loads of A and of B, and stores of C";
  kernel.settings = {{"BM", 128}, {"BN", 128}, {"BK", 8}, {"TM", 8}, {"TN", 8}};
  kernel.shape = [](const Settings& s) {
    require_thread_tiles(s);
    require(s["BK"] % 4 == 0 && s["TN"] % 4 == 0, s, "BK and TN must be multiples of 4");
    const LaunchShape shape = tiled_shape(s, tile_floats(s));
    require_whole_loads(s, shape, 4);
    return shape;
  };
  kernel.traffic = tiled_traffic();
  kernel.has_whole_variant = true;
  return kernel;
}

Kernel float4_of_b() {
  Kernel kernel;
  kernel.name = "vectorized_b";
  kernel.title = "4×4 elements a thread, float4 loads of B alone";
  kernel.settings = {{"BM", 64}, {"BN", 64}, {"BK", 16}, {"TM", 4}, {"TN", 4}};
  kernel.shape = [](const Settings& s) {
    require_one_load_a_thread(s, 4);
    return tiled_shape(s, tile_floats(s));
  };
  kernel.traffic = tiled_traffic();
  kernel.has_whole_variant = true;
  return kernel;
}

}  // namespace

Lesson lesson_07_vectorized_loads() {
  Lesson lesson;
  lesson.kernels = {float4_of_all(), float4_of_b()};
  lesson.change =
      "A tile four times as large, and four floats to each load and store: a quarter of the "
      "memory instructions.";
  return lesson;
}

}  // namespace gemm_tutor
