#include "report/launch_text.hpp"

#include <fmt/format.h>

#include "report/units.hpp"
#include "support/text.hpp"

namespace gemm_tutor {
namespace {

std::string blocks_along(int size, int tile) {
  return fmt::format("⌈{} / {}⌉ = ", with_thousands(size), tile);
}

// A warp has 32 lanes even where a block has fewer threads.
std::string warps_text(const Dim3& block) {
  const auto threads = static_cast<std::int64_t>(block.count());
  const std::int64_t warps = (threads + 31) / 32;
  return fmt::format("A block's {} {} {} of 32.", counted(threads, "thread"),
                     threads == 1 ? "is in" : "are", counted(warps, "warp"));
}

}  // namespace

std::string grid_text(const KernelRun& run) {
  const LaunchShape shape = run.kernel->shape(run.settings);
  const Problem& p = run.problem;
  const Dim3& grid = run.launch->grid;
  const std::int64_t down = shape.grid_x_along_rows ? grid.x : grid.y;
  const std::int64_t across = shape.grid_x_along_rows ? grid.y : grid.x;
  return fmt::format(
      "C has {} and {}, and a block computes {} and {} of it: that takes {}{} down and {}{} "
      "across, "
      "{} in all. {}",
      counted(p.m, "row"), counted(p.n, "column"), counted(shape.tile_rows, "row"),
      counted(shape.tile_columns, "column"), blocks_along(p.m, shape.tile_rows),
      counted(down, "block"), blocks_along(p.n, shape.tile_columns), with_thousands(across),
      counted(down * across, "block"), warps_text(run.launch->block));
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
    const std::int64_t idle = run.gpu->multiprocessors - blocks;
    return fmt::format("{}. There {} only {}, so {} {} nothing to do.", first,
                       blocks == 1 ? "is" : "are", with_thousands(blocks),
                       counted(idle, "multiprocessor"), idle == 1 ? "has" : "have");
  }
  if (blocks < at_once) {
    return fmt::format("{}. The grid has {}, so there is room for all of it at once.", first,
                       with_thousands(blocks));
  }
  return fmt::format("{}, so the grid fills them {:.1f} times.", first,
                     static_cast<double>(blocks) / static_cast<double>(at_once));
}

}  // namespace gemm_tutor
