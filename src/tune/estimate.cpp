#include "tune/estimate.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

#include "model/occupancy.hpp"

namespace gemm_tutor {
namespace {

// Cycles until a load from global memory has come: between the 287 of a hit in the L2 cache and the
// 682 of a miss, one load after the other on an NVIDIA H200 (2026-11-21). Other GPUs are near
// enough for a ranking.
constexpr double global_latency = 480;
// The same from shared memory; assumed.
constexpr double shared_latency = 30;
constexpr double issued_a_cycle = 4;  // instructions, by the four schedulers of a multiprocessor
constexpr double lanes = 32;          // of a warp
constexpr double bytes_of_float = sizeof(float);
// A thread's registers beside its sums and the values that it multiplies: addresses, counters.
constexpr int other_registers = 40, most_registers = 255;
// Instructions for four floats on their way to shared memory: the copy, and its address.
constexpr double instructions_a_copy = 2;
// Of a step along K of any size: the loop, the barrier, the ring's next buffer.
constexpr double instructions_a_step = 12;

double quotient_up(double value, double divisor) { return std::ceil(value / divisor); }

// The tiles of a kernel as the model needs them.
struct Tiles {
  double bm, bn, bk, tm, tn;  // of a block, and of a thread
  double wm, wn;              // of a warp
  double threads;             // of a block
  double stages;              // buffers of each tile in shared memory
  double rows, columns;       // of tiles in C
  double steps;               // along K
  double group;               // rows of tiles that are walked together

  double count() const { return rows * columns; }
  double warps() const { return quotient_up(threads, lanes); }
};

Tiles tiles_of(const Settings& settings, const LaunchShape& shape, const Problem& problem) {
  Tiles tiles{};
  tiles.bm = shape.tile_rows;
  tiles.bn = shape.tile_columns;
  tiles.bk = settings.value_or("BK", shape.tile_depth);  // a shape may count a whole ring
  tiles.tm = settings.value_or("TM", 1);
  tiles.tn = settings.value_or("TN", 1);
  tiles.threads = static_cast<double>(shape.block.count());
  // Without a warp's tile of its own, its lanes are the block's threads row by row.
  const double across = std::min(lanes, std::max(1.0, tiles.bn / tiles.tn));
  tiles.wn = settings.value_or("WN", static_cast<int>(across * tiles.tn));
  tiles.wm = settings.value_or("WM", static_cast<int>(lanes / across * tiles.tm));
  tiles.stages = settings.value_or("STAGES", 2);
  tiles.rows = quotient_up(problem.m, tiles.bm);
  tiles.columns = quotient_up(problem.n, tiles.bn);
  tiles.steps = quotient_up(problem.k, tiles.bk);
  tiles.group = shape.stream_k ? shape.stream_k->group_rows : 1;
  return tiles;
}

KernelResources assumed_resources(const Tiles& tiles, const LaunchShape& shape,
                                  const GpuSpec& gpu) {
  KernelResources resources;
  const double values = tiles.tm * tiles.tn + 2 * (tiles.tm + tiles.tn);
  resources.registers_per_thread =
      std::min(most_registers, static_cast<int>(values) + other_registers);
  // A larger block is only possible with fewer, and then the compiler has to do with those.
  const int room = static_cast<int>(gpu.registers_per_block / (tiles.warps() * lanes)) / 8 * 8;
  resources.registers_per_thread = std::min(resources.registers_per_thread, room);
  resources.static_shared_bytes =
      static_cast<int>(std::min<std::int64_t>(shape.static_shared_floats, 1 << 24) * sizeof(float));
  return resources;
}

// Of one step along K of one tile, in a multiprocessor that does nothing else.
struct Step {
  double ffma, instructions, wavefronts;      // of all warps of the block
  double arithmetic, issue, shared, waiting;  // cycles

  double cycles() const { return std::max({arithmetic, issue, shared, waiting}); }
};

Step step_of(const Tiles& tiles, const GpuSpec& gpu, double resident) {
  Step step{};
  const double lanes_there = gpu.fp32_lanes_per_multiprocessor;
  const double loads = tiles.warps() * tiles.bk * (tiles.tm + tiles.tn) / 4;
  const double copied = tiles.bk * (tiles.bm + tiles.bn);  // floats
  step.ffma = tiles.warps() * tiles.bk * tiles.tm * tiles.tn;
  step.instructions = step.ffma + loads + instructions_a_copy * copied / 4 / lanes +
                      instructions_a_step * tiles.warps();
  const double words = tiles.warps() * tiles.bk * (tiles.wm + tiles.wn);  // that warps read
  step.wavefronts = std::max(loads, words / lanes) + copied / lanes;

  step.arithmetic = step.ffma * lanes / lanes_there;
  step.issue = step.instructions / issued_a_cycle;
  step.shared = step.wavefronts;
  // While one block waits, the others that are resident have their step to do.
  const double at_barrier = shared_latency / resident;
  const double ahead = std::max(1.0, tiles.stages - 1);
  const double busy = std::max({step.arithmetic, step.issue, step.shared});
  step.waiting = std::max(busy + at_barrier, global_latency / ahead / resident);
  return step;
}

// How the tiles fall to the multiprocessors.
struct Schedule {
  double tiles_of_busiest;  // of one multiprocessor; blocks that share tiles have parts of them
  double at_once;           // tiles computed at the same time
  double resident;          // blocks on a multiprocessor
  double shared_bytes = 0;  // written and read again because blocks share tiles
};

Schedule one_block_a_tile(const Tiles& tiles, const GpuSpec& gpu, double fit) {
  const double sms = gpu.multiprocessors;
  const double most = quotient_up(tiles.count(), sms);
  return {.tiles_of_busiest = most,
          .at_once = std::min(tiles.count(), sms * fit),
          .resident = std::min(fit, most)};
}

// Whole waves of `blocks`, and what is left shared evenly.
Schedule stream_k(const Tiles& tiles, const GpuSpec& gpu, double fit, double blocks) {
  const double waves = std::floor(tiles.count() / blocks);
  const double left = tiles.count() - waves * blocks;
  const double on_busiest = quotient_up(blocks, gpu.multiprocessors);
  const double pieces = left > 0 ? 2 * blocks : 0;  // at most
  return {.tiles_of_busiest = on_busiest * tiles.count() / blocks,
          .at_once = std::min(blocks, tiles.count()),
          .resident = std::min(fit, on_busiest),
          .shared_bytes =
              (2 * std::min(pieces, blocks + left) + left) * tiles.bm * tiles.bn * bytes_of_float};
}

// Each group of tiles that are computed at the same time brings its rows of A and columns of B from
// memory once. No matrix is brought less than once.
double bytes_of_memory(const Tiles& tiles, const Problem& problem, double at_once) {
  const double rows = std::min({tiles.rows, tiles.group, at_once});
  const double columns = std::min(tiles.columns, quotient_up(at_once, rows));
  const double all_rows = std::min(tiles.rows, quotient_up(at_once, columns));
  const double a_time = (all_rows * tiles.bm + columns * tiles.bn) * problem.k * bytes_of_float;
  const double times = tiles.count() / std::min(at_once, all_rows * columns);
  const double stores = static_cast<double>(problem.c_elements()) * bytes_of_float;
  return std::max(problem.bytes(), times * a_time + stores);
}

Limit longest(const Estimate& e, double total_ms) {
  const std::array<std::pair<double, Limit>, 4> terms = {{{e.arithmetic_ms, Limit::arithmetic},
                                                          {e.instructions_ms, Limit::instructions},
                                                          {e.shared_ms, Limit::shared_memory},
                                                          {e.waiting_ms, Limit::waiting}}};
  if (e.memory_ms + e.second_launch_ms >= total_ms) return Limit::memory;
  const double step_ms = std::max({e.arithmetic_ms, e.instructions_ms, e.shared_ms, e.waiting_ms});
  constexpr double much = 0.8;
  if (e.balance < much) return Limit::idle;
  // The barrier always adds a little to the longest of the others: that alone is no reason.
  const double busy_ms = std::max({e.arithmetic_ms, e.instructions_ms, e.shared_ms});
  const bool waits = busy_ms < much * step_ms;
  for (const auto& [ms, limit] : terms) {
    if (ms == (waits ? step_ms : busy_ms)) return limit;
  }
  return Limit::waiting;
}

}  // namespace

std::string_view words_for(Limit limit) {
  constexpr std::array<std::string_view, 6> words = {"arithmetic", "instructions", "shared memory",
                                                     "waiting",    "idle SMs",     "memory"};
  return words[static_cast<std::size_t>(limit)];
}

Estimate estimate(const Kernel& kernel, const Settings& settings, const GpuSpec& gpu,
                  const Problem& problem) {
  const LaunchShape shape = kernel.shape(settings);
  const Tiles tiles = tiles_of(settings, shape, problem);
  const KernelResources resources = assumed_resources(tiles, shape, gpu);
  const Occupancy fit = occupancy(gpu, resources, launch_for(shape, problem));
  const double blocks_that_fit = std::max(1, fit.blocks_per_multiprocessor);
  const Schedule schedule = shape.stream_k
                                ? stream_k(tiles, gpu, blocks_that_fit, shape.stream_k->blocks)
                                : one_block_a_tile(tiles, gpu, blocks_that_fit);
  const Step step = step_of(tiles, gpu, schedule.resident);

  const double ms_a_cycle = 1 / (gpu.clock_ghz * 1e6);
  const double ms_a_step = schedule.tiles_of_busiest * tiles.steps * ms_a_cycle;
  const double ms_a_byte = 1e3 / gpu.memory_bandwidth;
  Estimate result;
  result.arithmetic_ms = step.arithmetic * ms_a_step;
  result.instructions_ms = step.issue * ms_a_step;
  result.shared_ms = step.shared * ms_a_step;
  result.waiting_ms = step.waiting * ms_a_step;
  result.memory_ms = bytes_of_memory(tiles, problem, schedule.at_once) * ms_a_byte;
  result.second_launch_ms = schedule.shared_bytes * ms_a_byte;
  result.milliseconds =
      std::max(step.cycles() * ms_a_step, result.memory_ms) + result.second_launch_ms;
  result.balance = tiles.count() / (schedule.tiles_of_busiest * gpu.multiprocessors);
  result.ffma_share = step.ffma / step.instructions;
  result.wavefronts_per_ffma = step.wavefronts / step.ffma;
  result.waves = tiles.count() /
                 (shape.stream_k ? shape.stream_k->blocks : blocks_that_fit * gpu.multiprocessors);
  result.blocks_per_multiprocessor = fit.blocks_per_multiprocessor;
  result.occupancy = fit.occupancy;
  result.registers_per_thread = resources.registers_per_thread;
  result.limited_by = longest(result, result.milliseconds);
  return result;
}

}  // namespace gemm_tutor
