#include "course/shared_tiles.hpp"
#include "course/tiling.hpp"

namespace gemm_tutor {
namespace {

Kernel beyond_cublas() {
  Kernel kernel;
  kernel.name = "beyond_cublas";
  kernel.second_pass = "add_partial_tiles";
  kernel.settings = {{"BM", 128},  {"BN", 256},     {"BK", 4},   {"WM", 64},
                     {"WN", 64},   {"TM", 8},       {"TN", 16},  {"STAGES", 3},
                     {"GROUP", 8}, {"BLOCKS", 132}, {"ORDER", 2}};
  kernel.shape = [](const Settings& s) {
    require(s["ORDER"] <= 3, s, "there are only the ORDERs 1, 2 and 3");
    LaunchShape shape = ring_shape(s);
    shape.shared_tiles = SharedTiles{.blocks = s["BLOCKS"], .group_rows = s["GROUP"]};
    return shape;
  };
  kernel.variant = [](const Settings& s, const Problem& p) {
    const bool inside = p.m >= s["BM"] && p.n >= s["BN"], wide = inside && p.n % 4 == 0;
    return std::vector<std::string>{inside ? "true" : "false", wide ? "true" : "false"};
  };
  kernel.traffic = tiled_traffic();
  kernel.compute_capability = 80;
  return kernel;
}

}  // namespace

Lesson lesson_13_beyond_cublas() {
  Lesson lesson;
  lesson.kernels = {beyond_cublas()};
  lesson.change = "A grid of as many blocks as there is room for shares all tiles evenly.";
  return lesson;
}

}  // namespace gemm_tutor
