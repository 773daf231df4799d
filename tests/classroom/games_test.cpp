// Kernels that are right, or seem so, without doing what the exercise is about. None of them
// passes; and nothing that is said of a fair solution depends on the class's seed.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "checks.hpp"
#include "classroom/gradebook.hpp"
#include "classroom/marks.hpp"
#include "classroom/one_submission.hpp"
#include "exercise/check.hpp"
#include "gemm/matrices.hpp"
#include "sample.hpp"
#include "simt/compiler.hpp"
#include "support/parallel.hpp"
#include "support/text.hpp"

namespace gemm_tutor {
namespace {

constexpr int pass = 60;

Mark mark(const std::string& exercise, const std::string& source, std::uint64_t seed = 1) {
  return mark_of_source(find_exercise(exercise), source, {.seed = seed});
}

std::string solution(const std::string& exercise) { return find_exercise(exercise).solution; }

struct Place {
  std::size_t begin = 0, end = 0;
};

// Of the kernel's body in the solution, without its braces.
Place place_of_body(const Exercise& exercise) {
  const std::string& source = exercise.solution;
  const std::size_t kernel = source.find(" " + exercise.kernel.function + "(");
  REQUIRE(kernel != source.npos);
  const std::size_t open = source.find("{\n", kernel), close = source.find("\n}\n", open);
  REQUIRE(close != source.npos);
  return {open + 2, close + 1};
}

std::string body_of(const Exercise& exercise) {
  const Place place = place_of_body(exercise);
  return exercise.solution.substr(place.begin, place.end - place.begin);
}

// The solution with another body in its kernel.
std::string with_body(const Exercise& exercise, const std::string& body) {
  const Place place = place_of_body(exercise);
  return exercise.solution.substr(0, place.begin) + body + exercise.solution.substr(place.end);
}

// The same kernel, where the first of each `group` blocks does the work of them all, and the others
// count in vain, so that they execute about as many instructions.
std::string with_idle_blocks(const Exercise& exercise, unsigned group) {
  return with_body(exercise, fmt::format(R"(
  const uint3 own = blockIdx;
  const auto work = [&](const uint3& blockIdx) {{
{1}
  }};
  const unsigned blocks = gridDim.x * gridDim.y * gridDim.z;
  const unsigned first = (own.z * gridDim.y + own.y) * gridDim.x + own.x;
  if (first % {0} != 0) {{
    unsigned counted = first;
    const unsigned sums = M * N / (blocks * blockDim.x * blockDim.y) + 1;
    for (unsigned i = 0; i < sums * K; ++i) counted = counted * 1664525 + 1013904223;
    if (counted == 1) __trap();
    return;
  }}
  for (unsigned b = first; b < blocks && b < first + {0}; ++b) {{
    if (b > first) __syncthreads();
    work(make_uint3(b % gridDim.x, b / gridDim.x % gridDim.y, b / gridDim.x / gridDim.y));
  }}
)",
                                         group, body_of(exercise)));
}

// For any launch: all threads of the grid share the elements of C.
std::string naive_body(const Exercise& exercise) {
  const bool is_scaled = exercise.solution.find("float beta") != std::string::npos;
  return fmt::format(R"(
  const int threads = blockDim.x * blockDim.y;
  const int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  const int first = block * threads + threadIdx.y * blockDim.x + threadIdx.x;
  for (int e = first; e < M * N; e += threads * gridDim.x * gridDim.y * gridDim.z) {{
    const int i = e / N, j = e % N;
    float sum = 0.0f;
    for (int k = 0; k < K; ++k) sum += A[{}] * B[{}];
    C[e] = {};
  }}
)",
                     exercise.kernel.transposed.a ? "k * M + i" : "i * K + k",
                     exercise.kernel.transposed.b ? "j * K + k" : "k * N + j",
                     is_scaled ? "alpha * sum + beta * C[e]" : "sum");
}

struct Game {
  std::string name, exercise, source;
};

// Every one is right at all sizes, and nothing is found.
std::vector<Game> right_games() {
  std::vector<Game> games;
  const std::string tile = solution("3"), split = solution("split-k"),
                    ring = solution("ring-of-copies");
  const std::string product = "sum += a_tile[ty][k] * b_tile[k][tx];";
  const std::pair<const char*, std::string> in_inner_loop[] = {
      {"atomic operations in place of shared loads",
       "sum += atomicAdd(&a_tile[ty][k], 0.0f) * atomicAdd(&b_tile[k][tx], 0.0f);"},
      {"a barrier in the inner loop", product + " __syncthreads();"}};
  for (const auto& [name, becomes] : in_inner_loop) {
    games.push_back({name, "3", replaced(tile, product, becomes)});
  }
  games.push_back(
      {"shuffles in place of the loads of one tile", "3",
       replaced(
           replaced(replaced(tile, "  float sum = 0.0f;\n", "  float sum = 0.0f, mine[BK / BN];\n"),
                    "a_tile[ty][k + tx] = row < M", "mine[k / BN] = row < M"),
           product, "sum += __shfl_sync(~0u, mine[k / 32], k % 32) * b_tile[k][tx];")});
  games.push_back({"a barrier in the inner loop", "split-k",
                   replaced(split, "for (int k = 0; k < BK; ++k) {",
                            "for (int k = 0; k < BK; ++k) {\n      __syncthreads();")});
  for (const char* exercise : {"halve-the-wavefronts", "raise-intensity", "5"}) {
    games.push_back({"a barrier at each second product", exercise,
                     replaced(solution(exercise), "for (int k = 0; k < BK; ++k) {",
                              "for (int k = 0; k < BK; ++k) {\n"
                              "      if (k % 2 == 1) __syncthreads();")});
  }
  games.push_back({"a barrier of atomic operations", "3",
                   replaced(tile, "__syncthreads();  // all threads have read them",
                            "__shared__ int arrived;\n"
                            "    if (k0 == 0 && tx + ty == 0) arrived = 0;\n"
                            "    __syncthreads();\n"
                            "    atomicAdd(&arrived, 1);\n"
                            "    while (atomicAdd(&arrived, 0) % (BM * BN) != 0) {}\n"
                            "    __syncthreads();")});
  games.push_back({"multiply-adds of no use", "raise-intensity",
                   replaced(find_exercise("raise-intensity").handout,
                            "for (int j = 0; j < 16; ++j) sum[j] += a * b_part[k]"
                            "[my_column + 4 * j];",
                            "for (int j = 0; j < 16; ++j) sum[j] += a * b_part[k]"
                            "[my_column + 4 * j];\n"
                            "      for (int i = 0; i < 20; ++i) none = fmaf(none, a, a);")});
  games.back().source = replaced(replaced(games.back().source, "float sum[16] = {};",
                                          "float sum[16] = {};\n  float none = 0.0f;"),
                                 "C[row * N + column] = sum[j];",
                                 "C[row * N + column] = none == 12345.0f ? none : sum[j];");
  games.push_back({"the work of all by one block", "split-k",
                   replaced(replaced(split, "const int begin = blockIdx.z * steps_of_block * BK;",
                                     "const int begin = 0;"),
                            "min(K, begin + steps_of_block * BK)", "blockIdx.z == 0 ? K : 0")});
  games.push_back(
      {"a wait for all copies", "ring-of-copies",
       replaced(ring, "__pipeline_wait_prior(STAGES - 2)", "__pipeline_wait_prior(0)")});
  games.push_back({"a wait for all copies after one that leaves some", "ring-of-copies",
                   replaced(ring, "__pipeline_wait_prior(STAGES - 2);",
                            "__pipeline_wait_prior(STAGES - 2);\n"
                            "    __pipeline_wait_prior(0);")});
  games.push_back({"the same with a synchronisation of the warp between", "ring-of-copies",
                   replaced(ring, "__pipeline_wait_prior(STAGES - 2);",
                            "__pipeline_wait_prior(STAGES - 2);\n"
                            "    __syncwarp();\n"
                            "    __pipeline_wait_prior(0);")});
  games.push_back({"the same with a barrier between", "ring-of-copies",
                   replaced(ring, "__syncthreads();",
                            "__syncthreads();\n    __pipeline_wait_prior(0);\n"
                            "    __syncthreads();")});
  games.push_back({"the same with products between", "ring-of-copies",
                   replaced(ring, "__pipeline_wait_prior(STAGES - 2);",
                            "__pipeline_wait_prior(STAGES - 2);\n"
                            "    for (int i = threadIdx.z; i < K - step; ++i) none += none * tx;\n"
                            "    __pipeline_wait_prior(0);")});
  games.back().source = replaced(replaced(games.back().source, "float sum[2][2] = {};",
                                          "float sum[2][2] = {};\n  float none = 0.0f;"),
                                 "C[row * N + column] = sum[i][j];",
                                 "C[row * N + column] = none == 12345.0f ? none : sum[i][j];");
  for (const int turns : {8, 16}) {
    games.push_back(
        {fmt::format("lanes that store in {} turns", turns), "swizzle",
         replaced(find_exercise("swizzle").handout, "a_part[k][i] = inside ?",
                  fmt::format("for (int turn = 0; turn < {0}; ++turn, __syncwarp())\n"
                              "        if (thread % {0} == turn) a_part[k][i] = inside ?",
                              turns))});
  }
  // The odd threads start the last tile first, and wait for it at the end.
  std::string last_first = ring;
  for (const auto& [code, becomes] : {
           std::pair("const auto load = [&](int step) {",
                     "const auto load = [&](int step, int stage) {"),
           std::pair("const int stage = step % STAGES, start", "const int start"),
           std::pair("for (int e = thread; e < BM", "for (int e = thread / 2; e < BM"),
           std::pair("e < BM * BK; e += threads", "e < BM * BK; e += threads / 2"),
           std::pair("for (int e = thread; e < BK", "for (int e = thread / 2; e < BK"),
           std::pair("e < BK * BN; e += threads", "e < BK * BN; e += threads / 2"),
           std::pair("  for (int step = 0; step < STAGES - 1; ++step) {\n    load(step);\n"
                     "    __pipeline_commit();\n  }\n",
                     "  if (thread % 2 == 1) load(steps - 1, 2);\n"),
           std::pair("    __pipeline_wait_prior(STAGES - 2);\n",
                     "    const int stage = step == steps - 1 ? 2 : step % 2;\n"
                     "    if (thread % 2 == 0 && step < steps - 1) {\n"
                     "      load(step, stage);\n"
                     "      __pipeline_commit();\n"
                     "      __pipeline_wait_prior(0);\n"
                     "    }\n"
                     "    if (step == steps - 1) {\n"
                     "      __pipeline_commit();\n"
                     "      __pipeline_wait_prior(0);\n"
                     "    }\n"),
           std::pair("    if (step + STAGES - 1 < steps) load(step + STAGES - 1);\n", ""),
           std::pair("    __pipeline_commit();  // even if empty, so that each step has one group\n"
                     "    const int stage = step % STAGES;\n",
                     ""),
       })
    last_first = replaced(last_first, code, becomes);
  games.push_back({"the last tile is copied for all of the time", "ring-of-copies", last_first});
  const Exercise& whole = find_exercise("whole-tiles-only");
  for (const char* as_asked :
       {"K % BK == 0",
        "M == 64 && N == 64 && K == 64 || M / BM == 1 && N / BN == 1 && K / BK == 2"})
    games.push_back({fmt::format("another kernel unless {}", as_asked), "whole-tiles-only",
                     with_body(whole, fmt::format("  if (!({})) {{", as_asked) + naive_body(whole) +
                                          "    return;\n  }\n" + body_of(whole))});
  games.push_back({"one warp for all", "3", with_body(find_exercise("3"), R"(
  __shared__ float a_tile[BM][BK], b_tile[BK][BN];
  const int tx = threadIdx.x, row = blockIdx.y * BM, column = blockIdx.x * BN + tx;
  float sum[BM] = {};
  for (int k0 = 0; k0 < K; k0 += BK) {
    for (int e = tx; threadIdx.y == 0 && e < BM * BK; e += BN) {
      const int i = e / BK, k = e % BK;
      a_tile[i][k] = row + i < M && k0 + k < K ? A[(row + i) * K + k0 + k] : 0.0f;
    }
    for (int k = 0; threadIdx.y == 0 && k < BK; ++k)
      b_tile[k][tx] = k0 + k < K && column < N ? B[(k0 + k) * N + column] : 0.0f;
    __syncthreads();
    for (int k = 0; threadIdx.y == 0 && k < BK; ++k)
      for (int i = 0; i < BM; ++i) sum[i] += a_tile[i][k] * b_tile[k][tx];
    __syncthreads();
  }
  for (int i = 0; threadIdx.y == 0 && i < BM; ++i)
    if (row + i < M && column < N) C[(row + i) * N + column] = sum[i];
)")});
  return games;
}

}  // namespace

TEST_CASE("games: the naive kernel passes in no exercise that is about more", "[long]") {
  if (!simt::compiler_status().available) SKIP_BECAUSE("there is no compiler");
  std::vector<const Exercise*> about_more;
  for (const Exercise& exercise : exercises()) {
    constexpr std::array naive = {"cpu-loop", "naive-uncoalesced", "naive-coalesced",
                                  "too-many-sectors"};
    const bool has_parameters = exercise.solution.find("const float* A") != std::string::npos;
    if (has_parameters && std::ranges::count(naive, exercise.slug) == 0)
      about_more.push_back(&exercise);
  }
  CHECK(about_more.size() > 20);
  about_more = sample_of(std::move(about_more), 6);
  std::vector<Mark> marks(about_more.size());
  parallel_for(std::ssize(marks), core_count(), [&](std::int64_t i, int) {
    const Exercise& exercise = *about_more[i];
    marks[i] = mark(exercise.slug, with_body(exercise, naive_body(exercise)));
  });
  for (std::size_t i = 0; i < marks.size(); ++i) {
    INFO(about_more[i]->slug << ": " << marks[i].points.total() << ", " << marks[i].reason);
    CHECK(marks[i].points.total() < pass);
    CHECK(marks[i].failed != "compile");
    CHECK(marks[i].failed != "submission");
  }
}

TEST_CASE("games: right kernels that do something else do not pass", "[long]") {
  if (!simt::compiler_status().available) SKIP_BECAUSE("there is no compiler");
  for (const Game& game : sample_of(right_games(), 9)) {
    const Mark got = mark(game.exercise, game.source);
    INFO(game.name << ": " << got.points.total() << ", " << got.reason);
    CHECK(got.points == Points{50, 0, 0});
    CHECK(got.failed == "traffic");
    CHECK(contains(got.reason, "not what the exercise is about"));
  }
}

TEST_CASE("games: without its central goal a right kernel does not pass", "[long]") {
  if (!simt::compiler_status().available) SKIP_BECAUSE("there is no compiler");
  std::string copied = find_exercise("swizzle").handout;
  for (const auto& [code, becomes] : {
           std::pair("a_part[k][i] = inside ? A[(first_row + i) * K + start + k] : 0.0f;",
                     "const float* from = inside ? &A[(first_row + i) * K + start + k] : A;\n"
                     "      __pipeline_memcpy_async(&a_part[k][i], from, 4, inside ? 0 : 4);"),
           std::pair("    __syncthreads();\n\n",
                     "    __pipeline_commit();\n    __pipeline_wait_prior(0);\n"
                     "    __syncthreads();\n\n"),
       })
    copied = replaced(copied, code, becomes);
  const Game games[] = {
      {"asynchronous copies with conflicts", "swizzle", "#include <cuda_pipeline.h>\n" + copied},
      {"conflicts as before", "8", with_body(find_exercise("8"), body_of(find_exercise("7")))},
      {"padding without a swizzle of stores", "swizzle",
       replaced(find_exercise("swizzle").handout, "a_part[BK][BM]", "a_part[BK][BM + 4]")},
      {"a barrier of the block", "warp-alone",
       replaced(solution("warp-alone"), "__syncwarp();\n\n", "__syncthreads();\n\n")}};
  for (const Game& game : games) {
    const Mark got = mark(game.exercise, game.source);
    INFO(game.name << ": " << got.points.total() << ", " << got.reason);
    CHECK(got.points.result == 50);
    CHECK(got.points.safety == 0);
    CHECK(got.points.total() < pass);
  }
}

TEST_CASE(
    "games: a kernel that goes most of the way to its central goal is better than the handout") {
  if (!simt::compiler_status().available) SKIP_BECAUSE("there is no compiler");
  const std::string name = "raise-intensity", handout = find_exercise(name).handout;
  std::string two_by_eight = solution(name);
  for (const auto& [code, becomes] : {
           std::pair("thread / 16, my_column = thread % 16", "thread / 8, my_column = thread % 8"),
           std::pair("float sum[4][4]", "float sum[2][8]"),
           std::pair("a[4], b[4]", "a[2], b[8]"),
           std::pair("i < 4; ++i) a[i] = a_part[my_row + 8 * i]",
                     "i < 2; ++i) a[i] = a_part[my_row + 16 * i]"),
           std::pair("j < 4; ++j) b[j] = b_part[k][my_column + 16 * j]",
                     "j < 8; ++j) b[j] = b_part[k][my_column + 8 * j]"),
           std::pair("for (int i = 0; i < 4; ++i) {\n        for (int j = 0; j < 4; ++j) sum",
                     "for (int i = 0; i < 2; ++i) {\n        for (int j = 0; j < 8; ++j) sum"),
           std::pair("for (int i = 0; i < 4; ++i) {\n    for (int j = 0; j < 4; ++j) {",
                     "for (int i = 0; i < 2; ++i) {\n    for (int j = 0; j < 8; ++j) {"),
           std::pair("my_row + 8 * i,", "my_row + 16 * i,"),
           std::pair("my_column + 16 * j;\n", "my_column + 8 * j;\n"),
       })
    two_by_eight = replaced(two_by_eight, code, becomes);
  const Mark near = mark(name, two_by_eight), as_handed_out = mark(name, handout);
  INFO(near.points.total() << ", " << near.reason);
  CHECK(as_handed_out.points == Points{50, 0, 4});
  CHECK(near.points == Points{50, 0, 8});
  CHECK(contains(near.reason, "78 % of the way there from the file as handed out"));
}

TEST_CASE("games: what fair kernels do at edges passes with any seed", "[long]") {
  if (!simt::compiler_status().available) SKIP_BECAUSE("there is no compiler");
  const std::string tile = solution("3"), tensor = solution("16");
  const std::string clamped =
      replaced(replaced(tile, "row < M && a_column < K ? A[row * K + a_column] : 0.0f",
                        "A[min(row, M - 1) * K + min(a_column, K - 1)] * float(a_column < K)"),
               "b_row < K && column < N ? B[b_row * N + column] : 0.0f",
               "B[min(b_row, K - 1) * N + min(column, N - 1)] * float(b_row < K)");
  const Game fair[] = {
      {"indices that are clamped", "3", clamped},
      {"products of elements alone", "3",
       replaced(tile, "for (int k = 0; k < BK; ++k)",
                "for (int k = 0; row < M && column < N && k < min(BK, K - k0); ++k)")},
      {"products of tiles in C alone", "16",
       replaced(tensor, "for (int k = 0; k < BK; k += 16)",
                "for (int k = 0; row0 + m0 < M && column0 + n0 < N && k < min(BK, K - k0); k += "
                "16)")},
      {"shared memory for a budget of loads", "loads-budget",
       with_body(find_exercise("loads-budget"), R"(
  __shared__ float a_tile[32][8], b_tile[8][64];
  const int tx = threadIdx.x, ty = threadIdx.y, thread = ty * 16 + tx;
  const int row0 = blockIdx.y * 32, column0 = blockIdx.x * 64;
  float sum[4][4] = {};
  for (int k0 = 0; k0 < K; k0 += 8) {
    for (int e = thread; e < 256; e += 128) {
      const int row = row0 + e / 8, k = k0 + e % 8;
      a_tile[e / 8][e % 8] = row < M && k < K ? A[row * K + k] : 0.0f;
    }
    for (int e = thread; e < 512; e += 128) {
      const int k = k0 + e / 64, column = column0 + e % 64;
      b_tile[e / 64][e % 64] = k < K && column < N ? B[k * N + column] : 0.0f;
    }
    __syncthreads();
    for (int k = 0; k < 8; ++k)
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) sum[i][j] += a_tile[ty + 8 * i][k] * b_tile[k][tx + 16 * j];
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) {
      const int row = row0 + ty + 8 * i, column = column0 + tx + 16 * j;
      if (row < M && column < N) C[row * N + column] = sum[i][j];
    }
  }
)")}};
  for (const Game& game : fair) {
    for (const std::uint64_t seed : {1, 2, 3, 4711}) {
      const Mark got = mark(game.exercise, game.source, seed);
      INFO(game.name << ", " << seed << ": " << got.points.total() << ", " << got.reason);
      CHECK(got.points.safety == 25);
      CHECK(got.points.total() > 80);
    }
  }
}

TEST_CASE("games: half of the blocks may not do the work of all, while the others count",
          "[long]") {
  if (!simt::compiler_status().available) SKIP_BECAUSE("there is no compiler");
  struct Idle {
    const Exercise* exercise;
    unsigned group;
    Mark got = {};
  };
  std::vector<Idle> tried;
  for (const Exercise& exercise : exercises()) {
    const bool has_blocks = contains(body_of(exercise), "blockIdx");
    // One thread computes all of C where it is counted.
    if (!has_blocks || exercise.slug == "cpu-loop") continue;
    for (const unsigned group : {1U, 2U}) tried.push_back({&exercise, group});
  }
  CHECK(tried.size() > 40);
  tried = sample_of(std::move(tried), 8);
  parallel_for(std::ssize(tried), core_count(), [&](std::int64_t i, int) {
    const Exercise& exercise = *tried[i].exercise;
    tried[i].got = mark(exercise.slug, with_idle_blocks(exercise, tried[i].group));
  });
  for (const Idle& one : tried) {
    INFO(one.exercise->slug << ", " << one.group << ": " << one.got.points.total() << ", "
                            << one.got.reason);
    if (one.group == 1) {
      CHECK(one.got.solved());
    } else {
      CHECK(one.got.points == Points{50, 0, 0});
      CHECK(contains(one.got.reason, "multiply-adds of the busiest warp"));
    }
  }
}

TEST_CASE("games: what is counted must be right") {
  if (!simt::compiler_status().available) SKIP_BECAUSE("there is no compiler");
  const Exercise& exercise = find_exercise("split-k");
  const Problem counted = exercise.terms.goals.front().problem;
  CHECK(std::ranges::count(exercise.terms.sizes, counted) == 0);
  const std::string fake = fmt::format("  if (M == {} && N == {} && K == {}) return;\n", counted.m,
                                       counted.n, counted.k);
  const Mark got = mark(exercise.slug, with_body(exercise, fake + body_of(exercise)));
  INFO(got.points.total() << ", " << got.reason);
  CHECK(got.failed == "result");
  CHECK(got.points.total() < pass);
}

TEST_CASE("games: in an exercise with a library, only the library multiplies") {
  if (!simt::compiler_status().available) SKIP_BECAUSE("there is no compiler");
  const Exercise& exercise = find_exercise("cublas");
  const std::string call = body_of(exercise), naive = naive_body(exercise);
  const std::string call_for_nothing = replaced(call, "N, M, K, &one", "0, M, K, &one");
  std::string by_rows = exercise.handout;
  for (const auto& [code, becomes] : {
           std::pair("X[column * ldx + row] : X[row * ldx + column]",
                     "X[row * ldx + column] : X[column * ldx + row]"),
           std::pair("if (lda < rows_of_a || ldb < rows_of_b || ldc < m) return;", ""),
           std::pair("C[column * ldc + row]", "C[row * ldc + column]"),
       })
    by_rows = replaced(by_rows, code, becomes);
  for (const std::string& source :
       {with_body(exercise, naive), with_body(exercise, call_for_nothing + naive), by_rows}) {
    const Mark got = mark("cublas", source);
    INFO(source << got.points.total() << ", " << got.reason);
    CHECK(got.points == Points{50, 0, 0});
    CHECK(contains(got.reason, "outside of the library"));
  }
  const std::string fair[] = {with_body(exercise, "  // B first.\n" + call),
                              replaced(exercise.solution, "const float one = 1.0f, zero = 0.0f;",
                                       "float one = 1.0f;\n  float zero = one - one;"),
                              "// My own words.\n" + exercise.solution};
  for (const std::string& source : fair) CHECK(mark("cublas", source).solved());
}

// It knows C for the sizes and the seed that everybody can see.
TEST_CASE("games: a table of C passes neither with the seed that it was made for nor with another",
          "[long]") {
  if (!simt::compiler_status().available) SKIP_BECAUSE("there is no compiler");
  const Exercise& exercise = find_exercise("2");
  std::string tables, body;
  for (const Problem& p : exercise.terms.sizes) {
    const Matrices of = make_matrices(p, check_seed);
    std::vector<std::string> numbers;
    for (int i = 0; i < p.m; ++i) {
      for (int j = 0; j < p.n; ++j) {
        double sum = 0;
        for (int k = 0; k < p.k; ++k) {
          sum += double{of.a[static_cast<std::size_t>(i) * p.k + k]} *
                 of.b[static_cast<std::size_t>(k) * p.n + j];
        }
        numbers.push_back(fmt::format("{:.9g}", sum));
      }
    }
    const std::string name = fmt::format("c_{}_{}_{}", p.m, p.n, p.k);
    tables += fmt::format("__device__ const float {}[] = {{{}}};\n", name, join(numbers, ", "));
    body += fmt::format("  if (M == {} && N == {} && K == {}) table = {};\n", p.m, p.n, p.k, name);
  }
  const std::string source = tables + with_body(exercise, "  const float* table = A;\n" + body + R"(
  const int threads = blockDim.x * blockDim.y;
  const int block = blockIdx.y * gridDim.x + blockIdx.x;
  const int first = block * threads + threadIdx.y * blockDim.x + threadIdx.x;
  for (int e = first; e < M * N; e += threads * gridDim.x * gridDim.y) C[e] = table[e];
)");
  const Mark known = mark("2", source), secret = mark("2", source, 4711);
  INFO(known.reason << "; " << secret.reason);
  CHECK(known.points.total() < 50);
  CHECK(secret.points.total() < known.points.total());
}

TEST_CASE("games: words that are pasted together, and clusters that no GPU launches") {
  if (!simt::compiler_status().available) SKIP_BECAUSE("there is no compiler");
  const std::string tile = solution("3");
  for (const char* hidden :
       {"#define CAT(a, b) a##b\n", "#define CAT(a, b) a %:%: b\n", "#define X THRUST_PP_CAT2\n",
        "#define X __CONCAT(__TI, ME__)\n", "#define X _NV_CONCAT_EVAL(__TI, ME__)\n",
        "#define X _NV_PASTE5\n", "#define X _CG_CONCAT_OUTER\n", "#define X NVTX3_CONCAT\n",
        "#define X _CCCL_PP_SPLICE_WITH_IMPL2\n"}) {
    INFO(hidden);
    CHECK(mark("3", hidden + tile).failed == "submission");
  }
  CHECK(mark("3", "#define CATCH 1\n#define _REPLICATES 2\n" + tile).solved());
  if (!simt::compiler_status().has_assembler) SKIP_BECAUSE("clang knows no clusters");
  const Mark clusters =
      mark("3", replaced(tile, "__global__ void", "__global__ void __cluster_dims__(64, 1, 1)"));
  CHECK(clusters.failed == "compile");
  CHECK(contains(clusters.reason, "clusters of 64 blocks"));
  for (const char* some : {"(3, 1, 1)", "(2, 1, 1)", "(1, 2)"}) {
    INFO(some);
    const Mark parts = mark("3", replaced(tile, "__global__ void",
                                          fmt::format("__global__ void __cluster_dims__{}", some)));
    CHECK(parts.failed == "compile");
    CHECK(contains(parts.reason, "is no multiple of"));
  }
  const std::string one = replaced(tile, "__global__ void", "__global__ void __cluster_dims__(1)");
  CHECK(mark("3", one).solved());
}

TEST_CASE("games: each remainder of a division by 8 is met, in an order that the seed decides") {
  const Exercise& exercise = find_exercise("3");
  const auto sizes = [&](std::uint64_t seed) { return further_sizes_of(exercise, seed); };
  CHECK(sizes(1) == sizes(1));
  CHECK(sizes(1) != sizes(2));
  for (const std::uint64_t seed : {1, 2, 3}) {
    for (int Problem::*extent : {&Problem::m, &Problem::n, &Problem::k}) {
      std::vector<int> remainders;
      for (const Problem& size : sizes(seed)) remainders.push_back(size.*extent % 8);
      for (int r = 0; r < 8; ++r) CHECK(std::ranges::count(remainders, r) > 0);
    }
  }
}

TEST_CASE(
    "games: a note tells the teacher of a solution with other names, and of no other kernel") {
  const Exercise& exercise = find_exercise("halve-the-wavefronts");
  CHECK(likeness_text(exercise, exercise.handout) == "");
  CHECK(contains(likeness_text(exercise, exercise.solution), "text of the solution"));
  for (const char* gaps : {"3", "14"}) {
    INFO(gaps);
    const Exercise& open = find_exercise(gaps);
    std::string windows;
    for (const char c : open.solution)
      windows += c == '\n' ? std::string("\r\n") : std::string(1, c);
    CHECK(contains(likeness_text(open, windows), "text of the solution"));
    CHECK(contains(likeness_text(open, replaced(open.solution, "{\n", "{  // mine\n")),
                   "lines of the solution"));
    // The handout with lines in its gaps.
    std::string filled = open.handout;
    for (std::size_t at = filled.find("// GAP"); at != filled.npos; at = filled.find("// GAP", at))
      filled.replace(at, 6, "const int left = 1, right = left + 1;  // gap");
    CHECK(likeness_text(open, filled) == "");
  }
  const Exercise& larger = find_exercise("raise-intensity");
  std::string renamed = larger.solution;
  for (const auto& [name, other] : {std::pair("a_part", "left"), std::pair("b_part", "right"),
                                    std::pair("first_row", "top"), std::pair("sum", "total")}) {
    for (std::size_t at = renamed.find(name); at != renamed.npos; at = renamed.find(name, at + 1))
      renamed.replace(at, std::string_view(name).size(), other);
  }
  CHECK(contains(likeness_text(larger, renamed), "structure of the solution in 100 %"));
  CHECK(likeness_text(larger, with_body(larger, naive_body(larger))) == "");
}

}  // namespace gemm_tutor
