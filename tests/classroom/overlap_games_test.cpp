// Games with what overlaps in a kernel: loads and copies that nobody computes during, and barriers
// that order nothing. None of them passes, and all fair ways to have loads on their way do.
#include <string>
#include <utility>
#include <vector>

#include "checks.hpp"
#include "classroom/marks.hpp"
#include "classroom/one_submission.hpp"
#include "sample.hpp"
#include "simt/compiler.hpp"
#include "support/text.hpp"

namespace gemm_tutor::overlap {
namespace {

constexpr int pass = 60;

using Changes = std::vector<std::pair<std::string, std::string>>;

struct Game {
  std::string name, exercise;
  Changes changes;  // of the solution
  std::string before = {};

  Mark mark() const {
    std::string source = before + find_exercise(exercise).solution;
    for (const auto& [code, becomes] : changes) {
      INFO(name);
      source = replaced(source, code, becomes);
    }
    return mark_of_source(find_exercise(exercise), source, {.seed = 1});
  }
};

// Of exercise 9's step.
const std::string load =
    "    load(next_k0);  // a thread waits for the values only when it stores them\n";
const std::string compute = "    compute(buffer);\n";
const std::string store = "    store(buffer ^ 1);\n";

// A step that computes in two parts, from k = 0 up to `cut` and from there on.
Changes in_two_parts(const std::string& cut, const std::string& step) {
  return {{"const auto compute = [&](int buffer) {",
           "const auto compute = [&](int buffer, int from = 0, int to = BK) {"},
          {"for (int k = 0; k < BK; ++k) {\n      alignas",
           "for (int k = from; k < to; ++k) {\n      alignas"},
          {load + compute + store, "    constexpr int cut = " + cut + ";\n" + step}};
}

// With asynchronous copies in place of loads.
Changes with_copies(const std::string& step) {
  return {{"  const auto load = [&](int k0) {", R"(  const auto copy = [&](int buffer, int k0) {
    for (int e = thread; e < BM * BK; e += threads) {
      const int i = e / BK, k = e % BK;
      const bool exists = row0 + i < M && k0 + k < K;
      __pipeline_memcpy_async(&a_tile[buffer][k][i], exists ? &A[(row0 + i) * K + k0 + k] : A, 4,
                              exists ? 0 : 4);
    }
    for (int e = thread; e < BK * BN; e += threads) {
      const int k = e / BN, j = e % BN;
      const bool exists = k0 + k < K && column0 + j < N;
      __pipeline_memcpy_async(&b_tile[buffer][k][j], exists ? &B[(k0 + k) * N + column0 + j] : B, 4,
                              exists ? 0 : 4);
    }
    __pipeline_commit();
  };
  const auto load = [&](int k0) {)"},
          {load + compute + store, step},
          {"  load(0);\n  store(0);\n", "  copy(0, 0);\n  __pipeline_wait_prior(0);\n"}};
}

// Loads that are two steps ahead, in two sets of registers. In a step `buffer` is the parity of its
// tile, and the set of the same number is free.
Changes two_ahead(const std::string& step) {
  const std::string sets =
      " {\n    float4(&a_next)[a_loads] = a_sets[set];\n"
      "    float4(&b_next)[b_loads] = b_sets[set];\n";
  const std::string begin = "const auto step = [&](int buffer, int next_k0) {\n";
  const std::string& solution = find_exercise("9").solution;
  const std::size_t from = solution.find(begin),
                    to = solution.find("  for (int i = 0; i < TM;", from);
  return {
      {"float4 a_next[a_loads], b_next[b_loads];",
       "float4 a_sets[2][a_loads], b_sets[2][b_loads];"},
      {"const auto load = [&](int k0) {", "const auto load = [&](int set, int k0)" + sets},
      {"const auto store = [&](int buffer) {",
       "const auto store = [&](int buffer, int set)" + sets},
      {solution.substr(from, to - from), "const auto step = [&](int buffer, int k0) {\n" + step +
                                             "    if (k0 + BK < K) __syncthreads();\n  };\n" + R"(
  load(0, 0);
  store(0, 0);
  if (BK < K) load(1, BK);
  __syncthreads();
  for (int k0 = 0; k0 < K; k0 += 2 * BK) {
    step(0, k0);
    if (k0 + BK < K) step(1, k0 + BK);
  }
)"}};
}

const std::string wait_for_some = "wait_for_all_but<STAGES - 2>();",
                  wait_for_all = "wait_for_all_but<0>();";

std::vector<Game> games() {
  const std::string end_group_of_12 =
      "    if (more) load((stage + STAGES - 1) % STAGES);\n    end_group();\n";
  const std::string start_of_18 = "tile + STAGES - 1 < tiles) copy(write, step);\n";
  const std::string read_ahead_of_18 =
      "        if (step < last_step || more)\n"
      "          load_fragments((step + 1) % 2, read, (step + 1) % STEPS, slice);\n"
      "        multiply_fragments(step % 2, slice);\n      }\n";
  const std::string wait_of_18 =
      "      if (step == last_step) {\n        end_group();\n        next_stage_is_full();\n"
      "      }\n";
  const std::string start_of_19 = "      if (tile + STAGES - 1 < tiles) copy(write, step);\n";
  const std::string loop = "for (int k = 0; k < BK; k += 16) {\n";
  return {
      {"loads after the multiply-adds", "9", {{load + compute + store, compute + load + store}}},
      {"loads that are waited for at once",
       "9",
       {{load + compute + store, load + store + compute}}},
      {"loads in the middle of the multiply-adds", "9",
       in_two_parts("BK / 2", "    compute(buffer, 0, cut);\n" + load +
                                  "    compute(buffer, cut, BK);\n" + store)},
      {"loads of A after the multiply-adds",
       "9",
       {{"  const auto load = [&](int k0) {\n", "  const auto load_a = [&](int k0) {\n"},
        {"    for (int l = 0; l < b_loads; ++l) {\n      const int e = 4 * (thread + l * "
         "threads);\n"
         "      b_next",
         "  };\n  const auto load_b = [&](int k0) {\n    for (int l = 0; l < b_loads; ++l) {\n"
         "      const int e = 4 * (thread + l * threads);\n      b_next"},
        {load + compute + store,
         "    load_b(next_k0);\n" + compute + "    load_a(next_k0);\n" + store},
        {"  load(0);\n", "  load_a(0);\n  load_b(0);\n"}}},
      {"the same tile loaded early and late",
       "9",
       {{load + compute + store,
         load + compute +
             "    float4 early[a_loads];\n"
             "    for (int l = 0; l < a_loads; ++l) early[l] = a_next[l];\n" +
             load +
             "    for (int l = 0; l < a_loads; ++l)\n"
             "      if (__float_as_int(early[l].x) == 0x7fffffff) a_next[l].x = 0.0f;\n" +
             store}}},
      {"copies that are waited for at once", "9",
       with_copies("    copy(buffer ^ 1, next_k0);\n    __pipeline_wait_prior(0);\n" + compute),
       "#include <cuda_pipeline.h>\n"},
      {"a wait for all copies", "12", {{wait_for_some, wait_for_all}}},
      {"copies that are waited for at once",
       "12",
       {{end_group_of_12, end_group_of_12 + wait_for_all + "\n"}}},
      {"a barrier before the fragments", "16", {{loop, loop + "__syncthreads();\n"}}},
      {"a barrier after the products",
       "16",
       {{"multiply(sum[i][j], a[i], b[j]);\n      }\n",
         "multiply(sum[i][j], a[i], b[j]);\n      }\n      __syncthreads();\n"}}},
      {"a barrier before the fragments", "17", {{loop, loop + "__syncthreads();\n"}}},
      {"a wait for all copies",
       "18",
       {{wait_for_some, wait_for_all}, {wait_for_some, wait_for_all}}},
      {"copies that are waited for at once",
       "18",
       {{start_of_18, start_of_18 + "if (slice == 1 && step < last_step) {\n  end_group();\n  " +
                          wait_for_all + "\n}\n"}}},
      {"a barrier in each step",
       "18",
       {{"constexpr int last_step = STEPS - 1;\n",
         "constexpr int last_step = STEPS - 1;\n__syncthreads();\n"}}},
      {"fragments that are read when they are needed",
       "18",
       {{read_ahead_of_18 + "    }\n",
         "        multiply_fragments(step % 2, slice);\n      }\n" + wait_of_18 + "    }\n"},
        {wait_of_18 + "#pragma unroll\n",
         "#pragma unroll\n"
         "      for (int slice = 0; slice < SLICES && tile + step > 0; ++slice)\n"
         "        load_fragments(step % 2, now, step, slice);\n#pragma unroll\n"},
        {"      constexpr int last_step = STEPS - 1;\n",
         "      constexpr int last_step = STEPS - 1;\n      const unsigned now = read;\n"}}},
      {"a wait for all copies",
       "19",
       {{wait_for_some, wait_for_all}, {wait_for_some, wait_for_all}}},
      {"copies that are waited for at once",
       "19",
       {{start_of_19, start_of_19 + "end_group();\n" + wait_for_all + "\n"}}},
      {"a barrier for each 16 columns",
       "19",
       {{"        const bool last = j == NT - 1;",
         "        __syncthreads();\n        const bool last = j == NT - 1;"}}}};
}

}  // namespace

TEST_CASE("games: kernels that overlap nothing, or wait for no reason, do not pass", "[long]") {
  if (!simt::compiler_status().available) SKIP_BECAUSE("there is no compiler");
  for (const Game& game : sample_of(games(), 6)) {
    const Mark got = game.mark();
    INFO(game.name << ", " << game.exercise << ": " << got.points.total() << ", " << got.reason);
    CHECK(got.points.result == 50);
    CHECK(got.points.safety == 0);
    CHECK(got.points.total() < pass);
    CHECK(got.failed == "traffic");
    CHECK(contains(got.reason, "not what the exercise is about"));
  }
}

TEST_CASE("games: all fair ways to load early solve the exercise", "[long]") {
  if (!simt::compiler_status().available) SKIP_BECAUSE("there is no compiler");
  const std::string load_two = "    if (k0 + 2 * BK < K) load(buffer, k0 + 2 * BK);\n",
                    store_next = "    if (k0 + BK < K) store(buffer ^ 1, buffer ^ 1);\n";
  Changes by_moves =
      two_ahead("    if (k0 + 2 * BK < K) load(1, k0 + 2 * BK);\n" + compute +
                "    if (k0 + BK < K) store(buffer ^ 1, 0);\n"
                "    for (int l = 0; l < a_loads; ++l) a_sets[0][l] = a_sets[1][l];\n"
                "    for (int l = 0; l < b_loads; ++l) b_sets[0][l] = b_sets[1][l];\n");
  by_moves.insert(by_moves.end(),
                  {{"if (BK < K) load(1, BK);", "if (BK < K) load(0, BK);"},
                   {"  for (int k0 = 0; k0 < K; k0 += 2 * BK) {\n    step(0, k0);\n"
                    "    if (k0 + BK < K) step(1, k0 + BK);\n  }\n",
                    "#pragma unroll 1\n"
                    "  for (int k0 = 0; k0 < K; k0 += BK) step(k0 / BK % 2, k0);\n"}});
  const std::vector<Game> fair = {
      {"the solution", "9", {}},
      {"a store before the last products", "9",
       in_two_parts("BK - 2", load + "    compute(buffer, 0, cut);\n" + store +
                                  "    compute(buffer, cut, BK);\n")},
      {"a loop that is not unrolled",
       "9",
       {{"#pragma unroll\n    for (int k = 0; k < BK",
         "#pragma unroll 1\n    for (int k = 0; k < BK"}}},
      {"copies", "9",
       with_copies("    copy(buffer ^ 1, next_k0);\n" + compute +
                   "    __pipeline_wait_prior(0);\n"),
       "#include <cuda_pipeline.h>\n"},
      {"two steps ahead", "9", two_ahead(load_two + compute + store_next)},
      {"two steps ahead, stored first", "9", two_ahead(store_next + load_two + compute)},
      {"two steps ahead, loaded and stored first", "9", two_ahead(load_two + store_next + compute)},
      {"two steps ahead, moved from set to set", "9", by_moves},
      {"the fragments of a step read at once",
       "18",
       {{"      for (int slice = 0; slice < SLICES; ++slice) {\n        if (slice == 1",
         "      for (int slice = 0; slice < SLICES; ++slice)\n"
         "        if (step < last_step || more)\n"
         "          load_fragments((step + 1) % 2, read, (step + 1) % STEPS, slice);\n"
         "#pragma unroll\n      for (int slice = 0; slice < SLICES; ++slice) {\n"
         "        if (slice == 1"},
        {"        if (step < last_step || more)\n          load_fragments((step + 1) % 2, read, "
         "(step + 1) % STEPS, slice);\n        multiply",
         "        multiply"}}}};
  for (const Game& game : sample_of(fair, 4)) {
    const Mark got = game.mark();
    INFO(game.name << ", " << game.exercise << ": " << got.points.total() << ", " << got.reason);
    CHECK(got.solved());
  }
}

TEST_CASE("games: a few barriers too many cost no more than their goal") {
  if (!simt::compiler_status().available) SKIP_BECAUSE("there is no compiler");
  const std::string full = "    __syncthreads();  // the tiles are full\n";
  const Game fair[] = {{"a barrier before C is stored",
                        "16",
                        {{"  // Unrolled, because", "  __syncthreads();\n  // Unrolled, because"}}},
                       {"two barriers in place of one", "16", {{full, full + full}}},
                       {"a barrier at the end of the loop and at its start",
                        "3",
                        {{"  for (int k0 = 0; k0 < K; k0 += BK) {\n",
                          "  for (int k0 = 0; k0 < K; k0 += BK) {\n    __syncthreads();\n"}}}};
  for (const Game& game : fair) {
    const Mark got = game.mark();
    INFO(game.name << ", " << game.exercise << ": " << got.points.total() << ", " << got.reason);
    CHECK(got.points.safety == 25);
    CHECK(got.points.total() >= 90);
  }
}

}  // namespace gemm_tutor::overlap
