#include "trace/thread_story.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "catch.hpp"
#include "course/lesson_run.hpp"
#include "sample.hpp"
#include "simt/compiler.hpp"
#include "support/error.hpp"
#include "support/text.hpp"
#include "trace/steps_along_k.hpp"
#include "traces.hpp"

using namespace gemm_tutor;
using simt::MemorySpace;

namespace {

std::string blocks_text(const std::vector<ElementBlock>& blocks) {
  std::string text;
  for (const ElementBlock& block : blocks) text += (text.empty() ? "" : " ") + block.text();
  return text;
}

// "line: reads A[0][1]" of each access.
std::vector<std::string> accesses_text(const ThreadStory& story) {
  std::vector<std::string> texts;
  for (const LineAccess& access : story.accesses) {
    texts.push_back((access.store ? "writes " : "reads ") + blocks_text(access.elements));
  }
  return texts;
}

// The first value of that name in the story.
std::optional<std::int64_t> value_of(const ThreadStory& story, const std::string& name) {
  for (const WorkedLine& line : story.lines) {
    for (const Worked& worked : line.worked) {
      if (worked.kind == Worked::Kind::variable && worked.name == name) return worked.values.at(0);
    }
  }
  return {};
}

std::vector<Worked> of_kind(const ThreadStory& story, Worked::Kind kind) {
  std::vector<Worked> result;
  for (const WorkedLine& line : story.lines) {
    std::ranges::copy_if(line.worked, std::back_inserter(result),
                         [&](const Worked& worked) { return worked.kind == kind; });
  }
  return result;
}

std::vector<Worked> of_kind(const ThreadWalk& walk, Worked::Kind kind) {
  ThreadStory story;
  story.lines = walk.lines;
  return of_kind(story, kind);
}

constexpr int all_iterations = 1000;

using Place = std::pair<std::string, std::vector<std::int64_t>>;

std::set<Place> places_of(const std::vector<ElementBlock>& blocks) {
  std::set<Place> result;
  for (const ElementBlock& block : blocks) {
    std::vector<std::int64_t> at = block.first;
    for (bool is_inside = true; is_inside;) {
      result.emplace(block.array, at);
      std::size_t i = at.size();
      while (i > 0 && at[i - 1] == block.last[i - 1]) --i, at[i] = block.first[i];
      is_inside = i > 0;
      if (is_inside) ++at[i - 1];
    }
  }
  return result;
}

std::set<Place> of_matrix(const std::string& name, const std::set<Place>& places) {
  std::set<Place> result;
  for (const Place& place : places) {
    if (place.first == name) result.insert(place);
  }
  return result;
}

ThreadWalk worked_out(const Trace& trace, const ThreadChoice& choice) {
  const source::Kernel text(trace.kernel.source, trace.name);
  ThreadWalkOptions options =
      options_of_step(trace, text, choice.number, steps_along_k(trace), choice.step);
  options.iterations = choice.iterations;
  return walk_of_thread(text, options);
}

const TracedMatrix* matrix_of(const Trace& trace, const std::string& name) {
  const auto found = std::ranges::find(trace.matrices, name, &TracedMatrix::name);
  return found == trace.matrices.end() ? nullptr : &*found;
}

// Whether a line of the source may access four floats from each place that it names.
bool is_wide_line(const std::string& line) {
  return std::ranges::any_of(
      std::array{"as_float4(", "copy4(", "copy<at_once>(", "copy_if<at_once>("},
      [&](const char* word) { return line.find(word) != std::string::npos; });
}

// The elements that the text alone names: A[…], a_tile[…][…], and the four (or two) floats of
// load4(A, rows, columns, row, column). A float4 is named by its first.
std::set<Place> told_places(const Trace& trace, const ThreadChoice& choice) {
  std::set<Place> result;
  const std::vector<std::string> source = split_lines(trace.kernel.source);
  const Region tile = block_regions(trace.kernel.shape, trace.problem, trace.block).at(0);
  for (const WorkedLine& line : worked_out(trace, choice).lines) {
    for (const Worked& worked : line.worked) {
      const TracedMatrix* matrix =
          matrix_of(trace, worked.kind == Worked::Kind::call ? worked.results.at(0) : worked.name);
      if (worked.kind == Worked::Kind::call) {
        const int floats = worked.name.back() - '0';
        for (int i = 0; i < floats; ++i) {
          const std::int64_t row = worked.values.at(2), column = worked.values.at(3) + i;
          // What a function stores ends with the tile; one at the edge may begin before it.
          if (row < matrix->rows && column < matrix->columns &&
              (matrix->name != "C" || (row >= tile.row_begin && column >= tile.column_begin)))
            result.insert({matrix->name, {row, column}});
        }
      } else if (worked.kind == Worked::Kind::element && matrix) {
        const bool is_wide = is_wide_line(source.at(static_cast<std::size_t>(line.line) - 1));
        for (std::int64_t at = worked.values.at(0); at < worked.values[0] + (is_wide ? 4 : 1);
             ++at) {
          result.insert({worked.name, {at / matrix->columns, at % matrix->columns}});
        }
      } else if (worked.kind == Worked::Kind::element) {
        const bool is_wide =
            trace.kernel.source.find("as_float4(" + worked.name) != std::string::npos ||
            trace.kernel.source.find("float2*>(&" + worked.name) != std::string::npos;
        for (int i = 0; i < (is_wide ? 4 : 1); ++i) {
          auto place = worked.values;
          place.back() += i;
          result.insert({worked.name, place});
        }
      }
    }
  }
  return result;
}

// As the notes on the web map threads to tiles: 128×128×8 with 16×16 threads of 8×8 elements.
const std::string four_floats = R"(
#define OFFSET(row, column, ld) ((row) * (ld) + (column))
#define FLOAT4(pointer) (reinterpret_cast<float4*>(&(pointer))[0])
__global__ void tiled(float* a, float* b, float* c, const int M, const int N, const int K) {
  const int BM = 128;
  const int BN = 128;
  const int BK = 8;
  const int TM = 8;
  const int TN = 8;
  const int bx = blockIdx.x;
  const int by = blockIdx.y;
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int tid = ty * blockDim.x + tx;
  __shared__ float s_a[BM][BK];
  __shared__ float s_b[BK][BN];
  float r_c[TM][TN] = {0.0};

  int load_a_smem_m = tid >> 1;
  int load_a_smem_k = (tid & 1) << 2;
  int load_b_smem_k = tid >> 5;
  int load_b_smem_n = (tid & 31) << 2;
  int load_a_gmem_m = by * BM + load_a_smem_m;
  int load_b_gmem_n = bx * BN + load_b_smem_n;

  for (int bk = 0; bk < (K + BK - 1) / BK; bk++) {
    int load_a_gmem_k = bk * BK + load_a_smem_k;
    int load_a_gmem_addr = OFFSET(load_a_gmem_m, load_a_gmem_k, K);
    FLOAT4(s_a[load_a_smem_m][load_a_smem_k]) = FLOAT4(a[load_a_gmem_addr]);
    int load_b_gmem_k = bk * BK + load_b_smem_k;
    int load_b_gmem_addr = OFFSET(load_b_gmem_k, load_b_gmem_n, N);
    FLOAT4(s_b[load_b_smem_k][load_b_smem_n]) = FLOAT4(b[load_b_gmem_addr]);
    __syncthreads();
    for (int k = 0; k < BK; k++) {
      for (int m = 0; m < TM; m++) {
        for (int n = 0; n < TN; n++) {
          int comp_a_smem_m = ty * TM + m;
          int comp_b_smem_n = tx * TN + n;
          r_c[m][n] += s_a[comp_a_smem_m][k] * s_b[k][comp_b_smem_n];
        }
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < TM; i++) {
    int store_c_gmem_m = by * BM + ty * TM + i;
    for (int j = 0; j < TN; j += 4) {
      int store_c_gmem_n = bx * BN + tx * TN + j;
      int store_c_gmem_addr = OFFSET(store_c_gmem_m, store_c_gmem_n, N);
      FLOAT4(c[store_c_gmem_addr]) = FLOAT4(r_c[i][j]);
    }
  }
}
)";

KernelSource source_of(const std::string& text, const simt::Dim3& block, int rows, int columns) {
  KernelSource source;
  source.source = text;
  source.file_name = "kernel.cu";
  source.shape.block = block;
  source.shape.tile_rows = rows;
  source.shape.tile_columns = columns;
  return source;
}

// Clang moves accesses between the pieces of a step, and in lesson 12 to another step.
const char* const other_order = "what clang makes of the source comes in another order";

}  // namespace

TEST_CASE("a step along K that is far longer than K is all of it") {
  Trace trace;
  trace.name = "kernel";
  trace.kernel.source =
      "__global__ void kernel(const float* A, const float* B, float* C, int M, int N, int K) {\n"
      "  for (long k = 0; k < K; k += 9223372036854775807) C[k] = A[k];\n}\n";
  trace.problem = {8, 8, 8};
  trace.arguments = KernelSource().arguments;
  CHECK(steps_along_k(trace).count == 1);
  CHECK(steps_along_k(trace).depth == 8);
}

TEST_CASE("thread 18 of block (1, 2) in lesson 7 begins at row 265 of A and column 200 of B") {
  if (!simt::compiler_status().has_assembler) SKIP_BECAUSE(other_order);
  const Trace trace = lesson_trace("7", "vectorized_loads", {512, 512, 128}, {1, 2, 0});
  const ThreadStory story = thread_story(trace, {18});
  CHECK(story.thread == simt::Dim3{2, 1, 0});
  CHECK(story.warp == 0);
  CHECK(story.lane == 18);
  CHECK(story.steps == 16);
  CHECK(value_of(story, "thread") == 18);
  const auto calls = of_kind(story, Worked::Kind::call);
  REQUIRE(calls.size() == 3);
  CHECK(calls[0].results == std::vector<std::string>{"A", "512", "128", "265", "0"});
  CHECK(calls[0].filled == "load4(A, 512, 128, 256 + 72/8 = 265, 0 + 72 % 8 = 0)");
  CHECK(calls[1].results == std::vector<std::string>{"B", "128", "512", "0", "200"});
  CHECK(accesses_text(story) ==
        std::vector<std::string>{"reads A[265][0…3]", "writes a_tile[9][0…3]",
                                 "reads B[0][200…203]", "writes b_tile[0][72…75]",
                                 "reads a_tile[8…15][0…7]", "reads b_tile[0…7][16…23]",
                                 "writes C[264…271][144…151]"});
  CHECK(blocks_text(story.owns) == "C[264…271][144…151]");
}

TEST_CASE("the same of a kernel of one's own that is written in the words of a note") {
  if (!simt::compiler_status().has_assembler) SKIP_BECAUSE(other_order);
  const KernelSource source = source_of(four_floats, {16, 16}, 128, 128);
  const Trace trace = trace_kernel(source, options_of({512, 512, 128}, {1, 2, 0}));
  const ThreadStory story = thread_story(trace, {18, 3});
  CHECK(story.steps == 16);
  CHECK(story.step_depth == 8);
  CHECK(value_of(story, "load_a_smem_m") == 9);
  CHECK(value_of(story, "load_a_smem_k") == 0);
  CHECK(value_of(story, "load_b_smem_k") == 0);
  CHECK(value_of(story, "load_b_smem_n") == 72);
  CHECK(value_of(story, "load_a_gmem_m") == 265);
  CHECK(value_of(story, "load_b_gmem_n") == 200);
  CHECK(value_of(story, "load_a_gmem_k") == 24);
  CHECK(value_of(story, "load_a_gmem_addr") == 265 * 128 + 24);
  const auto elements = of_kind(story, Worked::Kind::element);
  REQUIRE(elements.size() == 7);
  CHECK(elements[0].results.at(0) == "s_a[9][0]");
  CHECK(elements[1].results.at(0) == "A[265][24]");
  CHECK(elements[2].results.at(0) == "s_b[0][72]");
  CHECK(elements[3].results.at(0) == "B[24][200]");
  CHECK(accesses_text(story) ==
        std::vector<std::string>{"reads A[265][24…27]", "writes s_a[9][0…3]",
                                 "reads B[24][200…203]", "writes s_b[0][72…75]",
                                 "reads s_a[8…15][0…7] s_b[0…7][16…23]",
                                 "writes C[264…271][144…151]"});
}

TEST_CASE("what the text of every lesson's kernel says is what the emulator recorded", "[long]") {
  if (!simt::compiler_status().has_assembler) SKIP_BECAUSE(other_order);
  const Problem problem = GENERATE(Problem{512, 512, 128}, Problem{300, 310, 100});
  for (const auto& [lesson, kernel] : sample_of(cuda_kernels(), 14)) {
    const Trace trace = trace_of_tile(*lesson, *kernel, problem);
    REQUIRE(trace.result.all_accesses);
    // Kernels for tensor cores reach elements by pointers of other types, which the text's reader
    // does not follow.
    if (trace.matrices.front().element_bytes != 4 || !kernel->before.empty()) continue;
    const auto threads = static_cast<int>(trace.launch.block.count());
    for (const int number : {0, 18, threads / 2 + 3, threads - 1}) {
      const std::int64_t steps = thread_story(trace, {number}).steps;
      for (const std::int64_t step : {std::int64_t{0}, std::int64_t{1}, steps - 1}) {
        INFO(trace.name << ", K = " << problem.k << ", thread " << number << ", step " << step);
        const ThreadStory story = thread_story(trace, {number, step, all_iterations});
        std::set<Place> told = told_places(trace, {number, step, all_iterations});
        CHECK(places_of(story.owns) == of_matrix("C", told));
        // Lesson 9 loads a step's values in the turn before, and lesson 12 up to three before.
        for (std::int64_t before = std::max<std::int64_t>(0, step - 3); before < step; ++before) {
          told.merge(told_places(trace, {number, before, all_iterations}));
        }
        for (const LineAccess& access : story.accesses) {
          const std::set<Place> accessed = places_of(access.elements);
          INFO("line " << access.line);
          CHECK(std::ranges::includes(told, accessed));
        }
      }
    }
  }
}

TEST_CASE("with whole tiles a thread accesses every element that its kernel's text names",
          "[long]") {
  for (const auto& [lesson, kernel] : sample_of(cuda_kernels(), 14)) {
    const Trace trace = trace_of_tile(*lesson, *kernel, {512, 512, 128});
    const auto threads = static_cast<int>(trace.launch.block.count());
    for (const int number : {1, 18, threads - 1}) {
      INFO(trace.name << ", thread " << number);
      const ThreadChoice choice{number, 1, all_iterations};
      const auto told = of_kind(thread_story(trace, choice), Worked::Kind::element);
      CHECK(told.size() == of_kind(worked_out(trace, choice), Worked::Kind::element).size());
    }
  }
}

TEST_CASE("the threads of a block own its tile of C, each element once", "[long]") {
  for (const auto& [lesson, kernel] : sample_of(cuda_kernels(), 14)) {
    INFO(kernel->name);
    const Problem problem{300, 310, 1};
    const Trace trace = trace_of_tile(*lesson, *kernel, problem);
    std::set<Place> owned;
    std::int64_t elements = 0;
    for (int number = 0; number < static_cast<int>(trace.launch.block.count()); ++number) {
      for (const ElementBlock& block : thread_story(trace, {number}).owns) {
        owned.merge(places_of({block}));
        elements += block.elements();
      }
    }
    CHECK(elements == block_regions(trace.kernel.shape, problem, trace.block).at(0).elements());
    CHECK(std::ssize(owned) == elements);
  }
}

TEST_CASE("the trace of a thread's own warp is all that its story needs") {
  const Lesson& lesson = find_lesson("7");
  const Kernel& kernel = lesson.kernels.front();
  RunOptions options = options_of({512, 512, 128}, {1, 2, 0});
  const Trace whole = trace_kernel(lesson, kernel, kernel.settings, options);
  options.trace->warp = 3;
  const Trace one = trace_kernel(lesson, kernel, kernel.settings, options);
  CHECK(one.result.accesses.size() * 8 == whole.result.accesses.size());
  const ThreadStory story = thread_story(one, {3 * 32 + 5, 2});
  const ThreadStory expected = thread_story(whole, {3 * 32 + 5, 2});
  CHECK(story.lines == expected.lines);
  CHECK(story.owns == expected.owns);
  CHECK(accesses_text(story) == accesses_text(expected));
}

TEST_CASE("of a kernel that failed, its story is what it reached") {
  const KernelSource source = source_of(
      "__global__ void failing(const float* A, const float* B, float* C, int M, int N, int K) {\n"
      "  const int row = threadIdx.y, column = threadIdx.x;\n"
      "  float sum = A[row * K + column];\n"
      "  sum += B[-1 - column];\n"
      "  C[row * N + column] = sum;\n"
      "}\n",
      {32, 32}, 32, 32);
  const Trace trace = trace_kernel(source, options_of({32, 32, 32}, {0, 0, 0}));
  REQUIRE_FALSE(trace.findings.empty());
  const ThreadStory story = thread_story(trace, {5});
  CHECK(value_of(story, "column") == 5);
  CHECK_FALSE(story.accesses.empty());
  CHECK(accesses_text(story).front() == "reads A[0][5]");
}

TEST_CASE("a step along K is the same in text and memory, whichever way the loop goes") {
  const std::string before =
      "__global__ void k(const float* A, const float* B, float* C, int M, int N, int K) {\n"
      "  const int row = threadIdx.y, column = threadIdx.x;\n  float sum = 0;\n";
  const std::string behind = "  C[row * N + column] = sum;\n}\n";
  const std::string product = "sum += A[row * K + k] * B[k * N + column];\n";
  const auto story = [&](const std::string& loop, std::int64_t step) {
    const KernelSource source = source_of(before + loop + behind, {32, 32}, 32, 32);
    return thread_story(trace_kernel(source, options_of({32, 32, 32}, {0, 0, 0})), {33, step});
  };
  for (const std::string loop :
       {"for (int k = 0; k < K; ++k) ", "for (int k = K - 1; k >= 0; --k) ",
        "for (int k = K - 1; k >= 0; k -= 1) "}) {
    INFO(loop);
    for (const std::int64_t step : {0, 5, 31}) {
      const ThreadStory told = story(loop + product, step);
      CHECK(told.steps == 32);
      const auto turns = of_kind(told, Worked::Kind::loop);
      REQUIRE(turns.size() == 1);
      CHECK(turns[0].values == std::vector<std::int64_t>{step});
      CHECK(accesses_text(told).front() == fmt::format("reads A[1][{0}] B[{0}][1]", step));
    }
  }
  // Tiles in shared memory, and an index that is one too high.
  const ThreadStory tiles = story(
      "  __shared__ float tile[8][32];\n"
      "  for (int k0 = K - 8; k0 >= 0; k0 -= 8) {\n"
      "    if (threadIdx.y < 8) tile[threadIdx.y][threadIdx.x] = B[(k0 + threadIdx.y) * N + "
      "column];\n"
      "    __syncthreads();\n"
      "    for (int i = 0; i < 8; ++i) sum += A[row * K + k0 + i] * tile[i][threadIdx.x];\n"
      "    __syncthreads();\n  }\n",
      1);
  CHECK(tiles.steps == 4);
  CHECK(of_kind(tiles, Worked::Kind::loop).front().values == std::vector<std::int64_t>{8});
  CHECK(std::ranges::count(accesses_text(tiles), "reads A[1][8…15]") == 1);
  const ThreadStory shifted = story(
      "for (int k = K; k > 0; --k) sum += A[row * K + k - 1] * B[(k - 1) * N + column];\n", 5);
  CHECK(of_kind(shifted, Worked::Kind::loop).front().values == std::vector<std::int64_t>{6});
  CHECK(accesses_text(shifted).front() == "reads A[1][5] B[5][1]");
  // A loop whose turns the text does not tell is not split.
  const ThreadStory unknown = story("for (int k = K; k-- > 0;) " + product, 0);
  CHECK(unknown.steps == 1);
}

TEST_CASE("matrices whose pointers a kernel moves along K are told by the elements they come to") {
  const KernelSource source = source_of(
      "__global__ void moved(const float* A, const float* B, float* C, int M, int N, int K) {\n"
      "  const int row = threadIdx.x / 8, column = threadIdx.x % 8;\n"
      "  A += blockIdx.y * 8 * K;\n  B += blockIdx.x * 8;\n"
      "  C += blockIdx.y * 8 * N + blockIdx.x * 8;\n  float sum = 0;\n"
      "  for (int k0 = 0; k0 < K; k0 += 4) {\n"
      "    for (int k = 0; k < 4; ++k) sum += A[row * K + k] * B[k * N + column];\n"
      "    A += 4;\n    B += 4 * N;\n  }\n  C[row * N + column] = sum;\n}\n",
      {64, 1}, 8, 8);
  const Trace trace = trace_kernel(source, options_of({16, 16, 16}, {1, 1, 0}));
  const ThreadChoice choice{18, 2, all_iterations};
  const ThreadStory story = thread_story(trace, choice);
  CHECK(story.steps == 4);
  CHECK(accesses_text(story) ==
        std::vector<std::string>{"reads A[10][8…11] B[8…11][10]", "writes C[10][10]"});
  std::set<Place> told = told_places(trace, choice), accessed;
  for (const LineAccess& access : story.accesses) accessed.merge(places_of(access.elements));
  CHECK(told == accessed);
}

TEST_CASE("a thread outside of C returns, and owns nothing") {
  const Trace trace = lesson_trace("2", "", {40, 40, 8}, {1, 1, 0});
  const ThreadStory story = thread_story(trace, {31});
  CHECK(story.returned);
  CHECK(story.owns.empty());
  CHECK(story.accesses.empty());
  CHECK_FALSE(thread_story(trace, {0}).returned);
}

TEST_CASE("a thread or a step that there is not is a wrong command line") {
  const Trace trace = lesson_trace("3", "", {64, 64, 64}, {0, 0, 0});
  CHECK_THROWS_AS(thread_story(trace, {1024}), Error);
  CHECK_THROWS_AS(thread_story(trace, {-1}), Error);
  CHECK_THROWS_AS(thread_story(trace, {0, 2}), Error);
  CHECK_THROWS_AS(thread_story(trace, {0, -1}), Error);
  CHECK_THROWS_AS(thread_number(trace, {32, 0, 0}), Error);
  CHECK_THROWS_AS(thread_number(trace, {0, 0, 1}), Error);
  CHECK(thread_number(trace, {2, 9, 0}) == 9 * 32 + 2);
}

TEST_CASE("neighbours are joined to blocks") {
  std::vector<Element> elements;
  for (int row = 3; row < 5; ++row) {
    for (int column = 8; column < 12; ++column) elements.push_back({"C", {row, column}});
  }
  elements.push_back({"C", {3, 20}});
  elements.push_back({"tile", {1, 0, 7}});
  elements.push_back({"tile", {0, 0, 7}});
  elements.push_back({"words", {5}});
  elements.push_back({"words", {6}});
  elements.push_back({"words", {6}});
  CHECK(blocks_text(joined(elements)) ==
        "C[3…4][8…11] C[3][20] tile[0][0][7] tile[1][0][7] words[5…6]");
}
