#include "course/tiling.hpp"

namespace gemm_tutor {
namespace {

std::vector<Note> through_registers_notes() {
  return {
      {"float a_tile[2][BK][BM];", "Two of each tile: one to compute from, one to fill."},
      {"const auto load = [&](int k0) {",
       "Starts the loads of a tile from global memory, into registers; it does not wait for them."},
      {"const auto store = [&](int buffer) {",
       "Moves what has come from the registers to one of the two shared tiles."},
      {"load(next_k0);", "First ask for the next tile…"},
      {"compute(buffer);", "…then compute with this one, while the next is on its way…"},
      {"store(buffer ^ 1);", "…and only then wait for it, and put it into the other buffer."},
      {"for (; k0 + BK < K; k0 += 2 * BK) {",
       "Two steps at a time, so that each knows its buffer's number when it is compiled."},
  };
}

std::vector<Question> through_registers_questions() {
  return {
      {.id = "barriers",
       .ask = "K is {K}, and a step along K is {BK} wide. One barrier stands before the loop and "
              "one at the end of every `step`; the last tile is only computed. To how many "
              "barriers does every thread come in all?",
       .unit = "barriers",
       .work = "1 + (⌈K/BK⌉ - 1)",
       .count = "barriers/warps_total",
       .why = "The first of {⌈K/BK⌉} tiles is stored before the loop, and each of the others by a "
              "`step`: one barrier for each tile. After the last nothing is overwritten any more, "
              "so it needs none behind it. With one buffer there would be {2·⌈K/BK⌉}."},
      {.id = "bytes",
       .ask = "How many bytes of shared memory does a block take? A tile of A has {BK}×{BM} "
              "floats, one of B {BK}×{BN}.",
       .unit = "bytes",
       .work = "2·4·(BK·BM + BK·BN)",
       .count = "shared_bytes",
       .why = "Two tiles of each, and 4 bytes a float. If you said {4·(BK·BM + BK·BN)}, that is "
              "one tile of each. Lesson 8, with steps of 16, takes as much for single tiles: "
              "{4·16·(BM + BN)}."},
      {.id = "loads-ahead",
       .ask = "The loads now run one step ahead of the sums. Does the kernel load anything from "
              "global memory in vain?",
       .choices = {{"yes: at the end each block has loaded one tile of A and of B too many",
                    "load_floats == M·N·K·(1/BM + 1/BN) + blocks·BK·(BM + BN)"},
                   {"no: each tile is loaded once, as in lesson 8",
                    "load_floats == M·N·K·(1/BM + 1/BN)"},
                   {"each tile is loaded twice, once for each buffer",
                    "load_floats == 2·M·N·K·(1/BM + 1/BN)"}},
       .why = "The tile of step 1 is loaded before the loop, every other one during the step "
              "before its own, and during the last step none: {steps} tiles of A and {steps} of B "
              "for each block. Only when they are loaded has changed.",
       .whole_tiles = true},
  };
}

Kernel through_registers() {
  Kernel kernel;
  kernel.name = "double_buffer";
  kernel.title = "the next tile waits in registers while this one is computed";
  kernel.settings = {{"BM", 128}, {"BN", 128}, {"BK", 8}, {"TM", 8}, {"TN", 8}};
  kernel.shape = [](const Settings& s) {
    require_pieces_of_four(s);
    const LaunchShape shape = tiled_shape(s, 2 * tile_floats(s));
    require_whole_loads(s, shape, 4);
    return shape;
  };
  kernel.traffic = tiled_traffic();
  kernel.has_whole_variant = true;
  kernel.notes = through_registers_notes();
  kernel.questions = through_registers_questions();
  return kernel;
}

std::vector<Note> in_shared_notes() {
  return {
      {"if (k0 + BK < K) fill(buffer ^ 1, k0 + BK);",
       "Loads the next tiles and stores them at once, so each thread waits here for its loads."},
      {"sum[i][j] += a_tile[buffer][ty * TM + i][k] * b_tile[buffer][k][tx * TN + j];",
       "Lesson 5's sums, from whichever buffer is full."},
      {"__syncthreads();  // the next tiles are full, and nobody needs these any more",
       "One barrier for both reasons, because the tiles being filled are not those being read."},
  };
}

std::vector<Question> in_shared_questions() {
  return {
      {.id = "in-shared-barriers",
       .ask = "`double_buffer_in_shared` has one barrier before its loop along K, and one at the "
              "end of every step. K is {K}, a step {BK} wide. To how many barriers does every "
              "thread come?",
       .unit = "barriers",
       .work = "1 + ⌈K/BK⌉",
       .count = "barriers/warps_total",
       .why =
           "{⌈K/BK⌉} steps, and the one before them. The loop does not know its last step, where "
           "the barrier would not be needed. Lesson 5, with steps as long, has {2·⌈K/BK⌉}."},
      {.id = "in-shared-conflicts",
       .ask = "Its tiles are laid out as in lesson 5, where a third of the wavefronts of shared "
              "loads were bank conflicts: neither padded nor transposed, but two of each. And the "
              "conflicts?",
       .choices =
           {{"none are left: the two buffers are in different banks", "shared_load_conflicts == 0"},
            {"about a third of the wavefronts, as before",
             "shared_load_conflicts > 0 and shared_load_conflicts/shared_load_wavefronts < 0.5"},
            {"at least half of the wavefronts, as there are two tiles to read from",
             "shared_load_conflicts/shared_load_wavefronts >= 0.5"}},
       .why = "A warp reads from one buffer at a time, and within it the rows of A's tile lie as "
              "they did: {TM} rows of {BK} words, {TM·BK} words, from one bank to the same bank. A "
              "second buffer buys time, not banks."},
  };
}

Kernel in_shared() {
  Kernel kernel;
  kernel.name = "double_buffer_in_shared";
  kernel.title = "two shared buffers, and 2×2 elements a thread with float2 loads of B";
  kernel.settings = {{"BM", 32}, {"BN", 32}, {"BK", 16}, {"TM", 2}, {"TN", 2}};
  kernel.shape = [](const Settings& s) {
    require_one_load_a_thread(s, 2);
    return tiled_shape(s, 2 * tile_floats(s));
  };
  kernel.traffic = tiled_traffic();
  kernel.has_whole_variant = true;
  kernel.notes = in_shared_notes();
  kernel.questions = in_shared_questions();
  return kernel;
}

}  // namespace

Lesson lesson_09_double_buffer() {
  Lesson lesson;
  lesson.kernels = {through_registers(), in_shared()};
  lesson.change =
      "Two of each tile: the loads for the next step are on their way while this one is computed.";
  return lesson;
}

}  // namespace gemm_tutor
