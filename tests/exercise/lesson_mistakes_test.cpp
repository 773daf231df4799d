// The lessons' kernels with one piece of code changed, on the emulator: what is said of the result.
#include <algorithm>

#include "catch.hpp"
#include "exercise/diagnosis.hpp"
#include "model/gpu_spec.hpp"
#include "run/prepared_kernel.hpp"

namespace gemm_tutor {
namespace {

struct ChangedKernel {
  std::string lesson;
  std::string code, instead;  // the first occurrence behind `excerpt: NAME` of its first kernel
  Problem problem;
  std::string where;
  std::string cause;  // its beginning
};

const std::vector<ChangedKernel> changed_kernels = {
    {"2",
     "A[row * K + k]",
     "A[k * K + row]",
     {40, 40, 40},
     "all of C",
     "The values are those of A[k * K + row] in place of A[row * K + k]: rows and columns are "
     "exchanged."},
    {"2",
     "sum +=",
     "sum =",
     {40, 30, 20},
     "all of C",
     "Only the last of K = 20 products is there: each takes the place of the sum."},
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
     "Every step uses the first step's tile of A:"},
    {"3",
     "a_tile[ty][k] * b_tile[k][tx]",
     "a_tile[k][ty] * b_tile[k][tx]",
     {64, 64, 64},
     "all of C",
     "The values are those of a_tile[k][row] in place of a_tile[row][k]"},
    {"3",
     "if (row < M && column < N) C",
     "if (row < M - 3 && column < N) C",
     {67, 45, 33},
     "rows 64 to 66, which are beyond the last whole tile",
     "Nothing is stored there"},
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

struct PlantedFault {
  std::string code, instead;  // in lesson 3's kernel
  std::string kind;
  std::string says;  // part of the cause
};

const std::vector<PlantedFault> faults = {
    {"__syncthreads();  // the tiles are full", "", "race", "one of them is missing"},
    {"__syncthreads();  // nobody needs them any more", "", "race",
     "at the end of the loop's step"},
    {"row < M && a_column < K ? A[row * K + a_column] : 0.0f", "A[row * K + a_column]", "bounds",
     "read only where row < M and k < K"},
    {"b_row < K && column < N ? B[b_row * N + column] : 0.0f", "B[b_row * N + column]", "bounds",
     "read only where k < K and column < N"},
    {"if (row < M && column < N) C", "C", "bounds", "it must not store there"},
    {"a_tile[ty][k + tx] = row < M", "if (row < M && a_column < K) a_tile[ty][k + tx] = row < M",
     "uninitialised", "let the threads together write every element"},
    {"float sum = 0.0f;", "if (row >= M) return; float sum = 0.0f;", "barrier",
     "guard only the loads and the store"},
    {"= sum;", "+= sum;", "uninitialised", "store it once, with = for +="},
    {"k0 += BK", "k0 += 0", "endless", "never becomes false"},
    {"blockIdx.x * BN + tx;", "blockIdx.x * (BN - 1) + tx;", "race",
     "Two threads compute the same"},
};

Diagnosis diagnosis_of(const ChangedKernel& change) {
  const PreparedKernel kernel = prepare(changed(change), change.problem, find_gpu("h200"));
  Matrices matrices = make_matrices(change.problem, 1);
  emulate(kernel, matrices, {});
  return diagnose({change.problem, kernel.source.shape, matrices.a, matrices.b, matrices.c});
}

std::vector<emulator::Finding> findings_of(const PlantedFault& fault) {
  const ChangedKernel change{"3", fault.code, fault.instead, {67, 45, 70}, "", ""};
  const PreparedKernel kernel = prepare(changed(change), change.problem, find_gpu("h200"));
  Matrices matrices = make_matrices(change.problem, 1);
  emulator::Options options;
  options.max_instructions = 100'000;
  return emulate(kernel, matrices, options).findings;
}

}  // namespace

TEST_CASE("a mistake in a lesson's kernel is named") {
  for (const ChangedKernel& change : changed_kernels) {
    const Diagnosis diagnosis = diagnosis_of(change);
    INFO(change.instead << ": " << diagnosis.where << ": " << diagnosis.cause);
    CHECK(diagnosis.where == change.where);
    CHECK(diagnosis.cause.substr(0, change.cause.size()) == change.cause);
  }
}

TEST_CASE("a fault in a lesson's kernel has the cause that it was made with") {
  for (const PlantedFault& fault : faults) {
    INFO(fault.kind << " of " << fault.code << " as " << fault.instead);
    const std::vector<emulator::Finding> findings = findings_of(fault);
    const auto of_kind = std::ranges::find_if(findings, [&](const emulator::Finding& finding) {
      return name_of(finding.kind()) == fault.kind;
    });
    REQUIRE(of_kind != findings.end());
    INFO(message(*of_kind) << ": " << cause_of(*of_kind));
    CHECK(cause_of(*of_kind).find(fault.says) != std::string::npos);
  }
}

}  // namespace gemm_tutor
