#include "course/tiling.hpp"

namespace gemm_tutor {
namespace {

std::vector<Note> notes_of_all() {
  return {
      {"__global__ void __launch_bounds__(",
       "A promise to the compiler of how many threads a block has, so that it can share out the "
       "registers."},
      {"a_next[l] = load4<whole>(A, M, K",
       "Four floats of A by one instruction, into registers first: nobody waits for them yet."},
      {"__syncthreads();  // nobody needs the old tiles any more",
       "Only now may the tiles be overwritten; the loads are under way already."},
      {"as_float4(a_tile[e / BK][e % BK]) = a_next[l];",
       "Here the values must have come; four are stored at once."},
      {"for (int j = 0; j < TN; ++j) b[j] = b_tile[k][tx * TN + j];",
       "Each thread reads its own TN columns of B's tile, side by side."},
      {"const int j = i % 2 == 0 ? n : TN - 1 - n;",
       "Every second row of sums is gone through backwards: the same sums in another order."},
      {"store4<whole>(C, M, N", "C is written four floats at a time as well."},
  };
}

std::vector<Question> questions_of_all() {
  return {
      {.id = "sectors-a-request",
       .ask = "Each of the 32 threads of a warp loads a `float4`, and of all sectors that the warp "
              "touches every byte is used. How many sectors does one such request touch?",
       .unit = "sectors",
       .work = "32·16/32",
       .count = "global_load_sectors/global_load_requests",
       .why = "A `float4` has 16 bytes, 32 of them 512, and a sector holds 32. That is four times "
              "as many as for 32 single floats: one request does the work of four.",
       .whole_tiles = true},
      {.id = "multiply-adds-a-request",
       .ask = "In lesson 6 a warp made 32 multiply-adds for every request to global memory. Now a "
              "request loads 32 `float4`, and the block's tile is {BM}×{BN}. In one step k a block "
              "needs {BM} + {BN} floats for {BM}·{BN} multiply-adds, of which a warp makes 32 at a "
              "time. How many multiply-adds of a warp are there for each request?",
       .unit = "multiply-adds",
       .work = "(BM·BN/32)/((BM + BN)/(4·32))",
       .count = "ffma/32/global_load_requests",
       .why = "{BM + BN} floats come in {(BM + BN)/128} requests of 4·32, for {BM·BN/32} "
              "multiply-adds of warps. Wide loads make it 4 times lesson 6's, and the larger tile "
              "{(BM·BN/32)/((BM + BN)/128)/128} times that.",
       .whole_tiles = true},
      {.id = "share-of-multiply-adds",
       .ask = "In lesson 6 about half of all instructions that warps executed were multiply-adds; "
              "most of the others served to copy the tiles, float by float. How large is their "
              "share now?",
       .choices = {{"still about half", "ffma_instructions/warp_instructions < 0.65"},
                   {"about three quarters",
                    "ffma_instructions/warp_instructions >= 0.65 and "
                    "ffma_instructions/warp_instructions < 0.83"},
                   {"about nine tenths", "ffma_instructions/warp_instructions >= 0.83"}},
       .why =
           "For every float that it copied, lesson 6 worked out an address, made two comparisons, "
           "and loaded and stored. Now one load, one store and one address serve four floats, "
           "whole tiles need no comparisons, and a larger tile is copied less often.",
       .whole_tiles = true},
  };
}

Kernel float4_of_all() {
  Kernel kernel;
  kernel.name = "vectorized_loads";
  kernel.title = "float4 loads of A and of B, and stores of C";
  kernel.settings = {{"BM", 128}, {"BN", 128}, {"BK", 8}, {"TM", 8}, {"TN", 8}};
  kernel.shape = [](const Settings& s) {
    require_thread_tiles(s);
    require(s["BK"] % 4 == 0 && s["TN"] % 4 == 0, s, "BK and TN must be multiples of 4");
    const LaunchShape shape = tiled_shape(s, tile_floats(s));
    require_whole_loads(s, shape, 4);
    return shape;
  };
  kernel.traffic = tiled_traffic();
  kernel.has_whole_variant = true;
  kernel.notes = notes_of_all();
  kernel.questions = questions_of_all();
  return kernel;
}

std::vector<Note> notes_of_b() {
  return {
      {"for (int i = 0; i < TM; ++i) {  // TM elements of A",
       "The thread copies the rows of A that it computes with: K floats apart, so one by one."},
      {"as_float4(b_tile[ty][tx * TN]) = load4<whole>(B",
       "Its columns of B are neighbours: one `float4`."},
      {"store4<whole>(C, M, N, row0 + ty * TM + i, column0 + tx * TN, as_float4(sum[i][0]));",
       "So are its columns of C."},
  };
}

std::vector<Question> questions_of_b() {
  return {
      {.id = "b-alone-requests",
       .ask = "In `vectorized_b` each thread copies {TM} values of A, one by one, and {TN} of B as "
              "one `float4`. How many load requests to global memory does a warp make in one step "
              "along K?",
       .unit = "requests",
       .work = "TM + 1",
       .count = "global_load_requests/(warps_total·steps)",
       .why = "{TM} for A and 1 for B. Float by float it would be {TM + TN}; with `float4` for "
              "both, as in `vectorized_loads`, 2.",
       .whole_tiles = true},
      {.id = "b-alone-sectors",
       .ask = "A warp is two rows of 16 threads. Its load of A wants {BK} neighbouring floats from "
              "each of two rows of A. How many sectors does that request touch?",
       .unit = "sectors",
       .work = "2·BK/8",
       .count = "global_load_sectors/global_load_requests",
       .why = "{BK} floats fill {BK}/8 = {BK/8} sectors in each of the two rows. Nothing in them "
              "is wasted; but a request of `float4` fetches 16 sectors, so A takes four times as "
              "many requests as it could.",
       .line = "a_tile[ty * TM + i][tx] = whole",
       .whole_tiles = true},
  };
}

Kernel float4_of_b() {
  Kernel kernel;
  kernel.name = "vectorized_b";
  kernel.title = "4×4 elements a thread, float4 loads of B alone";
  kernel.settings = {{"BM", 64}, {"BN", 64}, {"BK", 16}, {"TM", 4}, {"TN", 4}};
  kernel.shape = [](const Settings& s) {
    require_one_load_a_thread(s, 4);
    return tiled_shape(s, tile_floats(s));
  };
  kernel.traffic = tiled_traffic();
  kernel.has_whole_variant = true;
  kernel.notes = notes_of_b();
  kernel.questions = questions_of_b();
  return kernel;
}

}  // namespace

Lesson lesson_07_vectorized_loads() {
  Lesson lesson;
  lesson.kernels = {float4_of_all(), float4_of_b()};
  lesson.change =
      "A tile four times as large, and four floats to each load and store: a quarter of the memory "
      "instructions.";
  return lesson;
}

}  // namespace gemm_tutor
