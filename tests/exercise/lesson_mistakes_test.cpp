// The lessons' kernels with one piece of code changed, on the emulator: what is said of the result.
#include <algorithm>

#include "catch.hpp"
#include "exercise/diagnosis.hpp"
#include "run/prepared_kernel.hpp"
#include "simt/gpu_spec.hpp"

namespace gemm_tutor {
namespace {

struct ChangedKernel {
  std::string lesson;
  std::string code, instead;  // the first occurrence behind `excerpt: NAME` of its first kernel
  Problem problem;
  std::string where;
  std::string values;  // its beginning
};

const std::vector<ChangedKernel> changed_kernels = {
    {"2",
     "A[row * K + k]",
     "A[k * K + row]",
     {40, 40, 40},
     "all of C",
     "The sums are of A's values at index k·K + row"},
    {"2",
     "sum +=",
     "sum =",
     {40, 30, 20},
     "all of C",
     "Only the last of K = 20 products is there."},
    {"2",
     "k < K;",
     "k < K - 1;",
     {40, 30, 20},
     "all of C",
     "The last of K = 20 products is missing"},
    {"2",
     "C[row * N + column] = sum",
     "C[column * N + row] = sum",
     {40, 40, 20},
     "all but the diagonal",
     "C["},
    {"3",
     "k0 < K;",
     "k0 + BK <= K;",
     {67, 45, 70},
     "all of C",
     "The last 6 of K = 70 products are missing"},
    {"3",
     "row < M && a_column < K ? A[row * K + a_column]",
     "row < M && a_column < K ? A[row * K + k + tx]",
     {64, 64, 96},
     "all of C",
     "Every step uses the first step's tile of A."},
    {"3",
     "a_tile[ty][k] * b_tile[k][tx]",
     "a_tile[k][ty] * b_tile[k][tx]",
     {64, 64, 64},
     "all of C",
     "The sums are of A's tile with its rows and columns exchanged."},
    {"3",
     "if (row < M && column < N) C",
     "if (row < M - 3 && column < N) C",
     {67, 45, 33},
     "rows 64 to 66, which are beyond the last whole tile",
     ""},
    {"5",
     "a_tile[ty * TM + i][k]",
     "a_tile[ty * TM][k]",
     {64, 64, 64},
     "every second row, from row 1",
     "C[1]["},
    {"5", "sum[i][j] +=", "sum[i][j] -=", {64, 64, 64}, "all of C", "C is -1 times what is right"},
};

KernelSource changed(const ChangedKernel& change) {
  const Lesson& lesson = find_lesson(change.lesson);
  const Kernel& kernel = lesson.kernels.front();
  KernelSource source = kernel_source(lesson, kernel, kernel.settings, change.problem);
  const std::size_t excerpt = source.source.find("excerpt: " + kernel.name);
  const std::size_t at = source.source.find(change.code, excerpt);
  REQUIRE(at != std::string::npos);
  source.source.replace(at, change.code.size(), change.instead);
  return source;
}

Diagnosis diagnosis_of(const ChangedKernel& change) {
  const PreparedKernel kernel = prepare(changed(change), change.problem, simt::find_gpu("h200"));
  Matrices matrices = make_matrices(change.problem, 1);
  emulate(kernel, matrices, {});
  return diagnose({change.problem, kernel.source.shape, matrices.a, matrices.b, matrices.c});
}

}  // namespace

TEST_CASE("a mistake in a lesson's kernel is named") {
  for (const ChangedKernel& change : changed_kernels) {
    const Diagnosis diagnosis = diagnosis_of(change);
    INFO(change.instead << ": " << diagnosis.where << ": " << diagnosis.values);
    CHECK(diagnosis.where == change.where);
    CHECK(diagnosis.values.substr(0, change.values.size()) == change.values);
  }
}

}  // namespace gemm_tutor
