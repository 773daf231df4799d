#include "catch.hpp"
#include "gemm/matrices.hpp"
#include "gemm/verification.hpp"
#include "gpu/gpu.hpp"
#include "timing_checks.hpp"

using namespace gemm_tutor;

namespace {

// Why there is no cuBLAS to test; empty when there is.
std::string missing() {
  const gpu::Status& status = gpu::status();
  return status.available ? status.cublas_problem : status.problem;
}

}  // namespace

TEST_CASE("cuBLAS computes the product of any shape") {
  if (!missing().empty()) SKIP_BECAUSE(missing());
  for (const Problem& problem : {Problem{1, 1, 1}, Problem{2, 2, 2}, Problem{31, 31, 31},
                                 Problem{33, 33, 33}, Problem{64, 64, 64}, Problem{100, 100, 100},
                                 Problem{127, 65, 130}, Problem{1, 257, 3}, Problem{257, 1, 64}}) {
    CAPTURE(problem.m, problem.n, problem.k);
    const Matrices matrices = make_matrices(problem, 1);
    gpu::Session session(problem, matrices.a, matrices.b);
    const std::vector<float> c = session.run_cublas();
    const Verification result = verify(problem, matrices.a, matrices.b, c);
    CHECK(result.passed);
    CHECK(result.elements_checked == problem.c_elements());
  }
}

TEST_CASE("cuBLAS computes A·B, not B·A nor a transpose") {
  if (!missing().empty()) SKIP_BECAUSE(missing());
  const std::vector<float> a = {1, 2, 3, 4}, b = {0, 1, 0, 0};
  gpu::Session session({2, 2, 2}, a, b);
  CHECK(session.run_cublas() == std::vector<float>{0, 1, 0, 3});
}

TEST_CASE("cuBLAS is timed") {
  if (!missing().empty()) SKIP_BECAUSE(missing());
  const Problem problem{300, 200, 100};
  const Matrices matrices = make_matrices(problem, 1);
  check_timing(gpu::Session(problem, matrices.a, matrices.b).time_cublas());
}
