#include "course/tiling.hpp"

namespace gemm_tutor {
namespace {

std::vector<Note> notes() {
  return {
      {"constexpr int threads_x = BN / TN",
       "Fewer threads than elements of the tile: each thread owns a square of TM×TN."},
      {"a_tile[i + ty][k + tx] =",
       "For copying, the work is dealt out anew: neighbours copy neighbours, whatever they own."},
      {"__syncthreads();  // the tiles are full",
       "As in lesson 3: first all copy, then all compute."},
      {"sum[i][j] += a_tile[ty * TM + i][k] * b_tile[k][tx * TN + j];",
       "The thread's own square. The compiler sees that a value serves several sums, and reads it "
       "once."},
      {"const int row = row0 + ty * TM + i, column = column0 + tx * TN + j;",
       "Where in C the element i, j of the square lies."},
  };
}

std::vector<Question> questions() {
  return {
      {.id = "global-loads",
       .ask = "A block still computes 32×32 elements of C, with a quarter of lesson 3's threads. "
              "How many floats does the kernel load from global memory, compared with lesson 3?",
       .choices = {{"a quarter as many, as there are a quarter of the threads",
                    "load_floats == M·N·K/16/4"},
                   {"half as many, as each value serves two elements", "load_floats == M·N·K/16/2"},
                   {"just as many", "load_floats == M·N·K/16"}},
       .why = "How much a block loads depends on its tiles, and they reach as far as in lesson 3: "
              "{M·N·K}·(1/{BM} + 1/{BN}) = {M·N·K·(1/BM + 1/BN)} floats. What a thread keeps in "
              "registers saves reads of shared memory, one level further in.",
       .whole_tiles = true},
      {.id = "shared-requests",
       .ask = "In each inner step k a thread adds to its {TM}×{TN} sums, and reads every value "
              "that it needs for them once from shared memory. How many load requests to shared "
              "memory does a warp make in one step along K, that is in {BK} inner steps?",
       .unit = "requests",
       .work = "BK·(TM + TN)",
       .count = "shared_load_requests/(warps_total·steps)",
       .why = "In an inner step a thread reads {TM} values of A's tile and {TN} of B's, for "
              "{TM·TN} multiply-adds. If you said {2·TM·TN·BK}: so it stands in the source, two "
              "reads for each sum, but a value that is in a register is not read again."},
      {.id = "wavefronts",
       .ask = "Shared memory has 32 banks; word w lies in bank w mod 32, and in one wavefront each "
              "bank gives one word. In an inner step a warp (two rows of 16 threads) makes {TM} "
              "reads of `a_tile`, each of two words, {TM} rows of {BK} floats apart; and {TN} of "
              "`b_tile`, each of words in 16 different banks. How many wavefronts do these {TM + "
              "TN} reads take together?",
       .unit = "wavefronts",
       .work = "TM·2 + TN·1",
       .count = "shared_load_wavefronts/(warps_total·steps·BK)",
       .why = "The two words of A's tile are {TM}·{BK} = {TM·BK} words apart, and so in the same "
              "bank: each of those reads takes 2 wavefronts. Those of B's tile take 1. If you said "
              "{TM + TN}, you left out the bank conflicts."},
  };
}

}  // namespace

Lesson lesson_05_thread_tile() {
  Kernel kernel;
  kernel.name = "thread_tile";
  kernel.settings = {{"BM", 32}, {"BN", 32}, {"BK", 16}, {"TM", 2}, {"TN", 2}};
  kernel.shape = [](const Settings& s) {
    require_thread_tiles(s);
    // Each thread copies as many values of a tile as any other.
    require(s["BK"] % (s["BM"] / s["TM"]) == 0 && s["BK"] % (s["BN"] / s["TN"]) == 0, s,
            "BK is not a multiple of the block's sides, BM / TM and BN / TN");
    return tiled_shape(s, tile_floats(s));
  };
  kernel.traffic = tiled_traffic();
  kernel.notes = notes();
  kernel.questions = questions();

  Lesson lesson;
  lesson.kernels = {kernel};
  lesson.changes = 3;
  lesson.change =
      "As lesson 3, but a thread computes 2×2 elements of C: each value it reads from shared "
      "memory can serve two of them.";
  return lesson;
}

}  // namespace gemm_tutor
