#include "course/tiling.hpp"

namespace gemm_tutor {
namespace {

std::vector<Note> notes() {
  return {
      {"__shared__ float a_tile[BM][BK];",
       "The block's own copy of a piece of A, which all its threads can read and write."},
      {"for (int k0 = 0; k0 < K; k0 += BK) {",
       "The block goes along K in steps; each step has one tile of A and one of B."},
      {"a_tile[ty][k + tx] =",
       "Each thread copies a value of A for everybody; neighbours in x copy neighbours."},
      {"b_tile[k + ty][tx] =",
       "The same for B; beyond the matrix it puts a zero, which adds nothing to a sum."},
      {"__syncthreads();  // the tiles are full",
       "A barrier: no thread goes on before all threads of the block have copied."},
      {"sum += a_tile[ty][k] * b_tile[k][tx];", "The same sums as ever, made from the copies."},
      {"__syncthreads();  // nobody needs them any more",
       "Without it, a fast thread would overwrite a tile that a slow one still reads."},
  };
}

std::vector<Question> questions() {
  return {
      {.id = "floats-a-step",
       .ask =
           "In one step along K a block copies a tile of A, {BM}×{BK}, and a tile of B, {BK}×{BN}. "
           "How many floats does the whole block load from global memory in one step?",
       .unit = "floats",
       .work = "BM·BK + BK·BN",
       .count = "load_floats/(blocks·steps)",
       .why = "The block's threads share the copying, so each element of the two tiles is loaded "
              "once. Without the tiles each of the {threads} threads would load {BK} floats of A "
              "and {BK} of B for the same work: {threads·2·BK} in all.",
       .whole_tiles = true},
      {.id = "barriers",
       .ask = "K is {K}, and a step along K is {BK} wide. To how many barriers (`__syncthreads()`) "
              "does every thread come, from the start of the kernel to its end?",
       .unit = "barriers",
       .work = "2·⌈K/BK⌉",
       .count = "barriers/warps_total",
       .why = "There are {⌈K/BK⌉} steps, and two barriers in each: one when the tiles are full, "
              "and one when nobody needs them any more. It is easy to forget the second."},
      {.id = "where-the-loads-went",
       .ask = "In lesson 2 a warp made two load requests for each of its multiply-adds, both to "
              "global memory. Now count requests to global and to shared memory together. How many "
              "are there for each multiply-add of a warp?",
       .choices = {{"hardly any", "(global_load_requests + shared_load_requests)/(ffma/32) < 0.5"},
                   {"about one",
                    "(global_load_requests + shared_load_requests)/(ffma/32) >= 0.5 and "
                    "(global_load_requests + shared_load_requests)/(ffma/32) < 1.5"},
                   {"still about two",
                    "(global_load_requests + shared_load_requests)/(ffma/32) >= 1.5"}},
       .why = "Every multiply-add still reads a value of `a_tile` and one of `b_tile`: two "
              "requests, now to shared memory. Those to global memory have nearly gone, {(BM·BK + "
              "BK·BN)/threads} for {BK} multiply-adds. The loads have moved to a faster place; "
              "lesson 5 makes them fewer."},
  };
}

}  // namespace

Lesson lesson_03_shared_memory_tile() {
  Kernel kernel;
  kernel.name = "shared_memory_tile";
  kernel.settings = {{"BM", 32}, {"BN", 32}, {"BK", 32}};
  kernel.shape = [](const Settings& s) {
    // Each thread copies as many values of a tile as any other. (That a block has too many threads
    // is said by whoever checks the launch.)
    if (std::int64_t{s["BM"]} * s["BN"] <= 1024) {
      require_multiple(s, "BK", "BM");
      require_multiple(s, "BK", "BN");
    }
    return tiled_shape(s, tile_floats(s));
  };
  kernel.traffic = tiled_traffic();
  kernel.notes = notes();
  kernel.questions = questions();

  Lesson lesson;
  lesson.kernels = {kernel};
  lesson.change =
      "A block fetches each value of its tiles once, into shared memory, for all its threads.";
  return lesson;
}

}  // namespace gemm_tutor
