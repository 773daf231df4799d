#include "course/tiling.hpp"

namespace gemm_tutor {
namespace {

std::vector<Note> ring_notes() {
  return {
      {"float a_tile[STAGES][BK][BM + 4];",
       "The ring: so many tiles of A, and of B below, each BK steps of k deep."},
      {"copy1(a_tile[stage][a_k]",
       "One float, from a row of A to where it belongs in the transposed tile."},
      {"copy4(b_tile[stage][b_k + k]",
       "Four of B, which lie side by side in the matrix and in the tile."},
      {"wait_for_all_but<STAGES - 2>();",
       "The oldest group under way is the next stage: the others may come later."},
      {"if (more) load((stage + STAGES - 1) % STAGES);",
       "The stage that the step before has read is free; what comes to it now is needed last."},
      {"fragments(stage, k + 1);",
       "The values for the next k come to registers while those of this k are multiplied."},
      {"turns > (whole ? 1 : 0); --turns)",
       "No branch asks in each step whether there is more: it would cut the loop into pieces."},
  };
}

std::vector<Question> ring_questions() {
  return {
      {.id = "copies",
       .ask = "A stage has {BM}×{BK} floats of A, which are copied one by one, and {BK}×{BN} of B, "
              "four at a time. The block has {threads} threads. How many instructions that "
              "copy does each of them need for all {STAGES} stages of the ring?",
       .unit = "instructions",
       .work = "STAGES·(BM·BK/threads + BK·BN/(4·threads))",
       .count = "global_load_requests/(warps_total·steps)",
       .why = "For one stage {BM·BK/threads} of A and {BK·BN/(4·threads)} of B. Of A they are one "
              "float each, since only so can they be transposed on the way: with four at a time "
              "{BM·BK/(4·threads)} would do.",
       .whole_tiles = true},
      {.id = "sectors",
       .ask = "A row of A's tile is {BK} floats, {4·BK} bytes; a row of B's is {4·BN} bytes. How "
              "many sectors of 32 bytes do the copies of a block touch for one stage?",
       .unit = "sectors",
       .work = "BM·⌈4·BK/32⌉ + BK·4·BN/32",
       .count = "global_load_sectors/(blocks·steps·STAGES)",
       .why = "Each of A's {BM} rows lies in a sector of its own, and uses {4·BK} of its 32 bytes. "
              "B's {BK} rows fill {4·BN/32} sectors each. A has fewer floats in the stage and "
              "touches {BM·⌈4·BK/32⌉} sectors; for the rest of them another stage comes again.",
       .whole_tiles = true},
      {.id = "barriers",
       .ask = "K is {K}, and the ring always turns as a whole: {STAGES} stages of {BK} steps of k. "
              "One barrier stands before the loop and one in each step. To how many barriers does "
              "a thread come in all?",
       .unit = "barriers",
       .work = "1 + STAGES·⌈K/(STAGES·BK)⌉",
       .count = "barriers/warps_total",
       .why = "{⌈K/(STAGES·BK)⌉} turns of {STAGES} steps. The barrier in a step does two things: "
              "the next stage is full, with the copies of all threads, and this one is free."},
  };
}

Kernel async_copy() {
  Kernel kernel;
  kernel.name = "async_copy";
  kernel.title = "each thread copies its own floats, and waits for groups of them";
  kernel.settings = {{"BM", 128}, {"BN", 256}, {"BK", 4},  {"WM", 64},
                     {"WN", 64},  {"TM", 8},   {"TN", 16}, {"STAGES", 4}};
  kernel.shape = ring_shape;
  kernel.traffic = tiled_traffic();
  kernel.has_whole_variant = true;
  kernel.compute_capability = 80;
  kernel.notes = ring_notes();
  kernel.questions = ring_questions();
  return kernel;
}

// Of A's tile each row is BK + 4 floats long, and for each stage there is an mbarrier of 8 bytes.
LaunchShape bulk_shape(const Settings& s) {
  require_pieces_of_four(s);
  require_warp_tiles(s);
  const std::int64_t floats = tile_floats(s) + 4 * std::int64_t{s["BM"]} + 2;
  const LaunchShape shape = tiled_shape_along_x(s, s["STAGES"] * floats);
  const auto warps = static_cast<int>(shape.block.x / 32);
  require(s["BM"] % warps == 0 && s["BK"] % warps == 0, s,
          "the block's warps do not share the rows of both tiles evenly");
  return shape;
}

std::vector<Note> bulk_notes() {
  return {
      {"float a_tile[STAGES][BM][BK + 4];",
       "Not transposed: a bulk copy moves bytes as they lie. The 4 more keep the banks apart."},
      {"expect(full[stage], 4 * BK * (BM + BN) / warps);",
       "How many bytes this warp's copies will bring, said before the first one begins."},
      {"copy_bulk(b_tile[stage][k][0]", "A row of B's tile, by one instruction of one lane."},
      {"arrive(full[stage]);",
       "The phase ends when all have come to this, and all bytes are there."},
      {"begin(full[stage], whole ? warps : threads);",
       "So many must say that they have come: a lane of each warp, or at the edges all threads."},
      {"wait(full[stage], step / STAGES % 2);",
       "A stage's phases are even and odd in turn, and this is the one of this turn of the ring."},
      {"as_float4(a_tile[stage][m0 + i * lanes_m][k]);", "Four k of one row at a time."},
  };
}

std::vector<Question> bulk_questions() {
  return {
      {.id = "requests",
       .ask = "One instruction copies {4·BK} bytes of A or {4·BN} of B, and the units that serve "
              "the loads of warps have no part in it. How many requests for global memory are "
              "counted for loads here?",
       .choices = {{"none", "global_load_requests == 0"},
                   {"one for each row of a tile", "global_load_requests == blocks·steps·(BM + BK)"},
                   {"one for each 128 bytes", "global_load_requests == load_floats/32"}},
       .why = "A request is what a warp asks of the load units. A bulk copy asks another unit, and "
              "what it brings is counted by its bytes alone.",
       .whole_tiles = true},
      {.id = "bytes",
       .ask = "How many bytes must have arrived in a stage before its mbarrier lets the threads "
              "pass? The tiles are {BM}×{BK} floats of A and {BK}×{BN} of B.",
       .unit = "bytes",
       .work = "4·BK·(BM + BN)",
       .count = "4·load_floats/(blocks·steps)",
       .why = "What is copied counts, and not the 4 floats by which A's rows are longer here. Each "
              "of {warps} warps announces its share, {4·BK·(BM + BN)/warps}.",
       .whole_tiles = true},
  };
}

Kernel async_copy_bulk() {
  Kernel kernel;
  kernel.name = "async_copy_bulk";
  kernel.title = "a unit of its own copies whole rows, and an mbarrier counts their bytes";
  kernel.settings = {{"BM", 128}, {"BN", 256}, {"BK", 8},  {"WM", 64},
                     {"WN", 64},  {"TM", 8},   {"TN", 16}, {"STAGES", 3}};
  kernel.shape = bulk_shape;
  kernel.traffic = tiled_traffic();
  kernel.has_whole_variant = true;
  kernel.compute_capability = 90;
  kernel.notes = bulk_notes();
  kernel.questions = bulk_questions();
  return kernel;
}

}  // namespace

Lesson lesson_12_async_copy() {
  Lesson lesson;
  lesson.kernels = {async_copy(), async_copy_bulk()};
  lesson.change =
      "The tiles are copied to shared memory without registers in between, and some steps ahead: "
      "STAGES tiles of each are a ring.";
  return lesson;
}

}  // namespace gemm_tutor
