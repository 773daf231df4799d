// Mistakes that learners make: each solution with one of them put in is checked like a learner's
// file. It must fail where it should, and the report must name the mistake.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "catch.hpp"
#include "compile/compiler.hpp"
#include "exercise/check.hpp"

namespace gemm_tutor {
namespace {

struct Edit {
  std::string text;  // there is one such place in the solution, or in what the edit before leaves
  std::string replacement;
};

struct Mistake {
  std::string name;
  std::string exercise;
  std::vector<Edit> edits;
  Stage stage = Stage::result;
  std::vector<std::string> words;  // all of them in what the report says, capitals or not
};

// clang-format off
const std::vector<Mistake> mistakes = {
    // Lesson 1
    {"a semicolon is forgotten", "1",
     {{"float sum = 0.0f;", "float sum = 0.0f"}},
     Stage::compile, {"expected", ";"}},
    {"a name is misspelt", "1",
     {{"blockIdx.x * blockDim.x", "blockIdx.x * blockDin.x"}},
     Stage::compile, {"blockDin"}},
    {"<= for < in the loop along K", "1",
     {{"k < K", "k <= K"}},
     Stage::result, {"bounds", "k < K"}},
    {"the guard asks for > in place of >=", "1",
     {{"row >= M || column >= N", "row > M || column > N"}},
     Stage::result, {"bounds", "beyond the edge"}},
    {"no guard", "1",
     {{"if (row >= M || column >= N) return;", ""}},
     Stage::result, {"bounds", "beyond the edge"}},
    {"= for +=", "1",
     {{"sum += A", "sum = A"}},
     Stage::result, {"all of C", "+= for ="}},
    {"row and column exchanged where C is stored", "1",
     {{"C[row * N + column]", "C[column * N + row]"}},
     Stage::result, {"all but the diagonal", "race", "row and column are exchanged"}},
    {"A's rows taken to be N long", "1",
     {{"A[row * K + k]", "A[row * N + k]"}},
     Stage::result, {"all rows but row 0", "bounds", "A[row * N + k] in place of"}},
    {"B read by columns", "1",
     {{"B[k * N + column]", "B[column * N + k]"}},
     Stage::result, {"bounds", "B[column * K + k] in place of"}},
    {"the block's index forgotten", "1",
     {{"blockIdx.y * blockDim.y + threadIdx.y", "threadIdx.y"}},
     Stage::result, {"race"}},
    {"the sum is stored in every step", "1",
     {{"  }\n  C[row * N + column] = sum;", "    C[row * N + column] = sum;\n  }"}},
     Stage::traffic, {"floats stored", "every step"}},
    {"a loop without end", "1",
     {{"++k", "k"}},
     Stage::result, {"endless", "never"}},

    {"the sum is never begun", "1",
     {{"float sum = 0.0f", "float sum"}},
     Stage::result, {"never set", "begin it with 0"}},

    // Lesson 2
    {"x and y as in lesson 1", "2",
     {{"blockIdx.y * blockDim.y + threadIdx.y", "blockIdx.?"},
      {"blockIdx.x * blockDim.x + threadIdx.x", "blockIdx.y * blockDim.y + threadIdx.y"},
      {"blockIdx.?", "blockIdx.x * blockDim.x + threadIdx.x"}},
     Stage::traffic, {"sectors for each load request", "neighbours in x"}},
    {"the sum begins with 1", "2",
     {{"float sum = 0.0f", "float sum = 1.0f"}},
     Stage::result, {"all of C", "C is 1 more"}},
    {"the last product left out", "2",
     {{"k < K", "k < K - 1"}},
     Stage::result, {"last of K = 64 products"}},
    {"C is summed up in memory", "2",
     {{"sum += A[row * K + k] * B[k * N + column];",
       "C[row * N + column] += A[row * K + k] * B[k * N + column];"},
      {"  C[row * N + column] = sum;\n", ""}},
     Stage::result, {"uninitialised", "reads C["}},

    // Lesson 3
    {"no barrier once the tiles are full", "3",
     {{"__syncthreads();  // the tiles are full", ""}},
     Stage::result, {"race", "after the tiles are filled and before they are read"}},
    {"no barrier before the tiles are filled again", "3",
     {{"__syncthreads();  // nobody needs them any more", ""}},
     Stage::result, {"race", "at the end of the loop's step"}},
    {"a barrier inside an if", "3",
     {{"__syncthreads();  // the tiles are full", "if (row < M) __syncthreads();"}},
     Stage::safety, {"barrier", "all threads of the block"}},
    {"threads beyond C return early", "3",
     {{"float sum = 0.0f;", "if (row >= M || column >= N) return;\n  float sum = 0.0f;"}},
     Stage::result, {"return"}},
    {"A copied beyond its edges", "3",
     {{"row < M && a_column < K ? A[row * K + a_column] : 0.0f", "A[row * K + a_column]"}},
     Stage::result, {"bounds", "reads A["}},
    {"the guard of A forgets where K ends", "3",
     {{"row < M && a_column < K ?", "row < M ?"}},
     Stage::result, {"bounds", "k < K"}},
    {"k0 forgotten in A's column", "3",
     {{"const int a_column = k0 + k + tx;", "const int a_column = k + tx;"}},
     Stage::result, {"the first step's tile of A"}},
    {"the sum starts anew in every step", "3",
     {{"float sum = 0.0f;\n  for (int k0 = 0; k0 < K; k0 += BK) {",
       "float sum;\n  for (int k0 = 0; k0 < K; k0 += BK) {\n    sum = 0.0f;"}},
     Stage::result, {"last step"}},
    {"the tail of K dropped", "3",
     {{"k0 < K; k0 += BK", "k0 + BK <= K; k0 += BK"}},
     Stage::result, {"last 1 of K = 33 products", "does not fill"}},
    {"the tile of A read by columns", "3",
     {{"a_tile[ty][k] * b_tile[k][tx]", "a_tile[k][ty] * b_tile[k][tx]"}},
     Stage::result, {"a_tile[k][row]"}},
    {"both tiles stored with rows and columns exchanged, and read so", "3",
     {{"b_tile[k + ty][tx] =", "b_tile[tx][k + ty] ="},
      {"a_tile[ty][k] * b_tile[k][tx]", "a_tile[ty][k] * b_tile[tx][k]"}},
     Stage::traffic, {"for each multiply-add", "column"}},
    {"the sum made from A itself", "3",
     {{"sum += a_tile[ty][k] * b_tile[k][tx];",
       "if (row < M && k0 + k < K) sum += A[row * K + k0 + k] * b_tile[k][tx];"}},
     Stage::traffic, {"floats loaded from global memory", "from the tiles"}},
    {"neighbours in x copy down a column of B", "3",
     {{"const int b_row = k0 + k + ty;", "const int b_row = k0 + tx, b_column = blockIdx.x * BN + ty;"},
      {"b_tile[k + ty][tx] = b_row < K && column < N ? B[b_row * N + column] : 0.0f;",
       "b_tile[tx][ty] = b_row < K && b_column < N ? B[b_row * N + b_column] : 0.0f;"}},
     Stage::traffic, {"sectors for each load request", "side by side"}},
    {"a barrier in the loop over k", "3",
     {{"sum += a_tile[ty][k] * b_tile[k][tx];",
       "sum += a_tile[ty][k] * b_tile[k][tx];\n      __syncthreads();"}},
     Stage::traffic, {"barriers", "inside the loop"}},
    {"the step does not move on", "3",
     {{"k0 < K; k0 += BK", "k0 < K; k0 += 0"}},
     Stage::result, {"endless", "never"}},

    // Lesson 4
    {"* TM forgotten", "4",
     {{"blockIdx.y * BM + threadIdx.y * TM", "blockIdx.y * BM + threadIdx.y"}},
     Stage::result, {"race", "elements that it computes"}},
    {"only the rows of the tile guarded", "4",
     {{"if (row + i < M && column + j < N) C", "if (row + i < M) C"}},
     Stage::result, {"bounds", "writes C["}},
    {"A's first row taken for all of a thread's", "4",
     {{"A[(row + i) * K + k]", "A[row * K + k]"}},
     Stage::result, {"rows 1 to 7 of every 8", "index within the thread is missing"}},
    {"each value loaded again for each sum", "4",
     {{"sum[i][j] += a[i] * b[j];",
       "sum[i][j] += *(volatile const float*)&A[min(row + i, M - 1) * K + k] * b[j];"}},
     Stage::traffic, {"floats loaded", "again"}},
    {"the outer product's indices exchanged", "4",
     {{"sum[i][j] += a[i] * b[j]", "sum[i][j] += a[j] * b[i]"}},
     Stage::result, {"exchanged"}},

    {"the sums are never begun", "4",
     {{"float sum[TM][TN] = {};", "float sum[TM][TN];"}},
     Stage::result, {"never set", "begin it with 0"}},
    {"the index of the column within the thread forgotten at the store", "4",
     {{"C[(row + i) * N + column + j] = sum", "C[(row + i) * N + column] = sum"}},
     Stage::result, {"one place"}},

    // Lesson 5
    {"a guard that skips a copy, and puts no zero", "5",
     {{"a_tile[i + ty][k + tx] = row < M && column < K ? A[row * K + column] : 0.0f;",
       "if (row < M && column < K) a_tile[i + ty][k + tx] = A[row * K + column];"}},
     Stage::safety, {"uninitialised", "0 where the matrix ends"}},
    {"* TN forgotten where C is stored", "5",
     {{"column = column0 + tx * TN + j;\n      if", "column = column0 + tx + j;\n      if"}},
     Stage::result, {"columns 2 to 31 of every tile", "wrote too"}},
    {"* TM forgotten where the tile is read", "5",
     {{"a_tile[ty * TM + i][k]", "a_tile[ty + i][k]"}},
     Stage::result, {"rows 2 to 31 of every tile", "what belongs to"}},
    {"each thread copies what it computes with", "5",
     {{"const int row = row0 + i + ty, column = k0 + k + tx;\n        a_tile[i + ty][k + tx] =",
       "const int row = row0 + i + tx, column = k0 + k + ty;\n        a_tile[i + tx][k + ty] ="}},
     Stage::traffic, {"sectors for each load request", "neighbour"}},

    // Lesson 6
    {"no padding", "6",
     {{"a_tile[BM][BK + 1]", "a_tile[BM][BK]"}},
     Stage::traffic, {"in each step k", "pad"}},
    {"the wrong divisor in the linear loader", "6",
     {{"i = e / BK, k = e % BK", "i = e % BM, k = e / BM"}},
     Stage::traffic, {"sectors for each load request", "consecutive"}},
    {"the tile's column counted by BN", "6",
     {{"k = e / BN, j = e % BN", "k = e / BK, j = e % BK"}},
     Stage::result, {"bounds", "outside b_tile"}},
    {"the second barrier missing", "6",
     {{"__syncthreads();  // nobody needs them any more", ""}},
     Stage::result, {"race", "__syncthreads()"}},

    // Lesson 7
    {"whole rows assumed at every size", "7",
     {{"if constexpr (whole) return *reinterpret_cast<const float4*>(from);\n  float4 values = {};",
       "return *reinterpret_cast<const float4*>(from);\n  float4 values = {};"}},
     Stage::result, {"multiple of 4"}},
    {"single floats loaded", "7",
     {{"  if constexpr (whole) return *reinterpret_cast<const float4*>(from);\n", ""}},
     Stage::traffic, {"load requests", "one by one"}},
    {"four floats apart forgotten", "7",
     {{"const int e = 4 * (thread + l * threads);  // elements e to e + 3 of the tile, row by row",
       "const int e = thread + l * threads;"}},
     Stage::result, {"alignment", "reads 16 bytes at A"}},
    {"k0 forgotten in B's row", "7",
     {{"load4<whole>(B, K, N, k0 + e / BN, column0 + e % BN)",
       "load4<whole>(B, K, N, e / BN, column0 + e % BN)"}},
     Stage::result, {"the first step's tile of B"}},

    // Lesson 8
    {"the transposition forgotten", "8",
     {{"a_tile[k + 1][i] = a_next[l].y;", "a_tile[k][i + 1] = a_next[l].y;"},
      {"a_tile[k + 2][i] = a_next[l].z;", "a_tile[k][i + 2] = a_next[l].z;"},
      {"a_tile[k + 3][i] = a_next[l].w;", "a_tile[k][i + 3] = a_next[l].w;"}},
     Stage::result, {"race", "writes a_tile["}},
    {"a thread's columns side by side", "8",
     {{"b_tile[k][j / 4 * apart_n + tx * 4]", "b_tile[k][tx * TN + j]"},
      {"column0 + j / 4 * apart_n + tx * 4;", "column0 + tx * TN + j;"}},
     Stage::traffic, {"bank conflicts", "tx * 4"}},
    {"the pieces' distance forgotten where C is stored", "8",
     {{"column0 + j / 4 * apart_n + tx * 4;", "column0 + tx * TN + j;"}},
     Stage::result, {"columns 4 to 123", "holds what belongs to"}},

    // Lesson 9
    {"stored into the buffer that is read", "9",
     {{"store(buffer ^ 1);", "store(buffer);"}},
     Stage::result, {"race", "__syncthreads() is missing between the last read and the next write"}},
    {"no barrier in a step", "9",
     {{"__syncthreads();  // the other tiles are full, and nobody needs these any more", ""}},
     Stage::result, {"race", "__syncthreads() is missing"}},
    {"no barrier before the loop", "9",
     {{"__syncthreads();  // the first tile is full", ""}},
     Stage::result, {"race", "after the tiles are filled and before they are read"}},
    {"the last tiles taken from the wrong buffer", "9",
     {{"compute(1);", "compute(0);"}},
     Stage::result, {"all of C", "last tiles are in the other buffer"}},
    {"a second barrier in a step", "9",
     {{"store(buffer ^ 1);", "__syncthreads();\n    store(buffer ^ 1);"}},
     Stage::traffic, {"barriers", "more than one"}},
    {"a step too many at the end", "9",
     {{"if (k0 < K) {", "if (k0 <= K) {"}},
     Stage::result, {"bounds", "k < K"}},

    // Lesson 11
    {"lanes counted row by row", "11",
     {{"lane / (2 * lanes_n) * 2 + lane / 2 % 2", "lane / lanes_n"},
      {"lane % (2 * lanes_n) / 4 * 2 + lane % 2", "lane % lanes_n"}},
     Stage::traffic, {"wavefronts of shared loads", "lane 1 should stand beside lane 0"}},
    {"all warps in the same place", "11",
     {{"warp_m * WM + lane_m * 4", "lane_m * 4"}},
     Stage::result, {"rows 32 to"}},
    {"a lane's pieces side by side in shared memory alone", "11",
     {{"b_tile[buffer][k][n0 + j * lanes_n]", "b_tile[buffer][k][n0 + j]"}},
     Stage::result, {"columns"}},
    {"the pieces' distance forgotten where C is stored", "11",
     {{"column0 + n0 + j * lanes_n;", "column0 + n0 + j;"}},
     Stage::result, {"columns", "holds what belongs to"}},
    {"i taken for the beginning of a piece", "11",
     {{"m0 + i / 4 * 4 * lanes_m + i % 4", "m0 + i * lanes_m"}},
     Stage::result, {"rows"}},
    {"a lane's columns without a gap", "11",
     {{"warp_n * WN + lane_n * 4", "warp_n * WN + lane_n * TN"},
      {"b_tile[buffer][k][n0 + j * lanes_n]", "b_tile[buffer][k][n0 + j]"},
      {"column0 + n0 + j * lanes_n;", "column0 + n0 + j;"}},
     Stage::traffic, {"wavefronts of shared loads", "sectors for each store"}},

    // Lesson 12
    {"a group too many still under way", "12",
     {{"wait_for_all_but<STAGES - 2>();", "wait_for_all_but<STAGES - 1>();"}},
     Stage::result, {"race", "which an asynchronous copy", "wait for it"}},
    {"no barrier behind the wait", "12",
     {{"__syncthreads();  // for the copies of all threads; and nobody needs this stage any more", ""}},
     Stage::result, {"race", "which thread (", "read at line", "__syncthreads() is missing"}},
    {"the stage that is read next loaded", "12",
     {{"load((stage + STAGES - 1) % STAGES);", "load((stage + 1) % STAGES);"}},
     Stage::result, {"race", "asynchronous copy"}},
    {"no empty groups at the end", "12",
     {{"if (more) load((stage + STAGES - 1) % STAGES);\n    end_group();",
       "if (more) {\n      load((stage + STAGES - 1) % STAGES);\n      end_group();\n    }"}},
     Stage::result, {"race", "asynchronous copy"}},
    {"the last turn loads as all others do", "12",
     {{"step(stage, stage == 0);", "step(stage, true);"}},
     Stage::safety, {"bounds", "copies from A[128][0]", "copies from B[64][0]"}},
    {"the last turn loads nothing", "12",
     {{"step(stage, stage == 0);", "step(stage, false);"}},
     Stage::result, {"all of C"}},
    {"a turn too few at the edges", "12",
     {{"turns > (whole ? 1 : 0); --turns", "turns > 1; --turns"}},
     Stage::result, {"K ="}},
    {"a second barrier in a step", "12",
     {{"if (more) load((stage + STAGES - 1) % STAGES);",
       "__syncthreads();\n    if (more) load((stage + STAGES - 1) % STAGES);"}},
     Stage::traffic, {"barriers", "more than one"}},

    // Lesson 13
    {"the waves' tiles counted from each block's own", "13",
     {{"return {turn * BLOCKS + block, 0, tile_steps};", "return {turn + block, 0, tile_steps};"}},
     Stage::result, {"race", "two threads compute the same element"}},
    {"shares rounded before they are multiplied", "13",
     {{"const int end = (block + 1) * steps / BLOCKS;", "const int end = (block + 1) * (steps / BLOCKS);"},
      {"int begin = block * steps / BLOCKS;", "int begin = block * (steps / BLOCKS);"}},
     Stage::result, {"rows 64 to 95", "something that was never set"}},
    {"a piece that goes on behind its tile", "13",
     {{"min(end - begin, tile_steps - first_step)", "end - begin"}},
     Stage::result, {"rows 64 to 95 of columns 0 to 127"}},
    {"the tiles of the waves forgotten where the rest is shared", "13",
     {{"return {waves * BLOCKS + begin / tile_steps,", "return {begin / tile_steps,"}},
     Stage::result, {"race", "not where they belong"}},
    {"always the block's first part", "13",
     {{"const int piece = from < begin;", "const int piece = 0;"}},
     Stage::result, {"rows 64 to 95 of columns 0 to 127"}},
    {"the parts taken for whole tiles of their own", "13",
     {{"(2 * block + piece) * BM * BN + element", "(block + piece) * BM * BN + element"}},
     Stage::result, {"blocks (2, 1), (0, 2) and (1, 2)"}},
    {"the tiles left dealt out whole, and not shared", "13",
     {{"const int end = (block + 1) * steps / BLOCKS;",
       "const int end = min((block + 1) * tile_steps, static_cast<int>(steps));"},
      {"int begin = block * steps / BLOCKS;",
       "int begin = min(block * tile_steps, static_cast<int>(steps));"},
      {"if (from <= begin && to >= end) return;", "if (from <= end) return;"}},
     Stage::traffic, {"floats stored", "not shared evenly"}},

    // The others
    {"no barrier after the sums", "small-k-only",
     {{"      result += a_part[threadIdx.y][k] * b_part[k][threadIdx.x];\n    }\n    __syncthreads();",
       "      result += a_part[threadIdx.y][k] * b_part[k][threadIdx.x];\n    }"}},
     Stage::result, {"race", "at the end of the loop's step"}},
    {"only A's tile mended", "whole-tiles-only",
     {{"b_part[e] = row < K && column < N ? B[row * N + column] : 0.0f;",
       "if (row < K && column < N) b_part[e] = B[row * N + column];"}},
     Stage::safety, {"uninitialised", "0 where the matrix ends"}},
    {"B's tile still filled by columns", "too-many-sectors",
     {{"const int k = e / BN, j = e % BN;", "const int k = e % BK, j = e / BK;"}},
     Stage::traffic, {"sectors for each load request", "down a column"}},
    {"the other tile padded", "halve-the-wavefronts",
     {{"a_part[BM][BK + 1]", "a_part[BM][BK]"}, {"b_part[BK][BN]", "b_part[BK][BN + 1]"}},
     Stage::traffic, {"bank conflicts of shared loads", "one bank"}},
    {"only A's values reused", "loads-budget",
     {{"sum[i][j] += a[i] * b[j];",
       "if (first_column + 16 * j < N) sum[i][j] += a[i] * *(volatile const float*)&B[k * N + "
       "first_column + 16 * j];"}},
     Stage::traffic, {"floats loaded", "again"}},
    {"a row of the square left out", "raise-intensity",
     {{"for (int i = 0; i < 4; ++i) a[i] = a_part[my_row + 16 * i][k];",
       "for (int i = 0; i < 4; ++i) a[i] = a_part[my_row + i][k];"}},
     Stage::result, {"rows 16 to 63", "what belongs to"}},
};
// clang-format on

std::string with_edits(std::string source, const std::vector<Edit>& edits) {
  for (const Edit& edit : edits) {
    const std::size_t place = source.find(edit.text);
    INFO("replaced: " << edit.text);
    REQUIRE(place != source.npos);
    REQUIRE(source.find(edit.text, place + 1) == source.npos);
    source.replace(place, edit.text.size(), edit.replacement);
  }
  return source;
}

// All that a learner is told, a line for each thing.
std::string said(const CheckReport& report) {
  std::string text = report.compile_error + '\n' + report.compile_help + '\n';
  if (report.diagnosis) text += "where: " + report.diagnosis->where + '\n';
  for (const emulator::Finding& finding : report.findings) {
    text +=
        fmt::format("{} at line {}: {}", name_of(finding.kind()), finding.line, message(finding)) +
        '\n';
  }
  for (const GoalCheck& goal : report.goals) {
    if (!goal.met) text += "missed: " + goal.goal->name + '\n';
  }
  return text + "cause: " + report.cause + '\n';
}

std::string in_small_letters(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

std::string stage_text(const CheckReport& report) {
  return std::string(report.failed ? name_of(*report.failed) : "solved");
}

CheckReport checked(const Exercise& exercise, const std::string& source) {
  CheckOptions options;
  return check_exercise(exercise, source, exercise.file_name, options);
}

}  // namespace

TEST_CASE("a learner's mistake is found, and the report leads to it", "[long]") {
  if (!compiler_status().available) SKIP_BECAUSE(compiler_status().problem);
  for (const Mistake& mistake : mistakes) {
    const Exercise& exercise = find_exercise(mistake.exercise);
    INFO("exercise " << mistake.exercise << ": " << mistake.name);
    const CheckReport report = checked(exercise, with_edits(exercise.solution, mistake.edits));
    const std::string text = said(report);
    INFO(text);
    CHECK(stage_text(report) == name_of(mistake.stage));
    for (const std::string& word : mistake.words) {
      INFO("is said: " << word);
      CHECK(in_small_letters(text).find(in_small_letters(word)) != text.npos);
    }
  }
}

TEST_CASE("the mistakes that are tried are of 18 exercises") {
  std::set<std::string> tried;
  for (const Mistake& mistake : mistakes) tried.insert(find_exercise(mistake.exercise).slug);
  CHECK(tried.size() == 18);
}

}  // namespace gemm_tutor
