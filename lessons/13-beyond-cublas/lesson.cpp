#include <algorithm>
#include <cstdint>
#include <limits>

#include "course/stream_k_schedule.hpp"
#include "course/tiling.hpp"
#include "support/ceil_divide.hpp"
#include "support/error.hpp"

namespace gemm_tutor {
namespace {

LaunchShape shape(const Settings& s) {
  require(s["ORDER"] <= 3, s, "there are only the ORDERs 1, 2 and 3",
          "Give one of ORDER=1, 2 and 3.");
  require(2.0 * s["BLOCKS"] * s["BM"] * s["BN"] <= std::numeric_limits<int>::max(), s,
          "2·BLOCKS·BM·BN, the floats of the workspace, are more than an int counts");
  // So GROUP times the columns of tiles is less than N + BN.
  require(s["GROUP"] <= s["BN"], s, "GROUP must be at most BN");
  LaunchShape shape = ring_shape(s);
  require(std::int64_t{s["BM"]} * s["BN"] % floats_of_second_block == 0, s,
          "BM·BN must be a multiple of the 1,024 floats that a block of the second launch adds up");
  shape.stream_k = StreamK{.blocks = s["BLOCKS"], .group_rows = s["GROUP"]};
  return shape;
}

TrafficFormula traffic() {
  const auto parts = [](const Problem& p, const Settings& s) {
    return static_cast<double>(StreamKSchedule(shape(s), p).partial_pieces());
  };
  const TrafficFormula tiles = tiled_traffic();
  TrafficFormula formula = tiles;
  formula.loads += " + P·BM·BN";
  formula.stores += " + P·BM·BN";
  formula.load_floats = [=](const Problem& p, const Settings& s) {
    return tiles.load_floats(p, s) + parts(p, s) * s["BM"] * s["BN"];
  };
  formula.store_floats = [=](const Problem& p, const Settings& s) {
    return tiles.store_floats(p, s) + parts(p, s) * s["BM"] * s["BN"];
  };
  formula.symbol = {
      "P", "parts of tiles that the first launch stores, and the second one loads and adds up",
      parts};
  return formula;
}

// --- Which settings for which problem

// How a block's tile is dealt out to warps and threads, and what was fastest with it on an H200.
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
bool are_enough(std::int64_t blocks, const GpuSpec& gpu) {
  return 10 * blocks >= 9 * std::int64_t{gpu.multiprocessors};
}

// One block a multiprocessor; of few tiles, each shared by as many blocks as the others are. (Not
// of large tiles where B is copied float by float: at 2047 an H200 came to 96 % of cuBLAS with a
// whole tile for each of 128 blocks, and to 100 % with all 132.)
int blocks_for(const Tile& tile, const GpuSpec& gpu, const Problem& problem) {
  const std::int64_t all = gpu.multiprocessors, tiles = tile.count(problem);
  if (tile.area() == large.area() && problem.n % 4 != 0) return gpu.multiprocessors;
  const std::int64_t alike = tiles < all ? all / tiles * tiles : all;
  const std::int64_t steps = ceil_divide(problem.k, tile.bk * tile.stages);
  return static_cast<int>(std::min(are_enough(alike, gpu) ? alike : all, tiles * steps));
}

const Tile& tile_for(const GpuSpec& gpu, const Problem& problem) {
  if (are_enough(large.count(problem), gpu)) return large;
  return are_enough(medium.count(problem), gpu) ? medium : small;
}

Settings settings_for(const GpuSpec& gpu, const Problem& problem) {
  const Tile& tile = tile_for(gpu, problem);
  return settings_of(tile, blocks_for(tile, gpu, problem));
}

// --- What a search may try

bool has_shape(const Settings& settings) try {
  shape(settings);
  return true;
} catch (const Error&) {
  return false;
}

class Configurations {
 public:
  void add(Settings settings, std::initializer_list<Setting> changes = {}) {
    for (const auto& [name, value] : changes) settings.set(name, value);
    const bool is_there = std::ranges::find(all_, settings) != all_.end();
    if (!is_there && has_shape(settings)) all_.push_back(std::move(settings));
  }

  std::vector<Settings> take() && { return std::move(all_); }

 private:
  std::vector<Settings> all_;
};

// The tiles of about the area that is chosen by default, each with other rings and other orders of
// the sums; and of the default other walks and numbers of blocks. Not each with each, which would
// take too long to compile: what is best for one tile is seldom so for another.
std::vector<Settings> configurations(const GpuSpec& gpu, const Problem& problem) {
  const Tile& usual = tile_for(gpu, problem);
  Configurations result;
  for (const Tile& tile : tiles_to_try) {
    if (2 * tile.area() < usual.area() || tile.area() > 2 * usual.area()) continue;
    const Settings own = settings_of(tile, blocks_for(tile, gpu, problem));
    for (const int order : {1, 2, 3}) result.add(own, {{"ORDER", order}});
    for (const auto& [bk, stages] : {std::pair{4, 3}, {4, 4}, {8, 2}, {8, 4}, {16, 2}}) {
      const bool fits = tile.tm * tile.tn > 64 ? bk * stages <= 16 : bk * stages >= 16;
      if (fits) result.add(own, {{"BK", bk}, {"STAGES", stages}});
    }
  }
  const Settings own = settings_for(gpu, problem);
  for (const int rows : {4, 16}) result.add(own, {{"GROUP", rows}});
  const int all = gpu.multiprocessors;
  for (const int blocks : {all, 2 * all}) result.add(own, {{"BLOCKS", blocks}});
  return std::move(result).take();
}

// --- The texts

std::vector<Note> notes() {
  return {
      {"constexpr int lanes_m = WM / TM", "The warp's tile and its lanes are lesson 11's."},
      {"if (more) load((stage + STAGES - 1)",
       "The ring of lesson 12: its last stage but one has just been read, and is filled again."},
      {"compute(stage, stage == 0);",
       "The last turn is written out behind the loop, so that no branch in it asks whether there "
       "is more to copy."},
      {"const auto compute_rest = [&](int rest) {",
       "The k that are no whole step come here, so that no copy in the loop asks where K ends."},
      {"const Piece piece = piece_of<BLOCKS>",
       "What is this block's next: a whole tile, some steps of one, or nothing any more?"},
      {"tile_with<BM, BN, GROUP, inside>(piece.tile",
       "Where that tile lies; one that would reach over the edge is moved back inside."},
      {"store_part(partial + ",
       "Other blocks compute the rest of this tile, and the second launch adds it all up."},
  };
}

std::vector<Question> questions() {
  return {
      {.id = "shared-loads",
       .ask = "Several blocks may now share one tile of C: each computes some of its {steps} "
              "steps, and leaves a part of {BM·BN} floats for the second launch to load. (At this "
              "size {partial_pieces} parts; 0 means that no tile is shared.) And of A and B, is "
              "more loaded than if each tile were one block's?",
       .choices = {{"yes: each block that shares a tile loads all of its rows and columns",
                    "load_floats > M·N·K·(1/BM + 1/BN) + partial_pieces·BM·BN"},
                   {"no, as much: a step's values are loaded once, whoever computes it",
                    "load_floats == M·N·K·(1/BM + 1/BN) + partial_pieces·BM·BN"},
                   {"no, less: the blocks that share a tile load half of it each",
                    "load_floats < M·N·K·(1/BM + 1/BN) + partial_pieces·BM·BN"}},
       .why = "Each step of each tile belongs to one block, which loads its {BM·STAGES·BK} floats "
              "of A and {STAGES·BK·BN} of B, as always. Sharing costs what is stored and loaded in "
              "`partial`, nothing else.",
       .whole_tiles = true},
      {.id = "stores",
       .ask = "Blocks that share a tile store their parts of it, {BM}×{BN} floats each, to "
              "`partial`. At this size that is {partial_pieces} parts; 0 means that no tile is "
              "shared. How many floats do both launches store together?",
       .unit = "floats",
       .work = "M·N + partial_pieces·BM·BN",
       .count = "store_floats",
       .why = "The parts, and C: each element of C is stored once, by the block that computes its "
              "tile alone or by the second launch.",
       .whole_tiles = true},
      {.id = "multiply-adds",
       .ask = "M is {M} and N is {N}: that takes {tiles} tiles of {BM}×{BN} elements. Every one is "
              "computed whole, wherever the matrix ends. Along K, which is {K}, nothing is "
              "computed that is not there. How many multiply-adds do all threads do together?",
       .unit = "multiply-adds",
       .work = "tiles·BM·BN·K",
       .count = "ffma",
       .why =
           "M·N·K are {M·N·K}. What is more than that are elements that lie in two tiles, or in "
           "none of the matrix. The rest of K is computed one k at a time, and the second launch "
           "only adds."},
  };
}

Kernel beyond_cublas() {
  Kernel kernel;
  kernel.name = "beyond_cublas";
  kernel.second_pass = "add_partial_tiles";
  kernel.settings = settings_of(large, 132);  // for an H200 at 4096
  kernel.shape = shape;
  kernel.variant = [](const Settings& s, const Problem& p) {
    const bool inside = p.m >= s["BM"] && p.n >= s["BN"], wide = inside && p.n % 4 == 0;
    return std::vector<std::string>{inside ? "true" : "false", wide ? "true" : "false"};
  };
  kernel.traffic = traffic();
  kernel.compute_capability = 80;
  kernel.choose = settings_for;
  kernel.configurations = configurations;
  kernel.notes = notes();
  kernel.questions = questions();
  return kernel;
}

}  // namespace

Lesson lesson_13_beyond_cublas() {
  Lesson lesson;
  lesson.kernels = {beyond_cublas()};
  lesson.change =
      "A fixed number of blocks shares all tiles evenly; what cuts a tile is added up at the end.";
  return lesson;
}

}  // namespace gemm_tutor
