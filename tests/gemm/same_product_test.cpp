#include "gemm/same_product.hpp"

#include <cmath>
#include <limits>

#include "catch.hpp"
#include "gemm/matrices.hpp"
#include "gemm/reference.hpp"

using namespace gemm_tutor;

namespace {

// In FP32, K from the front or from the back.
std::vector<float> product(const Matrices& matrices, bool from_the_back) {
  const Problem& p = matrices.problem;
  std::vector<float> c(static_cast<std::size_t>(p.c_elements()));
  for (int i = 0; i < p.m; ++i) {
    for (int j = 0; j < p.n; ++j) {
      float sum = 0;
      for (int step = 0; step < p.k; ++step) {
        const int k = from_the_back ? p.k - 1 - step : step;
        sum += matrices.a[static_cast<std::size_t>(i) * p.k + k] *
               matrices.b[static_cast<std::size_t>(k) * p.n + j];
      }
      c[static_cast<std::size_t>(i) * p.n + j] = sum;
    }
  }
  return c;
}

}  // namespace

TEST_CASE("two right results agree, whatever the order of their sums") {
  for (const Problem problem : {Problem{1, 1, 1}, {7, 5, 300}, {33, 70, 129}}) {
    const Matrices matrices = make_matrices(problem, 3);
    const SameProduct same(problem, matrices.a, matrices.b, product(matrices, false));
    CHECK_FALSE(same.first_wrong(product(matrices, true)).has_value());
  }
}

TEST_CASE("the first element that differs is named") {
  const Problem problem{33, 70, 129};
  const Matrices matrices = make_matrices(problem, 3);
  const std::vector<float> right = product(matrices, false);
  const SameProduct same(problem, matrices.a, matrices.b, right);
  std::vector<float> wrong = right;
  wrong[32 * 70 + 69] += 1;
  wrong[20 * 70 + 3] = std::numeric_limits<float>::quiet_NaN();
  const auto found = same.first_wrong(wrong);
  REQUIRE(found.has_value());
  CHECK(found->row == 20);
  CHECK(found->column == 3);
  CHECK(static_cast<float>(found->reference) == right[20 * 70 + 3]);

  wrong = right;
  wrong[32 * 70 + 69] += 0.01F;  // less than one product that is left out
  REQUIRE(same.first_wrong(wrong).has_value());
  CHECK(same.first_wrong(wrong)->row == 32);
  CHECK(same.first_wrong(wrong)->column == 69);
}
