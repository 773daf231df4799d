#include "course/tiling.hpp"

namespace gemm_tutor {
namespace {

std::vector<Note> notes() {
  return {
      {"const int row = blockIdx.x",
       "Each thread works out which row of C is its own; its neighbours in x get the rows below."},
      {"const int column = blockIdx.y",
       "Likewise its column, from y: neighbours in x have the same one."},
      {"if (row >= M || column >= N) return;",
       "The last blocks may reach beyond C; a thread out there has nothing to do."},
      {"sum += A[row * K + k] * B[k * N + column];",
       "Lesson 0's inner loop, run by every thread for its own row and column."},
      {"C[row * N + column] = sum;", "Each thread stores the one element that it owns."},
  };
}

std::vector<Question> questions() {
  return {
      {.id = "loads",
       .ask =
           "For these matrices lesson 0 loads {2·M·N·K} floats. Here the threads, {M·N}, share the "
           "work. How many floats do they load from memory, all together?",
       .choices = {{"fewer, because they work at the same time", "load_floats < 2·M·N·K"},
                   {"just as many", "load_floats == 2·M·N·K"},
                   {"more, because every thread starts from nothing", "load_floats > 2·M·N·K"}},
       .why = "Each of {M·N} threads loads {K} floats of A and {K} of B, which makes {2·M·N·K}. "
              "The same loop runs in another place; that threads work at the same time makes it "
              "faster, not less."},
      {.id = "blocks",
       .ask = "A block has 32×32 threads and covers 32×32 elements of C. How many blocks does the "
              "grid need for a C of {M}×{N} elements?",
       .unit = "blocks",
       .work = "⌈M/32⌉·⌈N/32⌉",
       .count = "blocks_total",
       .why = "It takes {⌈M/32⌉} blocks downwards and {⌈N/32⌉} across. The brackets ⌈ ⌉ round up: "
              "what is left over at an edge needs a block as well. If you divided only once, you "
              "counted one row of blocks."},
      {.id = "sectors-a-step",
       .ask = "A GPU runs threads in warps: 32 neighbours in x, which load at the same time. "
              "Memory answers in sectors, pieces of 32 bytes or 8 floats, and always a whole one. "
              "In one step k a warp loads from A the floats of 32 rows, {K} floats apart, and from "
              "B one float, the same for all. How many sectors is that, A and B together?",
       .unit = "sectors",
       .work = "32 + 1",
       .count = "global_load_sectors/(global_load_requests/2)",
       .why = "The 32 floats of A are so far apart that each lies in a sector of its own: 32 "
              "sectors, and of every 32 bytes only 4 are used. The float of B takes 1 more. If you "
              "said 4 + 1: 32/8 = 4 sectors would do if the floats of A were neighbours.",
       .line = "sum += A[row * K + k]",
       .whole_tiles = true},
  };
}

}  // namespace

Lesson lesson_01_naive_uncoalesced() {
  Kernel kernel;
  kernel.name = "naive_uncoalesced";
  kernel.shape = [](const Settings&) {
    LaunchShape shape = tiled_shape({{"BM", 32}, {"BN", 32}});
    shape.grid_x_along_rows = true;
    return shape;
  };
  kernel.traffic = untiled_traffic();
  kernel.notes = notes();
  kernel.questions = questions();

  Lesson lesson;
  lesson.kernels = {kernel};
  lesson.change = "The two outer loops are gone: every element of C has a thread of its own.";
  return lesson;
}

}  // namespace gemm_tutor
