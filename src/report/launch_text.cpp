#include "report/launch_text.hpp"

#include <fmt/format.h>

#include "report/units.hpp"
#include "support/text.hpp"

namespace gemm_tutor {
std::string grid_text(const KernelRun& run) {
  const LaunchShape shape = run.kernel->shape(run.settings);
  const Problem& p = run.problem;
  const Dim3& grid = run.launch->grid;
  const std::int64_t down = shape.grid_x_along_rows ? grid.x : grid.y;
  const std::int64_t across = shape.grid_x_along_rows ? grid.y : grid.x;
  return fmt::format(
      "C has {} and {}, and a block computes {} of each by {}: that takes ⌈{} / {}⌉ = {} blocks "
      "down and ⌈{} / {}⌉ = {} across, {} in all. A block's {} are {} of 32.",
      counted(p.m, "row"), counted(p.n, "column"), shape.tile_rows, shape.tile_columns,
      with_thousands(p.m), shape.tile_rows, with_thousands(down), with_thousands(p.n),
      shape.tile_columns, with_thousands(across), counted(down * across, "block"),
      counted(static_cast<std::int64_t>(run.launch->block.count()), "thread"),
      counted((static_cast<std::int64_t>(run.launch->block.count()) + 31) / 32, "warp"));
}

std::string residency_text(const KernelRun& run) {
  const int here = run.occupancy->blocks_per_multiprocessor;
  const std::int64_t at_once = std::int64_t{here} * run.gpu->multiprocessors;
  const auto blocks = static_cast<std::int64_t>(run.launch->grid.count());
  if (at_once == 0) return "";
  const std::string first = fmt::format(
      "The {} has {} multiprocessors, each with room for {}: {} at a time", run.gpu->full_name,
      run.gpu->multiprocessors, counted(here, "block"), with_thousands(at_once));
  if (blocks < run.gpu->multiprocessors) {
    return fmt::format("{}. There are only {}, so {} multiprocessors have nothing to do.", first,
                       with_thousands(blocks), run.gpu->multiprocessors - blocks);
  }
  return fmt::format("{}, so the grid fills them {:.1f} times.", first,
                     static_cast<double>(blocks) / static_cast<double>(at_once));
}

}  // namespace gemm_tutor
