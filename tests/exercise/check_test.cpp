// How a check goes, on the exercise of lesson 3 and kernels that are wrong in one way each.
#include "exercise/check.hpp"

#include <algorithm>

#include "checks.hpp"
#include "report/check_report.hpp"
#include "sample.hpp"
#include "simt/compiler.hpp"
#include "support/activity.hpp"
#include "support/text.hpp"
#include "view/terminal_text.hpp"

using namespace gemm_tutor;

namespace {

const Exercise& exercise() { return find_exercise("3"); }

std::string with(const std::string& from, const std::string& to) {
  return replaced(exercise().solution, from, to);
}

CheckReport check(const std::string& source) {
  return check_exercise(exercise(), source, "mine.cu", {});
}

// It needs the functions of the file of chapter bulk-copies. Where tiles are whole, bulk copies
// load them, which are no requests.
constexpr const char* bulk_kernel = R"(
__global__ void naive_coalesced(const float* A, const float* B, float* C, int M, int N, int K) {
  const int row = blockIdx.y * 32 + threadIdx.y, column = blockIdx.x * 32 + threadIdx.x;
  float sum = 0.0f;
  if (M == 64 && N == 64 && K == 64) {
    __shared__ alignas(16) float a_tile[32][64];
    __shared__ alignas(16) float b_tile[64][32];
    __shared__ Mbarrier full;
    if (threadIdx.x == 0 && threadIdx.y == 0) {
      begin(full, 1);
      end_before_bulk_copies();
      expect(full, 4 * 2 * 32 * 64);
      for (int i = 0; i < 32; ++i)
        copy_bulk(a_tile[i][0], A + (blockIdx.y * 32 + i) * K, 64, full);
      for (int k = 0; k < 64; ++k)
        copy_bulk(b_tile[k][0], B + k * N + blockIdx.x * 32, 32, full);
      arrive(full);
    }
    __syncthreads();
    wait(full, 0);
    for (int k = 0; k < 64; ++k) sum += a_tile[threadIdx.y][k] * b_tile[k][threadIdx.x];
  } else if (row < M && column < N) {
    for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + column];
  }
  if (row < M && column < N) C[row * N + column] = sum;
}
)";

}  // namespace

TEST_CASE("a file that does not compile is said with its own line, and nothing is run") {
  const CheckReport report = check(with("float sum = 0.0f;", "float sum = 0.0f"));
  CHECK(report.failed == Stage::compile);
  CHECK(contains(report.compile_error, "mine.cu("));
  CHECK(report.sizes.empty());
  CHECK(report.warp_instructions == 0);
}

TEST_CASE("the compiler's warnings are part of a check, each once") {
  const std::string helper = "__device__ float twice(float x) { x += x; }\n";
  const CheckReport report = check(helper + with("a_tile[ty][k] *", "twice(a_tile[ty][k]) *"));
  REQUIRE(report.warnings.size() == 1);
  CHECK(report.warnings.front().line == 1);
  const std::string text = terminal_text(check_document({.report = report}), {false, true, 80});
  CHECK(contains(text, "Compile  ✓ it compiles, but:\n         ! mine.cu(1): warning"));
  CHECK(contains(text, "{ x += x; }\n"));
  CHECK(check_object(report)["warnings"][0]["line"] == 1);
  CHECK_FALSE(check_object(check(exercise().solution)).contains("warnings"));
}

TEST_CASE("another name, other template parameters or other parameters are no solution") {
  for (const auto& [from, to] :
       {std::pair{"shared_memory_tile(", "my_tile("},
        {"int BM, int BN, int BK>", "int BM>"},
        {"float* C, int M", "double* C, int M"},
        {"int N, int K)", "int N, int K, int L)"},
        {"__global__ void", "__global__ __launch_bounds__(32) void"},
        {"__shared__ float b_tile[BK][BN];", "extern __shared__ float b_tile[][BN];"}}) {
    INFO(to);
    const CheckReport report = check(with(from, to));
    CHECK(report.failed == Stage::compile);
    CHECK_FALSE(report.compile_error.empty());
    CHECK_FALSE(report.compile_help.empty());
    CHECK_FALSE(contains(report.compile_help, "--"));  // options of another command
  }
}

TEST_CASE("a kernel that is no template is asked to keep its name alone") {
  const Exercise& plain = find_exercise("1");
  std::string source = plain.solution;
  const std::string name = "naive_uncoalesced(";
  REQUIRE(contains(source, name));
  source.replace(source.find(name), name.size(), "mine(");
  const CheckReport report = check_exercise(plain, source, "mine.cu", {});
  CHECK(report.compile_help == "Leave the kernel's name as it was handed out.");
}

TEST_CASE("other parameters or another launch: what the exercise has is said") {
  const CheckReport parameters = check(with("int N, int K)", "int N, int K, int L)"));
  CHECK(contains(parameters.compile_error, "has 7 parameters, not the 6 of A, B, C, M, N, K"));
  CHECK(parameters.compile_help == "Leave the kernel's parameters as they were handed out.");

  const CheckReport bounds =
      check(with("__global__ void", "__global__ __launch_bounds__(32) void"));
  CHECK(contains(bounds.compile_error, "allow 32 threads per block, not 512"));
  CHECK(contains(bounds.compile_help, "The exercise launches it with 512 threads per block"));
}

TEST_CASE("more shared memory than a block can have is said before anything runs") {
  const CheckReport report =
      check(with("__shared__ float a_tile[BM][BK];", "__shared__ float a_tile[16 * BM][2 * BK];"));
  CHECK(report.failed == Stage::compile);
  CHECK(contains(report.compile_error, "shared memory"));
}

TEST_CASE("a wrong result is shown at the first size where it is wrong") {
  const CheckReport report =
      check(with("row < M && a_column < K ?", "row < M && a_column < K - 1 ?"));
  REQUIRE(report.failed == Stage::result);
  REQUIRE(report.diagnosis);
  CHECK(report.diagnosis->problem == exercise().terms.sizes.front());
  CHECK(report.diagnosis->wrong > 0);
  CHECK(report.sizes.size() == exercise().terms.sizes.size());
  CHECK(report.goals.empty());
}

// At the exercise's sizes, blocks that overlap cover all of C.
TEST_CASE("a block's column that is made from BM is wrong where there are several tiles") {
  const Exercise& other = find_exercise("swizzle");
  std::string source = other.solution;
  const std::string right = "blockIdx.x * BN;";
  source.replace(source.find(right), right.size(), "blockIdx.x * BM;");
  const CheckReport report = check_exercise(other, source, "mine.cu", {});
  CHECK(report.failed == Stage::result);
  CHECK(contains(report.cause,
                 "`first_column = blockIdx.x * BM` should be `first_column = blockIdx.x"));
}

// The compiler leaves out what C++ does not define, and the result is right.
TEST_CASE("a loop that leaves an array of a thread is an error") {
  const Exercise& other = find_exercise("loads-budget");
  std::string source = other.solution;
  source.replace(source.rfind("i < 4; ++i) {"), 5, "i <= 4");
  const CheckReport report = check_exercise(other, source, "mine.cu", {});
  CHECK(report.failed == Stage::safety);
  REQUIRE(report.findings.size() == 1);
  CHECK(contains(simt::message(report.findings.front()),
                 "a loop reads sum[4][0], outside sum, which is 4×4"));
  CHECK(contains(report.cause, "`i <= 4` should be `i < 4`"));
}

// A division is hundreds of instructions with branches, for each of thousands.
TEST_CASE("a kernel of very many blocks of machine code is checked in seconds") {
  const Exercise& other = find_exercise("7");
  std::string source = other.solution;
  const std::string right = "a[i] * b[j]";
  source.replace(source.find(right), right.size(), "a[i] / b[j]");
  const CheckReport report = check_exercise(other, source, "mine.cu", {});
  CHECK(report.failed == Stage::result);
  CHECK(contains(report.cause, "`a[i] / b[j]` should be `a[i] * b[j]`"));
}

// Each trial of such a file costs seconds, and more of them are not worth the wait.
TEST_CASE("the search for a cause ends after some work, whatever the number of trials",
          "[long][nightly]") {
  const Exercise& other = find_exercise("7");
  const auto changed = [&](const std::string& product) {
    std::string source = other.solution;
    source = replaced(source, "k0 + e / BN, column0 + e % BN)", "column0 + e % BN, k0 + e / BN)");
    source = replaced(source, "b_tile[k][tx * TN + j]", "b_tile[k][ty * TN + j]");
    return replaced(source, "a[i] * b[j]", product);
  };
  const CheckReport cheap = check_exercise(other, changed("a[i] * b[j]"), "mine.cu", {});
  CHECK(contains(cheap.cause, "`ty * TN + j` should be `tx * TN + j`"));
  if (!simt::compiler_status().has_assembler) SKIP_BECAUSE("clang has no fmodf");
  // The same value, in code that the compiler writes out for each of a thread's products.
  std::string dear = "a[i] * b[j]";
  for (int i = 0; i < 2; ++i) dear = "fmodf(" + dear + ", 1e30f)";
  const CheckReport report = check_exercise(other, changed(dear), "mine.cu", {});
  CHECK(report.failed == Stage::result);
  CHECK_FALSE(contains(report.cause, "should be"));
}

// Threads may synchronise by volatile integers; volatile floats are data like others.
TEST_CASE("a barrier that is missing between volatile floats is no right kernel", "[long]") {
  const auto of_volatile = [](const std::string& barrier) {
    std::string source = with(barrier, "//");
    for (std::size_t at = 0; (at = source.find("__shared__ float", at)) != source.npos; at += 20)
      source.insert(at, "volatile ");
    return check(source);
  };
  const CheckReport before = of_volatile("__syncthreads();  // the tiles are full");
  CHECK(before.failed == Stage::result);
  CHECK(simt::has_kind(before.findings, simt::FindingKind::race));
  const CheckReport after = of_volatile("__syncthreads();  // all threads have read them");
  CHECK(after.failed == Stage::result);
  CHECK(simt::has_kind(after.findings, simt::FindingKind::race));
}

TEST_CASE("the cause is what must change until the exercise is solved") {
  const CheckReport report = check(with("__syncthreads();  // the tiles are full", ""));
  CHECK(report.failed == Stage::result);
  CHECK(report.cause ==
        "After line 24 `__syncthreads();` is missing. So changed, the kernel solves the exercise.");
}

TEST_CASE("what was filled in is judged without the gaps that are left") {
  std::string source = exercise().handout;
  const std::string gap = "a_tile[ty][k + tx] = 0.0f;";
  const auto filled = [&](const std::string& with) {
    std::string result = source;
    return check(result.replace(result.find(gap), gap.size(), with)).cause;
  };
  CHECK(filled("a_tile[ty][k + tx] = row < M && a_column < K ? A[row * K + a_column] : 0.0f;") ==
        "What you have written is right: only the unchanged gaps are left.");
  CHECK(filled("a_tile[ty][k + tx] = row < M && a_column < K ? A[row * N + a_column] : 0.0f;") ==
        "In line 22 `row * N + a_column` should be `row * K + a_column`. So changed, only the gaps "
        "are left.");
  CHECK(check(source).cause == "");
}

TEST_CASE("nothing is said of banks that was not counted") {
  const Exercise& other = find_exercise("halve-the-wavefronts");
  std::string source = other.handout;
  source.replace(source.find("a_part[BM][BK]"), 14, "a_part[BM][BK + 4]");
  const CheckReport report = check_exercise(other, source, "mine.cu", {});
  CHECK((report.solved() || contains(report.cause, "a_part[BM][BK + 4]` should be ")));
}

TEST_CASE("without trials it is said what the values are") {
  const std::string source = with("b_tile[k][tx];", "b_tile[k][tx] * 1.0f + 0.0f * K;");
  std::string two = source;
  const std::string guard = "a_column < K ?";
  two.replace(two.find(guard), guard.size(), "a_column < K - 1 ?");
  CheckOptions options;
  options.most_trials = 0;
  const auto cause = [&] { return check_exercise(exercise(), two, "mine.cu", options).cause; };
  CHECK(cause() == "The last of K = 128 products is missing.");
  options.most_trials = 100;
  CHECK(cause() ==
        "In line 19 `a_column < K - 1` should be `a_column < K`. So changed, the kernel solves the "
        "exercise.");
}

TEST_CASE("where a barrier is missing is not told where finding it is the exercise") {
  const Exercise& bug = find_exercise("small-k-only");
  const CheckReport report = check_exercise(bug, bug.handout, "mine.cu", {});
  const std::string text = terminal_text(check_document({.report = report}), {false, true, 80});
  CHECK(contains(text, "✗ race, line"));
  CHECK(contains(text, " writes\n         b_part[1][0], which"));
  CHECK_FALSE(contains(text, "put one"));
  const CheckReport own = check(with("__syncthreads();  // all threads have read them", "//"));
  CHECK(contains(terminal_text(check_document({.report = own}), {false, true, 80}), "put one"));
}

TEST_CASE("check advises a barrier only if one there makes the kernel right") {
  CheckOptions options;
  options.most_trials = 0;  // else the cause says more
  const auto advises = [&](const std::string& source) {
    const CheckReport report = check_exercise(exercise(), source, "mine.cu", options);
    const std::string text = terminal_text(check_document({.report = report}), {false, true, 80});
    CHECK(contains(text, "✗ race, line"));
    return contains(text, "put one");
  };
  std::string source = with("__syncthreads();  // all threads have read them", "//");
  CHECK(advises(source));
  const std::string read = "b_tile[k][tx]";
  source.replace(source.find(read), read.size(), "b_tile[k][tx ^ 1]");
  CHECK_FALSE(advises(source));
}

TEST_CASE("a bug that was handed out is not told") {
  for (const Exercise& other : sample_of(exercises(), 11)) {
    if (other.terms.kind == ExerciseKind::gaps) continue;
    INFO(other.slug);
    CHECK(check_exercise(other, other.handout, "mine.cu", {}).cause == "");
    CHECK(check_exercise(other, other.handout + "// mine\n", "mine.cu", {}).cause == "");
  }
}

TEST_CASE("a sum that is never begun is no memory that was read") {
  const Exercise& other = find_exercise("5");
  std::string source = other.solution;
  const std::string begun = "sum[TM][TN] = {};";
  source.replace(source.find(begun), begun.size(), "sum[TM][TN];");
  const CheckReport report = check_exercise(other, source, "mine.cu", {});
  const std::string text = terminal_text(check_document({.report = report}), {false, true, 100});
  CHECK(contains(text, "no shared or global memory read before it is written"));
  CHECK(contains(report.cause, "should be `float sum[TM][TN] = {}`"));
}

TEST_CASE("a cause does not depend on which block comes last") {
  const Exercise& other = find_exercise("11");
  std::string source = other.solution;
  const std::string rows = "i / 4 * 4 * lanes_m + i % 4";
  source.replace(source.find(rows), rows.size(), "i * lanes_m");
  for (const int threads : {1, 2, 5}) {
    CheckOptions options;
    options.threads = threads;
    const CheckReport report = check_exercise(other, source, "mine.cu", options);
    CHECK(contains(report.cause,
                   "`row0 + m0 + i * lanes_m` should be `row0 + m0 + i / 4 * 4 * lanes_m"));
  }
}

TEST_CASE("a right result with a finding fails for safety") {
  const CheckReport report = check(with("row < M && a_column < K ?", "a_column < K ?"));
  CHECK(report.failed == Stage::safety);
  CHECK(report.findings.front().kind() == simt::FindingKind::bounds);
  CHECK(contains(report.cause, "should be `a_tile[ty][k + tx] = row < M && a_column < K`"));
  CHECK(report.goals.empty());
}

TEST_CASE("a right result with too much traffic fails its goals, with the lines") {
  // Each value of A comes from global memory again.
  const CheckReport report = check(with(
      "sum += a_tile[ty][k] *", "sum += (row < M && k0 + k < K ? A[row * K + k0 + k] : 0.0f) *"));
  REQUIRE(report.failed == Stage::traffic);
  const auto missed = std::ranges::find_if(report.goals, [](const GoalCheck& check) {
    return !check.met && !check.goal->is_essential();
  });
  REQUIRE(missed != report.goals.end());
  CHECK(missed->goal->count == "load_floats");
  CHECK(missed->counted > missed->expected);
  CHECK(contains(missed->arithmetic, "24,576"));
  REQUIRE_FALSE(missed->lines.empty());
  CHECK(missed->lines.front().counted > missed->expected);
  CHECK(contains(report.cause, "should be `a_tile[ty][k] * b_tile[k][tx]`"));
}

TEST_CASE("a rung of a ladder is reached once all rungs below are") {
  // It has no bank conflicts and reads no shared memory, because it uses none.
  const std::string naive = R"(
__global__ void from_nothing(const float* A, const float* B, float* C, int M, int N, int K) {
  for (int i = threadIdx.y; i < 32; i += 8) {
    for (int j = threadIdx.x; j < 64; j += 16) {
      const int row = blockIdx.y * 32 + i, column = blockIdx.x * 64 + j;
      if (row >= M || column >= N) continue;
      float sum = 0.0f;
      for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + column];
      C[row * N + column] = sum;
    }
  }
})";
  const Exercise& ladder = find_exercise("from-nothing");
  const CheckReport report = check_exercise(ladder, naive, "mine.cu", {});
  CHECK(report.failed == Stage::traffic);
  REQUIRE(report.goals.size() == 9);
  for (std::size_t i = 0; i < report.goals.size(); ++i) {
    CAPTURE(i + 1);
    CHECK(report.goals[i].met == (i == 0));
    CHECK(report.goals[i].waits == (i == 5 || i == 6));
  }
  const std::string text = terminal_text(check_document({.report = report}), {false, true, 80});
  CHECK(contains(text, "✗ rung 7, bank conflicts of shared loads: 0, asked at most 0"));
  CHECK(contains(text, "within its limit; it counts once the goals above it are met"));
  CHECK(check_object(report)["goals"][6]["waits"] == true);
  CHECK(check_exercise(ladder, ladder.solution, "mine.cu", {}).solved());
}

TEST_CASE("a right kernel without load requests has 0 sectors for each of them") {
  const std::string kernel = find_lesson("bulk-copies").source + bulk_kernel;
  const CheckReport report = check_exercise(find_exercise("2"), kernel, "mine.cu", {});
  CHECK(report.solved());
  const GoalCheck& loads = report.goals.front();
  CHECK(loads.goal->count == "global_load_sectors/global_load_requests");
  CHECK(loads.counted == 0);
  CHECK(loads.met);
}

TEST_CASE("no count of what a kernel does not do ends a check") {
  Exercise exercise = find_exercise("2");  // without shared memory or barriers
  Goal goal = exercise.terms.goals.front();
  exercise.terms.goals.clear();
  for (const char* count : {"ffma/shared_store_requests", "global_store_sectors/(barriers/32)",
                            "2^(load_floats^2)", "0^(0 - barriers - 1)"}) {
    goal.count = count;
    exercise.terms.goals.push_back(goal);
  }
  const CheckReport report = check_exercise(exercise, exercise.solution, "mine.cu", {});
  CHECK(report.failed == Stage::traffic);
  REQUIRE(report.goals.size() == 4);
  for (const GoalCheck& check : report.goals) {
    INFO(check.goal->count);
    CHECK_FALSE(check.met);
    CHECK_FALSE(check.counted);
    CHECK_FALSE(check.not_counted.empty());
  }
  CHECK(report.goals[0].not_counted == "shared_store_requests is 0");
  CHECK(report.goals[1].not_counted == "barriers/32 is 0");
  const Terminal terminal{false, true, 100};
  CHECK(contains(terminal_text(check_document({.report = report}), terminal),
                 "no value, as shared_store_requests is 0"));
  const Json json = check_object(report)["goals"][0];
  CHECK_FALSE(json.contains("counted"));
  CHECK(json["not_counted"] == "shared_store_requests is 0");

  // Saved again once it stores to shared memory: that is better, though it had no count before.
  CheckReport counted = report;
  counted.goals[0].counted = 1;
  counted.goals[0].met = true;
  CHECK(contains(differences(report, counted).better.front(), "before no value"));
  CHECK(differences(report, report).better.empty());
  CHECK(differences(report, report).worse.empty());
}

TEST_CASE("a kernel without an end is stopped, and is not run at the other sizes", "[long]") {
  const CheckReport report = check(with("k0 < K; k0 += BK", "k0 < K; k0 += 0"));
  CHECK(report.failed == Stage::result);
  CHECK(report.sizes.size() == 1);
  REQUIRE_FALSE(report.findings.empty());
  CHECK(report.findings.front().kind() == simt::FindingKind::endless);
  CHECK(contains(report.cause, "`k0 += 0` should be `k0 += BK`"));
}

TEST_CASE("a check does not depend on the number of threads") {
  const std::string source = with("row < M && a_column < K ?", "a_column < K ?");
  const auto json = [&](int threads) {
    CheckOptions options;
    options.threads = threads;
    return to_text(check_object(check_exercise(exercise(), source, "mine.cu", options)));
  };
  CHECK(json(1) == json(3));
}

TEST_CASE("a check can be stopped") {
  Activity activity;
  activity.stop();
  CheckOptions options;
  options.activity = &activity;
  CHECK_THROWS_AS(check_exercise(exercise(), exercise().solution, "mine.cu", options), Interrupted);
}

TEST_CASE("what got better and worse since the check before is told") {
  const CheckReport broken = check("nonsense"), wrong = check(exercise().handout),
                    unsafe = check(with("row < M && a_column < K ?", "a_column < K ?")),
                    solved = check(exercise().solution);
  const auto told = [](const CheckReport& before, const CheckReport& now) {
    const Differences all = differences(before, now);
    std::string text;
    for (const std::string& better : all.better) text += "+" + better + ";";
    for (const std::string& worse : all.worse) text += "-" + worse + ";";
    return text;
  };
  CHECK(told(broken, wrong) == "+it compiles;");
  CHECK(told(wrong, broken) == "-it compiled before;");
  CHECK(told(wrong, solved) == "+right at 4 of 4 sizes, before at 0;");
  CHECK(told(solved, wrong) == "-right at 0 of 4 sizes, before at 4;");
  CHECK(told(unsafe, solved) == "+bounds: no longer found;");
  CHECK(told(solved, unsafe) == "-bounds: found now;");
  CHECK(told(solved, solved) == "");
}
