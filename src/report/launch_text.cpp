#include "report/launch_text.hpp"

#include <fmt/format.h>

#include "run/stream_k_schedule.hpp"
#include "support/text.hpp"
#include "view/units.hpp"

namespace gemm_tutor {
namespace {

std::string blocks_along(int size, int tile) {
  return fmt::format("⌈{} / {}⌉ = ", with_thousands(size), tile);
}

// A warp has 32 lanes even where a block has fewer threads.
std::string warps_text(const simt::Dim3& block) {
  const auto threads = static_cast<std::int64_t>(block.count());
  const std::int64_t warps = (threads + 31) / 32;
  return fmt::format("A block's {} {} {} of 32.", counted(threads, "thread"),
                     threads == 1 ? "is in" : "are", counted(warps, "warp"));
}

std::string tiles_text(const KernelRun& run, const LaunchShape& shape) {
  const Problem& p = run.problem;
  return fmt::format("C has {} and {}, and a tile has {} and {} of it", counted(p.m, "row"),
                     counted(p.n, "column"), counted(shape.tile_rows, "row"),
                     counted(shape.tile_columns, "column"));
}

// Of the tiles that are left when all blocks have had as many as each other.
std::string shared_text(const StreamKSchedule& schedule) {
  const std::int64_t left = schedule.tiles_shared();
  if (left == 0) return "";
  const std::int64_t steps = left * schedule.steps(), least = steps / schedule.blocks();
  const std::string each =
      steps % schedule.blocks() == 0
          ? counted(least, "step")
          : fmt::format("{} or {}", with_thousands(least), counted(least + 1, "step"));
  return fmt::format(
      " The {}{} {} {} along K{}, which all blocks share evenly: {} each. Where that cuts a tile, "
      "its parts wait in a workspace of {} until the second launch adds them up.",
      counted(left, "tile"), schedule.whole_waves() == 0 ? "" : " left", left == 1 ? "has" : "have",
      counted(steps, "step"), left == 1 ? "" : " together", each,
      human_bytes(sizeof(float) * static_cast<double>(schedule.workspace_floats())));
}

std::string shared_grid_text(const KernelRun& run, const LaunchShape& shape) {
  const StreamKSchedule schedule(shape, run.problem);
  const std::int64_t waves = schedule.whole_waves();
  return fmt::format("{}: that makes {}, for {}. {}{} {}", tiles_text(run, shape),
                     counted(schedule.tiles(), "tile"), counted(schedule.blocks(), "block"),
                     waves == 0
                         ? "There are more blocks than tiles."
                         : fmt::format("Each block computes {} alone.", counted(waves, "tile")),
                     shared_text(schedule), warps_text(run.launch->block));
}

}  // namespace

std::string place_text(const simt::Dim3& at) {
  return at.z == 0 ? fmt::format("({}, {})", at.x, at.y)
                   : fmt::format("({}, {}, {})", at.x, at.y, at.z);
}

std::string region_text(const Region& region) {
  return range_text("row", region.row_begin, region.row_end - 1) + ", " +
         range_text("column", region.column_begin, region.column_end - 1);
}

std::string grid_text(const LessonRun& run) {
  const LaunchShape shape = run.kernel->shape(run.settings);
  if (shape.stream_k) return shared_grid_text(run, shape);
  const Problem& p = run.problem;
  const simt::Dim3& grid = run.launch->grid;
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

std::int64_t blocks_at_once(const KernelRun& run) {
  if (!has_exact_occupancy(run) || !run.gpu) return 0;
  return std::int64_t{run.launch->occupancy.blocks_per_multiprocessor} * run.gpu->multiprocessors;
}

std::string residency_text(const KernelRun& run) {
  const std::int64_t at_once = blocks_at_once(run);
  if (at_once == 0) return "";
  const int here = run.launch->occupancy.blocks_per_multiprocessor;
  const auto blocks = static_cast<std::int64_t>(run.launch->grid.count());
  const std::string first =
      fmt::format("The {} has {} SMs, each with room for {}: {} at a time", run.gpu->full_name,
                  run.gpu->multiprocessors, counted(here, "block"), with_thousands(at_once));
  if (blocks < run.gpu->multiprocessors) {
    const std::int64_t idle = run.gpu->multiprocessors - blocks;
    return fmt::format("{}. There {} only {}, so {} {} nothing to do.", first,
                       blocks == 1 ? "is" : "are", with_thousands(blocks), counted(idle, "SM"),
                       idle == 1 ? "has" : "have");
  }
  if (blocks < at_once) {
    return fmt::format("{}. The grid has {}, so there is room for all of it at once.", first,
                       with_thousands(blocks));
  }
  return fmt::format("{}, so the grid fills them {:.1f} times.", first,
                     static_cast<double>(blocks) / static_cast<double>(at_once));
}

std::string registers_text(const KernelRun& run) {
  const bool known = run.launch && run.launch->resources.registers_per_thread > 0;
  return known ? std::to_string(run.launch->resources.registers_per_thread) : "";
}

std::string occupancy_text(const KernelRun& run) {
  return has_exact_occupancy(run) ? percent_text(100 * run.launch->occupancy.occupancy) : "";
}

bool has_exact_occupancy(const KernelRun& run) { return run.launch && run.launch->occupancy.exact; }

}  // namespace gemm_tutor
