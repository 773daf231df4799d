#include "report/launch_text.hpp"

#include "catch.hpp"
#include "sample_run.hpp"
#include "view/text_checks.hpp"

using namespace gemm_tutor;

namespace {

// With one thread for each element of a block's tile.
std::string sentence(const Problem& problem, int rows, int columns) {
  Sample sample = emulated_sample();
  LaunchShape shape;
  shape.block = {static_cast<std::uint32_t>(columns), static_cast<std::uint32_t>(rows), 1};
  shape.tile_rows = rows;
  shape.tile_columns = columns;
  sample.lesson->kernels[0].shape = [shape](const Settings&) { return shape; };
  sample.run.kernel = &sample.lesson->kernels[0];
  sample.run.problem = problem;
  sample.run.launch = KernelLaunch{launch_for(shape, problem)};
  return grid_text(sample.run);
}

std::string residency(std::uint32_t blocks) {
  Sample sample = emulated_sample();
  simt::GpuSpec gpu;
  gpu.full_name = "GPU";
  gpu.multiprocessors = 4;
  sample.run.gpu = gpu;
  sample.run.launch->occupancy.blocks_per_multiprocessor = 2;
  sample.run.launch->grid = {blocks, 1, 1};
  return residency_text(sample.run);
}

}  // namespace

TEST_CASE("the grid's arithmetic, in the words for one and for several") {
  CHECK(sentence({100, 64, 8}, 32, 16) ==
        "C has 100 rows and 64 columns, and a block computes 32 rows and 16 columns of it: that "
        "takes ⌈100 / 32⌉ = 4 blocks down and ⌈64 / 16⌉ = 4 across, 16 blocks in all. A block's "
        "512 threads are 16 warps of 32.");
  CHECK(sentence({1, 1, 1}, 1, 1) ==
        "C has 1 row and 1 column, and a block computes 1 row and 1 column of it: that takes ⌈1 / "
        "1⌉ = 1 block down and ⌈1 / 1⌉ = 1 across, 1 block in all. A block's 1 thread is in 1 warp "
        "of 32.");
}

TEST_CASE("a grid that fills the GPU, one with room left, and one too small for it") {
  const std::string room = "The GPU has 4 SMs, each with room for 2 blocks: 8 at a time";
  CHECK(residency(20) == room + ", so the grid fills them 2.5 times.");
  CHECK(residency(8) == room + ", so the grid fills them 1.0 times.");
  CHECK(residency(7) == room + ". The grid has 7, so there is room for all of it at once.");
  CHECK(residency(3) == room + ". There are only 3, so 1 SM has nothing to do.");
  CHECK(residency(1) == room + ". There is only 1, so 3 SMs have nothing to do.");
}

TEST_CASE("a grid that shares tiles is told by its tiles and steps") {
  const auto told = [](const Problem& problem, int blocks) {
    Sample sample = emulated_sample();
    LaunchShape shape;
    shape.block = {64};
    shape.tile_rows = shape.tile_columns = 16;
    shape.tile_depth = 4;
    shape.stream_k = StreamK{blocks, 1};
    sample.lesson->kernels[0].shape = [shape](const Settings&) { return shape; };
    sample.run.kernel = &sample.lesson->kernels[0];
    sample.run.problem = problem;
    sample.run.launch = KernelLaunch{launch_for(shape, problem)};
    return grid_text(sample.run);
  };
  CHECK(
      told({64, 64, 64}, 3) ==
      "C has 64 rows and 64 columns, and a tile has 16 rows and 16 columns of it: that makes 16 "
      "tiles, for 3 blocks. Each block computes 5 tiles alone. The 1 tile left has 16 steps along "
      "K, which all blocks share evenly: 5 or 6 steps each. Where that cuts a tile, its parts "
      "wait in a workspace of 6 KiB until the second launch adds them up. A block's 64 threads "
      "are 2 warps of 32.");
  CHECK(told({16, 48, 64}, 4) ==
        "C has 16 rows and 48 columns, and a tile has 16 rows and 16 columns of it: that makes 3 "
        "tiles, for 4 blocks. There are more blocks than tiles. The 3 tiles have 48 steps along K "
        "together, which all blocks share evenly: 12 steps each. Where that cuts a tile, its parts "
        "wait in a workspace of 8 KiB until the second launch adds them up. A block's 64 threads "
        "are 2 warps of 32.");
  CHECK(told({16, 48, 64}, 1) ==
        "C has 16 rows and 48 columns, and a tile has 16 rows and 16 columns of it: that makes 3 "
        "tiles, for 1 block. Each block computes 3 tiles alone. A block's 64 threads are 2 warps "
        "of 32.");
}
