#include "course/tiling.hpp"

namespace gemm_tutor {
namespace {

Kernel quadrants() {
  Kernel kernel;
  kernel.name = "bank_conflicts";
  kernel.title = "A transposed in shared memory, and a thread's 8×8 elements in four 4×4 pieces";
  kernel.settings = {{"BM", 128}, {"BN", 128}, {"BK", 16}, {"TM", 8}, {"TN", 8}};
  kernel.shape = [](const Settings& s) {
    require_pieces_of_four(s);
    const LaunchShape shape = tiled_shape(s, tile_floats(s));
    require_whole_loads(s, shape, 4);
    return shape;
  };
  kernel.traffic = tiled_traffic();
  kernel.has_whole_variant = true;
  return kernel;
}

Kernel padded(const char* name, const char* title) {
  Kernel kernel;
  kernel.name = name;
  kernel.title = title;
  kernel.settings = {{"BM", 32}, {"BN", 32}, {"BK", 16}, {"TM", 2}, {"TN", 2}, {"PAD", 1}};
  kernel.shape = [](const Settings& s) {
    require_one_load_a_thread(s, 2);
    const std::int64_t padding = s["PAD"] * (std::int64_t{s["BM"]} + s["BK"]);
    return tiled_shape(s, tile_floats(s) + padding);
  };
  kernel.traffic = tiled_traffic();
  kernel.has_whole_variant = true;
  return kernel;
}

}  // namespace

Lesson lesson_08_bank_conflicts() {
  Lesson lesson;
  lesson.kernels = {
      quadrants(), padded("padded_tiles", "2×2 elements a thread from tiles with padded rows"),
      padded("padded_tiles_in_registers", "the same, its values taken into registers first")};
  lesson.change =
      "The same loads from global memory, but no two lanes want different words of one bank of "
      "shared memory when they read.";
  return lesson;
}

}  // namespace gemm_tutor
