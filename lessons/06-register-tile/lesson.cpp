#include "course/tiling.hpp"

namespace gemm_tutor {
namespace {

std::vector<Note> notes() {
  return {
      {"float a_tile[BM][BK + 1];",
       "Each row is one float longer than it needs to be; that float is never used."},
      {"const int e = thread + l * threads, i = e / BK",
       "Element number e of the tile: consecutive threads copy consecutive elements."},
      {"a[i] = a_tile[ty * TM + i][k];",
       "TM values of a column of A's tile, each read once from shared memory…"},
      {"b[j] = b_tile[k][tx * TN + j];", "…and TN values of a row of B's."},
      {"sum[i][j] += a[i] * b[j];", "All these multiply-adds touch nothing but registers."},
      {"__syncthreads();  // nobody needs them any more",
       "Two barriers a step, as in lessons 3 and 5; but far more work between them."},
  };
}

std::vector<Question> questions() {
  return {
      {.id = "loads",
       .ask =
           "A block now computes {BM}×{BN} elements of C, in steps of {BK} along K. With M = {M}, "
           "N = {N} and K = {K}, how many floats does the kernel load from global memory in all?",
       .unit = "floats",
       .work = "M·N·K·(1/BM + 1/BN)",
       .count = "load_floats",
       .why = "A block loads {BM} rows of A and {BN} columns of B, {K} floats each, and there are "
              "{blocks} blocks. With 32×32, as in lesson 5, it would be {M·N·K/16}. The step of "
              "{BK} and the {TM}×{TN} elements of a thread do not come into it.",
       .whole_tiles = true},
      {.id = "padding",
       .ask = "A warp's read of `a_tile[ty * TM + i][k]` wants one word from each of four rows of "
              "the tile, {TM} rows apart; and a row is {BK + 1} words long, padding included. How "
              "many wavefronts does it take?",
       .choices = {{"one: the four words are in four banks",
                    "shared_load_wavefronts == shared_load_requests"},
                   {"two: they are in two banks",
                    "shared_load_wavefronts == 2·shared_load_requests"},
                   {"four: they are all in one bank",
                    "shared_load_wavefronts == 4·shared_load_requests"}},
       .why = "The words are {TM}·{BK + 1} = {TM·(BK + 1)} apart, which is {TM} banks further each "
              "time. Without the padding they would be {TM}·{BK} = {TM·BK} apart, a multiple of "
              "32: all in one bank.",
       .line = "a[i] = a_tile[ty * TM + i][k];"},
      {.id = "wavefronts-of-b",
       .ask = "`b_tile` is not padded. A warp's read of `b_tile[k][tx * TN + j]` wants {BN/TN} "
              "words of one row, {TN} apart (each for four threads, which costs nothing extra). "
              "How many wavefronts does it take?",
       .unit = "wavefronts",
       .work = "(BN/TN)/(32/TN)",
       .count = "shared_load_wavefronts/shared_load_requests",
       .why = "Going {TN} words at a time you meet 32/{TN} = {32/TN} different banks, then the "
              "first one again: {BN/TN} words in {32/TN} banks. Padding would not help here, as "
              "all the words are in one row.",
       .line = "b[j] = b_tile[k][tx * TN + j];"},
  };
}

}  // namespace

Lesson lesson_06_register_tile() {
  Kernel kernel;
  kernel.name = "register_tile";
  kernel.settings = {{"BM", 64}, {"BN", 64}, {"BK", 8}, {"TM", 8}, {"TN", 8}};
  kernel.shape = [](const Settings& s) {
    require_thread_tiles(s);
    const LaunchShape shape = tiled_shape(s, tile_floats(s) + s["BM"]);  // and the padding
    require_whole_loads(s, shape, 1);
    return shape;
  };
  kernel.traffic = tiled_traffic();
  kernel.notes = notes();
  kernel.questions = questions();

  Lesson lesson;
  lesson.kernels = {kernel};
  lesson.change =
      "8×8 elements a thread instead of 2×2: 16 values in registers feed 64 multiply-adds.";
  return lesson;
}

}  // namespace gemm_tutor
