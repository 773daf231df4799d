#include "course/tiling.hpp"

namespace gemm_tutor {
namespace {

std::vector<Note> notes() {
  return {
      {"constexpr int lanes_m = WM / TM",
       "So many lanes stand below each other in a warp's tile, and so many beside each other."},
      {"const int warp_m = warp / (BN / WN)",
       "Which of the block's warp tiles is this warp's: they are counted row by row."},
      {"const int lane_n = lane % (2 * lanes_n)",
       "Lane 1 stands beside lane 0, lane 2 below it, and then the next square begins."},
      {"const int m0 = warp_m * WM + lane_m * 4",
       "The thread's first piece begins here; the next lane's begins where it ends."},
      {"as_float4(a[i]) = as_float4(a_tile[buffer][k]",
       "All lanes in one row of the warp's tile want the same `float4` of A here…"},
      {"as_float4(b[j]) = as_float4(b_tile[buffer][k]",
       "…and here all in one column want the same of B."},
      {"const int j = i % 2 == 0 ? n : TN - 1 - n;",
       "Row by row, there and back: where one row ends the next begins, with the same b[j]."},
  };
}

std::vector<Question> questions() {
  return {
      {.id = "requests",
       .ask = "A warp of lesson 9 reads 16 different floats of A's tile for each k, and 128 of "
              "B's. Here it is {WM} and {WN}. Does the warp make fewer requests for them?",
       .choices = {{"yes: a third fewer, as many as the floats are fewer",
                    "shared_load_requests < (TM/4 + TN/4)·BK·steps·warps_total"},
                   {"no, just as many",
                    "shared_load_requests == (TM/4 + TN/4)·BK·steps·warps_total"},
                   {"no, it makes more: both tiles are now read in smaller pieces",
                    "shared_load_requests > (TM/4 + TN/4)·BK·steps·warps_total"}},
       .why =
           "Each lane needs its own {TM} floats of A and {TN} of B, as before, and reads four at "
           "a time: {TM/4 + TN/4} requests of the warp for each k. What is fewer is what these "
           "requests ask for: more of a warp's lanes now ask for the same."},
      {.id = "wavefronts",
       .ask = "In a read of A's tile all lanes of one row of the warp's tile want the same "
              "`float4`, in one of B's all lanes of one column. For each k there are {TM/4} reads "
              "of A's tile and {TN/4} of B's, and each takes 4 wavefronts where lanes do not pair "
              "off. How many wavefronts do they take together here?",
       .unit = "wavefronts",
       .work = "TM/4·2 + TN/4·2",
       .count = "shared_load_wavefronts/(warps_total·steps·BK)",
       .why = "Lanes 0 and 1, 2 and 3, … stand in one row, so they pair off in a read of A's tile. "
              "Lanes 0 and 2, 1 and 3, … stand in one column, so they do in a read of B's. Every "
              "read takes 2. With lanes counted row by row B's take 4: {TM/4·2 + TN/4·4} in all, "
              "as in lesson 9."},
      {.id = "sectors-of-a-store",
       .ask = "In a store of C the lanes of a row write {WN/TN} `float4` side by side, and there "
              "are {WM/TM} such rows. In lesson 9 it was 16 side by side, in 2 rows. How many "
              "sectors does a store touch here?",
       .unit = "sectors",
       .work = "WM/TM·⌈WN/TN·16/32⌉",
       .count = "global_store_sectors/global_store_requests",
       .why = "{WN/TN} lanes of 16 bytes fill {⌈WN/TN·16/32⌉} sectors of a row, and there are "
              "{WM/TM} rows. In lesson 9 it is 2 rows of 8 sectors, as many: as long as a row "
              "fills whole sectors, it does not matter how many rows there are.",
       .whole_tiles = true},
  };
}

Kernel warp_tile() {
  Kernel kernel;
  kernel.name = "warp_tile";
  kernel.settings = {{"BM", 128}, {"BN", 128}, {"BK", 8}, {"WM", 32},
                     {"WN", 64},  {"TM", 8},   {"TN", 8}};
  kernel.shape = [](const Settings& s) {
    require_pieces_of_four(s);
    require_warp_tiles(s);
    const LaunchShape shape = tiled_shape_along_x(s, 2 * tile_floats(s));
    require_whole_loads(s, shape, 4);
    return shape;
  };
  kernel.traffic = tiled_traffic();
  kernel.has_whole_variant = true;
  kernel.notes = notes();
  kernel.questions = questions();
  return kernel;
}

}  // namespace

Lesson lesson_11_warp_tile() {
  Lesson lesson;
  lesson.kernels = {warp_tile()};
  lesson.change =
      "Each warp computes a tile of its own, and its lanes stand in it so that more of them read "
      "the same float4 at once.";
  lesson.changes = 9;  // lesson 10 is the library
  return lesson;
}

}  // namespace gemm_tutor
