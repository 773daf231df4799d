#include "course/tiling.hpp"

namespace gemm_tutor {
namespace {

std::vector<Note> notes() {
  return {
      {"const int row = blockIdx.y * BM + threadIdx.y * TM;",
       "Here the thread's own tile of C begins, TM rows by TN columns."},
      {"float sum[TM][TN] = {};", "All sums of the thread's tile, each in a register of its own."},
      {"a[i] = row + i < M", "TM values of a column of A, straight from global memory."},
      {"b[j] = column + j < N",
       "TN values of a row of B; the next thread in x begins TN columns further."},
      {"sum[i][j] += a[i] * b[j];",
       "Each value of A meets each value of B, and no memory is touched."},
      {"C[(row + i) * N + column + j] = sum[i][j];",
       "At the end the thread stores its tile, one element after the other."},
  };
}

std::vector<Question> questions() {
  return {
      {.id = "blocks",
       .ask = "A block now computes {BM}×{BN} elements of C. How many blocks does the grid have "
              "for a C of {M}×{N} elements?",
       .unit = "blocks",
       .work = "⌈M/BM⌉·⌈N/BN⌉",
       .count = "blocks_total",
       .why = "{⌈M/BM⌉} downwards and {⌈N/BN⌉} across, where lesson 3 had {⌈M/32⌉·⌈N/32⌉} in all. "
              "Few blocks can be a problem: a GPU deals blocks out to its multiprocessors, and a "
              "large one has more than a hundred of these to keep busy."},
      {.id = "loads",
       .ask = "Lesson 3 shares 32×32 tiles in a block, and loads 1/32 + 1/32 = {1/32 + 1/32} "
              "floats from global memory for each multiply-add. Lesson 2 loads 2. This kernel "
              "shares nothing, but each thread uses what it loads for {TM}×{TN} sums. How many "
              "floats does it load?",
       .choices = {{"fewer than lesson 3", "load_floats < M·N·K/16"},
                   {"as many as lesson 3", "load_floats == M·N·K/16"},
                   {"more than lesson 3, fewer than lesson 2",
                    "load_floats > M·N·K/16 and load_floats < 2·M·N·K"},
                   {"as many as lesson 2 or more", "load_floats >= 2·M·N·K"}},
       .why =
           "A thread loads {TM} + {TN} floats for {TM}·{TN} multiply-adds: {(TM + TN)/(TM·TN)} for "
           "each. That is {2·TM·TN/(TM + TN)} times less than lesson 2, but {16·(TM + TN)/(TM·TN)} "
           "times as much as lesson 3, whose tile of 32×32 is larger than {TM}×{TN}.",
       .whole_tiles = true},
      {.id = "sectors-of-b",
       .ask = "Look at the load of `b[j]`. A warp is two rows of {BN/TN} threads; both rows want "
              "the same floats of B, and neighbours in a row want floats that lie {TN} apart. How "
              "many sectors does one such request touch?",
       .unit = "sectors",
       .work = "BN/TN",
       .count = "global_load_sectors/global_load_requests",
       .why = "{TN} floats are {4·TN} bytes, so each of the {BN/TN} threads in a row finds its "
              "float in another sector, and the second row wants the same ones again. In lesson 2 "
              "a warp's 32 neighbouring floats lay in 4. (The rest of each sector is wanted by the "
              "next requests.)",
       .line = "b[j] = column + j < N",
       .whole_tiles = true},
  };
}

}  // namespace

Lesson lesson_04_global_block_tile() {
  Kernel kernel;
  kernel.name = "global_block_tile";
  kernel.settings = {{"BM", 128}, {"BN", 128}, {"TM", 8}, {"TN", 8}};
  kernel.shape = [](const Settings& s) {
    require_thread_tiles(s);
    return tiled_shape(s);
  };
  kernel.traffic = tiled_traffic("TM", "TN");
  kernel.notes = notes();
  kernel.questions = questions();

  Lesson lesson;
  lesson.kernels = {kernel};
  lesson.changes = 2;
  lesson.change =
      "Shared memory is gone again; a thread keeps a tile of C in registers and computes 64 "
      "elements instead of one.";
  return lesson;
}

}  // namespace gemm_tutor
