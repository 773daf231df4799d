#include <fmt/format.h>

#include "course/lesson.hpp"
#include "support/error.hpp"

namespace gemm_tutor {
namespace {

// Each thread copies as many values of a tile as any other. (That a block has too many threads is
// said by whoever checks the launch.)
void check_tile(const Settings& s) {
  const bool too_large = std::int64_t{s["BM"]} * s["BN"] > 1024;
  if (too_large || (s["BK"] % s["BM"] == 0 && s["BK"] % s["BN"] == 0)) return;
  throw Error(
      ExitStatus::usage,
      fmt::format("BK={} is not a multiple of BM={} and of BN={}", s["BK"], s["BM"], s["BN"]),
      "Set all three alike, or BK to a multiple of the others.");
}

}  // namespace

Lesson lesson_03_shared_memory_tile() {
  Kernel kernel;
  kernel.name = "shared_memory_tile";
  kernel.settings = {{"BM", 32}, {"BN", 32}, {"BK", 32}};
  kernel.shape = [](const Settings& s) {
    check_tile(s);
    LaunchShape shape;
    shape.tile_rows = s["BM"];
    shape.tile_columns = s["BN"];
    shape.tile_depth = s["BK"];
    shape.block = {static_cast<std::uint32_t>(s["BN"]), static_cast<std::uint32_t>(s["BM"])};
    shape.static_shared_floats = std::int64_t{s["BM"]} * s["BK"] + std::int64_t{s["BK"]} * s["BN"];
    return shape;
  };
  kernel.traffic.loads = "M·N·K·(1/BM + 1/BN)";
  kernel.traffic.stores = "M·N";
  kernel.traffic.whole_tiles_only = true;
  kernel.traffic.load_floats = [](const Problem& p, const Settings& s) {
    const double products = 1.0 * p.m * p.n * p.k;
    return products / s["BM"] + products / s["BN"];
  };
  kernel.traffic.store_floats = [](const Problem& p, const Settings&) {
    return static_cast<double>(p.c_elements());
  };

  Lesson lesson;
  lesson.kernels = {kernel};
  lesson.change =
      "A block fetches each value of its tiles once, into shared memory, where all the threads "
      "that "
      "need it find it.";
  return lesson;
}

}  // namespace gemm_tutor
