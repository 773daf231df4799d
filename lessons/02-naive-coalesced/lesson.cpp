#include "course/tiling.hpp"

namespace gemm_tutor {
namespace {

std::vector<Note> notes() {
  return {
      {"const int row = blockIdx.y",
       "Rows come from y now: all threads of a warp are in the same one."},
      {"const int column = blockIdx.x",
       "Columns come from x: the 32 threads of a warp lie side by side in a row of C."},
      {"sum += A[row * K + k] * B[k * N + column];",
       "The very line of lesson 1; what has changed is which 32 threads run it together."},
      {"C[row * N + column] = sum;", "A warp stores 32 neighbours of C."},
  };
}

std::vector<Question> questions() {
  return {
      {.id = "sectors-a-step",
       .ask = "In lesson 1 the two loads of one step k touched 33 sectors for a warp: 32 of A and "
              "1 of B. How many sectors do they touch together now?",
       .unit = "sectors",
       .work = "1 + 32/8",
       .count = "global_load_sectors/(global_load_requests/2)",
       .why = "All 32 threads are in one row and want the same float of A: 1 sector. From B they "
              "want 32 neighbours, and a sector holds 8 floats: 32/8 = 4. If you said 33 again: A "
              "and B did change roles, but neighbours share sectors.",
       .line = "sum += A[row * K + k]",
       .whole_tiles = true},
      {.id = "requests",
       .ask = "One load instruction of one warp is one request. There are {blocks} blocks of "
              "{warps} warps, and K = {K}. How many load requests do all warps make together?",
       .unit = "requests",
       .work = "blocks·warps·2·K",
       .count = "global_load_requests",
       .why = "Each of {blocks·warps} warps makes two requests, for A and for B, in each of {K} "
              "steps. That is as many as in lesson 1: what has changed is the price of one. If you "
              "said {2·M·N·K}, you counted the floats that threads ask for; a request serves 32 "
              "threads.",
       .whole_tiles = true},
      {.id = "bytes-moved",
       .ask = "Take the bytes of all sectors that memory hands out, and the bytes that the threads "
              "ask for, 4 for each float. In lesson 1 about four times as many were handed out. "
              "Now memory hands out…",
       .choices = {{"more than the threads ask for", "32·global_load_sectors > global_load_bytes"},
                   {"exactly what they ask for", "32·global_load_sectors == global_load_bytes"},
                   {"less than they ask for", "32·global_load_sectors < global_load_bytes"}},
       .why = "In one step a warp asks for 2·32 floats, {2·32·4} bytes, and gets 5 sectors of 32, "
              "{5·32} bytes. One sector of A serves all 32 threads, and of B's sectors no byte is "
              "wasted.",
       .whole_tiles = true},
  };
}

}  // namespace

Lesson lesson_02_naive_coalesced() {
  Kernel kernel;
  kernel.name = "naive_coalesced";
  kernel.shape = [](const Settings&) { return tiled_shape({{"BM", 32}, {"BN", 32}}); };
  kernel.traffic = untiled_traffic();
  kernel.notes = notes();
  kernel.questions = questions();

  Lesson lesson;
  lesson.kernels = {kernel};
  lesson.change =
      "x and y changed places: a warp's threads now lie along a row, and read neighbours in B.";
  return lesson;
}

}  // namespace gemm_tutor
