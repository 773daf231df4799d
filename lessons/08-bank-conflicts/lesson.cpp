#include <utility>

#include "course/tiling.hpp"

namespace gemm_tutor {
namespace {

std::vector<Note> quadrant_notes() {
  return {
      {"__shared__ alignas(16) float a_tile[BK][BM];",
       "BK rows and BM columns, where lesson 7 had it the other way round: a column of A lies in a "
       "row."},
      {"constexpr int apart_m = BM / (TM / 4)",
       "A thread's elements are pieces of 4×4, and so far apart do they lie in C."},
      {"a_tile[k + 0][i] = a_next[l].x;  // transposed",
       "Four neighbours in a row of A go to four rows of the tile, in four stores."},
      {"as_float4(a[i]) = as_float4(a_tile[k]",
       "Four values of a column of A by one read, thanks to the transposed tile."},
      {"as_float4(b[j]) = as_float4(b_tile[k]",
       "tx * 4: the next thread reads the very next `float4`."},
      {"const int column = column0 + j / 4 * apart_n + tx * 4;",
       "Which column of C the thread's piece of four begins at."},
  };
}

std::vector<Question> quadrant_questions() {
  return {
      {.id = "wavefronts-a-step",
       .ask = "In one inner step k a warp (two rows of 16 threads) makes {TM/4} reads of `float4` "
              "from A's tile and {TN/4} from B's. In a read of B's tile, 16 threads want {16·4} "
              "neighbouring floats, and the other 16 the same. In one of A's, each row of threads "
              "wants a single `float4`, so that every lane has a neighbour with the same address. "
              "How many wavefronts do these {TM/4 + TN/4} reads take together?",
       .unit = "wavefronts",
       .work = "TM/4·2 + TN/4·4",
       .count = "shared_load_wavefronts/(warps_total·steps·BK)",
       .why =
           "A read of B's tile is served in quarters of 8 lanes: 4 wavefronts, each full. Where "
           "neighbours have the same address two quarters go together, so a read of A's tile takes "
           "2. None of these is a conflict; wide reads simply take several wavefronts each."},
      {.id = "wavefronts-of-a-store",
       .ask = "The price is paid when A's tile is stored. A thread has a `float4` of a row of A, "
              "of which {BK/4} threads hold one row of the tile, {BK} floats. In one of the four "
              "stores, those {BK/4} threads write to {BK/4} rows of `a_tile`, in the same column, "
              "and a row is {BM} words. How many wavefronts does such a store take?",
       .unit = "wavefronts",
       .work = "BK/4",
       .count = "shared_store_wavefronts/shared_store_requests",
       .why = "{BM} is a multiple of 32, so words in the same column are in the same bank, "
              "whatever their row: {BK/4} of them take {BK/4} wavefronts. The other threads of the "
              "warp write to other columns, and so to other banks. There are fewer stores than "
              "reads, so it pays.",
       .line = "a_tile[k + 0][i] = a_next[l].x;"},
      {.id = "longer-steps",
       .ask = "BK is {BK} here, where lesson 7 had 8, with the same tile of {BM}×{BN} elements of "
              "C. What does a longer step along K change?",
       .choices = {{"only half as many floats are loaded from global memory",
                    "load_floats == M·N·K·(1/BM + 1/BN)/2"},
                   {"only half as many barriers, for the same floats",
                    "load_floats == M·N·K·(1/BM + 1/BN) and barriers/warps_total < 2·⌈K/8⌉"},
                   {"neither",
                    "load_floats == M·N·K·(1/BM + 1/BN) and barriers/warps_total == 2·⌈K/8⌉"}},
       .why =
           "A step loads {BK}·({BM} + {BN}) floats, and there are {K}/{BK} steps: BK cancels out. "
           "But every step has two barriers, {2·steps} in all, where steps of 8 have {2·⌈K/8⌉}.",
       .whole_tiles = true},
  };
}

Kernel quadrants() {
  Kernel kernel;
  kernel.name = "bank_conflicts";
  kernel.title = "A transposed in shared memory, and a thread's 8×8 elements in four 4×4 pieces";
  kernel.settings = {{"BM", 128}, {"BN", 128}, {"BK", 16}, {"TM", 8}, {"TN", 8}};
  kernel.shape = [](const Settings& s) {
    require_pieces_of_four(s);
    const LaunchShape shape = tiled_shape(s, tile_floats(s));
    require_whole_loads(s, shape, 4);
    return shape;
  };
  kernel.traffic = tiled_traffic();
  kernel.has_whole_variant = true;
  kernel.notes = quadrant_notes();
  kernel.questions = quadrant_questions();
  return kernel;
}

std::vector<Note> padded_notes() {
  return {
      {"__shared__ float a_tile[BM][BK + PAD];",
       "Rows are PAD floats longer than needed, so that they begin in different banks."},
      {"b_tile[ty][tx * TN + 0] = values.x;",
       "The two floats are stored one by one: a row of odd length cannot take a `float2`."},
      {"sum[i][j] += a_tile[ty * TM + i][k] * b_tile[k][tx * TN + j];",
       "Lesson 5's line, unchanged: the padding is all there is."},
  };
}

std::vector<Question> padded_questions() {
  return {
      {.id = "padded-wavefronts",
       .ask = "In an inner step a warp of `padded_tiles` reads {TM} times from A's tile and {TN} "
              "times from B's, as in lesson 5, where that took {TM·2 + TN} wavefronts. Rows of A's "
              "tile are now {BK} + {PAD} words long. How many wavefronts is it now?",
       .unit = "wavefronts",
       .work = "TM + TN",
       .count = "shared_load_wavefronts/(warps_total·steps·BK)",
       .why = "The two words that a read of A's tile wants are {TM} rows apart: {TM}·{BK + PAD} = "
              "{TM·(BK + PAD)} words, which is not a multiple of 32. So they are in two banks, and "
              "each of the {TM + TN} reads takes one wavefront."},
      {.id = "padded-bytes",
       .ask = "How many bytes of shared memory does a block of `padded_tiles` take? Its tiles are "
              "{BM}×{BK} and {BK}×{BN} floats, with {PAD} more at the end of each row.",
       .unit = "bytes",
       .work = "4·(BM·(BK + PAD) + BK·(BN + PAD))",
       .count = "shared_bytes",
       .why = "{BM} rows of {BK + PAD} floats and {BK} rows of {BN + PAD}, 4 bytes each. Without "
              "the padding it would be {4·(BM·BK + BK·BN)}: conflicts are avoided cheaply."},
  };
}

std::vector<Note> padded_in_registers_notes() {
  return {
      {"a[i] = a_tile[ty * TM + i][k];",
       "The values that a thread needs get names of their own before it multiplies."},
      {"sum[i][j] += a[i] * b[j];", "Written so, it is plain that this line reads no memory."},
  };
}

std::vector<Question> padded_in_registers_questions() {
  return {
      {.id = "named-values",
       .ask = "The source of `padded_tiles` names two values of the tiles for each of {TM}·{TN} "
              "sums, {2·TM·TN} reads in an inner step. `padded_tiles_in_registers` first takes "
              "{TM} + {TN} values into registers. How many load requests to shared memory does its "
              "warp make in an inner step?",
       .unit = "requests",
       .work = "TM + TN",
       .count = "shared_load_requests/(warps_total·steps·BK)",
       .why = "One for each value. That is just as many as in `padded_tiles`: there the compiler "
              "sees by itself that {2·TM·TN} reads fetch only {TM + TN} different values, and "
              "reads each once."},
  };
}

Kernel padded(const char* name, const char* title, std::vector<Note> notes,
              std::vector<Question> questions) {
  Kernel kernel;
  kernel.notes = std::move(notes);
  kernel.questions = std::move(questions);
  kernel.name = name;
  kernel.title = title;
  kernel.settings = {{"BM", 32}, {"BN", 32}, {"BK", 16}, {"TM", 2}, {"TN", 2}, {"PAD", 1}};
  kernel.shape = [](const Settings& s) {
    require_one_load_a_thread(s, 2);
    const std::int64_t padding = s["PAD"] * (std::int64_t{s["BM"]} + s["BK"]);
    return tiled_shape(s, tile_floats(s) + padding);
  };
  kernel.traffic = tiled_traffic();
  kernel.has_whole_variant = true;
  return kernel;
}

}  // namespace

Lesson lesson_08_bank_conflicts() {
  Lesson lesson;
  lesson.kernels = {
      quadrants(),
      padded("padded_tiles", "2×2 elements a thread from tiles with padded rows", padded_notes(),
             padded_questions()),
      padded("padded_tiles_in_registers", "the same, its values taken into registers first",
             padded_in_registers_notes(), padded_in_registers_questions())};
  lesson.change =
      "The same loads from global memory, but no two lanes want different words of one bank of "
      "shared memory when they read.";
  return lesson;
}

}  // namespace gemm_tutor
