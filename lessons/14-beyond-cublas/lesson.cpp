// Which settings the kernel has for which GPU and problem, and which others a search may try.
#include <algorithm>
#include <cstdint>
#include <functional>

#include "course/lesson.hpp"
#include "run/stream_k_schedule.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"

namespace gemm_tutor {
namespace {

// --- Which settings for which problem

// How a block's tile is shared among warps and threads, and what was fastest with it on an H200.
struct Tile {
  int bm, bn, wm, wn, tm, tn;
  int bk, stages, order;

  std::int64_t area() const { return std::int64_t{bm} * bn; }
  std::int64_t count(const Problem& p) const {
    return std::int64_t{ceil_divide(p.m, bm)} * ceil_divide(p.n, bn);
  }
};

// By default one of these. The larger the tile, the less there is to load for each multiply-add;
// but each multiprocessor should have one, and small problems have only few.
constexpr Tile large{128, 256, 64, 64, 8, 16, 4, 3, 2};
constexpr Tile medium{64, 128, 32, 32, 8, 4, 8, 4, 2};
constexpr Tile small{32, 64, 16, 32, 4, 4, 8, 4, 1};

// Others that a search may find to be faster.
constexpr Tile tiles_to_try[] = {
    large,
    {128, 256, 64, 64, 16, 8, 4, 3, 1},
    {256, 128, 64, 64, 8, 16, 8, 2, 2},
    {128, 128, 64, 64, 8, 16, 4, 4, 2},
    {128, 128, 32, 64, 8, 8, 8, 2, 3},
    {128, 128, 64, 32, 8, 8, 8, 2, 3},
    medium,
    {64, 128, 32, 32, 4, 8, 8, 4, 3},
    {64, 64, 32, 32, 8, 4, 8, 4, 2},
    {64, 64, 32, 32, 4, 8, 8, 4, 3},
    {32, 128, 32, 32, 4, 8, 8, 4, 3},
    {32, 64, 32, 16, 4, 4, 8, 4, 1},
    small,
};

Settings settings_of(const Tile& tile, int blocks) {
  return {{"BM", tile.bm}, {"BN", tile.bn},    {"BK", tile.bk},      {"WM", tile.wm},
          {"WN", tile.wn}, {"TM", tile.tm},    {"TN", tile.tn},      {"STAGES", tile.stages},
          {"GROUP", 8},    {"BLOCKS", blocks}, {"ORDER", tile.order}};
}

// Nine of ten multiprocessors at work are better than all of them, where that saves the second
// launch or lets all blocks share tiles alike.
bool are_enough(std::int64_t blocks, const simt::GpuSpec& gpu) {
  return 10 * blocks >= 9 * std::int64_t{gpu.multiprocessors};
}

// One block a multiprocessor; of few tiles, each shared by as many blocks as the others are. (Not
// of large tiles where B is copied float by float: at 2047 an H200 reached 96 % of cuBLAS with a
// whole tile for each of 128 blocks, and to 100 % with all 132.)
int blocks_for(const Tile& tile, const simt::GpuSpec& gpu, const Problem& problem) {
  const std::int64_t all = gpu.multiprocessors, tiles = tile.count(problem);
  if (tile.area() == large.area() && problem.n % 4 != 0) return gpu.multiprocessors;
  const std::int64_t alike = tiles < all ? all / tiles * tiles : all;
  const std::int64_t steps = ceil_divide(problem.k, tile.bk * tile.stages);
  return static_cast<int>(std::min(are_enough(alike, gpu) ? alike : all, tiles * steps));
}

const Tile& tile_for(const simt::GpuSpec& gpu, const Problem& problem) {
  if (are_enough(large.count(problem), gpu)) return large;
  return are_enough(medium.count(problem), gpu) ? medium : small;
}

Settings settings_for(const simt::GpuSpec& gpu, const Problem& problem) {
  const Tile& tile = tile_for(gpu, problem);
  return settings_of(tile, blocks_for(tile, gpu, problem));
}

// --- What a search may try

using Shape = std::function<LaunchShape(const Settings&)>;

// It keeps the constraints of lesson.toml.
bool is_valid(const Shape& shape, const Settings& settings) try {
  shape(settings);
  return true;
} catch (const Error&) {
  return false;
}

class Configurations {
 public:
  explicit Configurations(const Shape& shape) : shape_(shape) {}

  void add(Settings settings, std::initializer_list<Setting> changes = {}) {
    for (const auto& [name, value] : changes) settings.set(name, value);
    const bool is_there = std::ranges::find(all_, settings) != all_.end();
    if (!is_there && is_valid(shape_, settings)) all_.push_back(std::move(settings));
  }

  std::vector<Settings> take() && { return std::move(all_); }

 private:
  const Shape& shape_;
  std::vector<Settings> all_;
};

// BK and STAGES. Large tiles leave registers and shared memory for little more.
constexpr std::pair<int, int> rings[] = {{4, 3}, {4, 4}, {8, 2}, {8, 3}, {8, 4}, {16, 2}};

bool suits(const std::pair<int, int>& ring, const Tile& tile) {
  const int depth = ring.first * ring.second;
  return tile.tm * tile.tn > 64 ? depth <= 16 : depth >= 16;
}

constexpr int orders[] = {1, 2, 3};

// What is chosen by default, with other walks and numbers of blocks; and the tiles of about its
// area, each with other rings and other orders of the sums.
void add_likely(Configurations& result, const simt::GpuSpec& gpu, const Problem& problem) {
  const Tile& usual = tile_for(gpu, problem);
  const Settings chosen = settings_for(gpu, problem);
  result.add(chosen);
  for (const int rows : {4, 16}) result.add(chosen, {{"GROUP", rows}});
  const int all = gpu.multiprocessors;
  for (const int blocks : {all, 2 * all}) result.add(chosen, {{"BLOCKS", blocks}});
  for (const Tile& tile : tiles_to_try) {
    if (2 * tile.area() < usual.area() || tile.area() > 2 * usual.area()) continue;
    const Settings own = settings_of(tile, blocks_for(tile, gpu, problem));
    for (const int order : orders) result.add(own, {{"ORDER", order}});
    for (const auto& ring : rings) {
      if (suits(ring, tile)) result.add(own, {{"BK", ring.first}, {"STAGES", ring.second}});
    }
  }
}

// Tiles, numbers of blocks, rings and orders, each with each.
void add_all(Configurations& result, const simt::GpuSpec& gpu, const Problem& problem) {
  for (const Tile& tile : tiles_to_try) {
    const int usual = blocks_for(tile, gpu, problem), all = gpu.multiprocessors;
    for (const int blocks : {usual, all, 2 * all}) {
      for (const auto& [bk, stages] : rings) {
        if (!suits({bk, stages}, tile)) continue;
        for (const int order : orders) {
          result.add(settings_of(tile, blocks), {{"BK", bk}, {"STAGES", stages}, {"ORDER", order}});
        }
      }
    }
  }
}

std::vector<Settings> configurations(const Shape& shape, const simt::GpuSpec& gpu,
                                     const Problem& problem) {
  Configurations result(shape);
  add_likely(result, gpu, problem);
  add_all(result, gpu, problem);
  return std::move(result).take();
}

}  // namespace

void complete_lesson_14_beyond_cublas(Lesson& lesson) {
  Kernel& kernel = lesson.kernels.front();
  kernel.choose = settings_for;
  kernel.configurations = [shape = kernel.shape](const simt::GpuSpec& gpu, const Problem& problem) {
    return configurations(shape, gpu, problem);
  };
}

}  // namespace gemm_tutor
