#include "gemm/reference.hpp"

#include <cmath>

#include "catch.hpp"
#include "gemm/matrices.hpp"

using namespace gemm_tutor;

namespace {

// Whether the sums are, bit for bit, those of a plain loop along k.
bool same_as_plain_loops(const Problem& problem, const std::vector<Strip>& strips) {
  const Matrices matrices = make_matrices(problem, 5);
  const Reference reference(problem, matrices.a, matrices.b);
  const ReferenceSums sums = reference.sums(strips);
  std::size_t at = 0;
  for (const Strip& strip : strips) {
    for (int column = strip.column_begin; column < strip.column_end; ++column, ++at) {
      double sum = 0, absolute = 0;
      for (int k = 0; k < problem.k; ++k) {
        const double a = matrices.a[std::int64_t{strip.row} * problem.k + k];
        const double b = matrices.b[std::int64_t{k} * problem.n + column];
        sum += a * b;
        absolute += std::abs(a) * std::abs(b);
      }
      if (sums.products.at(at) != sum || sums.absolute_products.at(at) != absolute) return false;
    }
  }
  return sums.products.size() == at && sums.absolute_products.size() == at;
}

}  // namespace

TEST_CASE("the reference of a product worked out by hand") {
  // [1 -2; 3 4] · [5 6 0; 7 -8 1]
  const std::vector<float> a = {1, -2, 3, 4}, b = {5, 6, 0, 7, -8, 1};
  const Reference reference({2, 3, 2}, a, b);
  const std::vector<Strip> rows = {{0, 0, 3}, {1, 0, 3}};
  const ReferenceSums sums = reference.sums(rows);
  CHECK(sums.products == std::vector<double>{-9, 22, -2, 43, -14, 4});
  CHECK(sums.absolute_products == std::vector<double>{19, 22, 2, 43, 50, 4});
}

TEST_CASE("the reference is the plain loops', whatever the shape and the strips") {
  CHECK(same_as_plain_loops({1, 1, 1}, {{0, 0, 1}}));
  CHECK(same_as_plain_loops({1, 257, 3}, {{0, 0, 257}}));
  CHECK(same_as_plain_loops({257, 1, 64}, {{0, 0, 1}, {256, 0, 1}}));
  CHECK(same_as_plain_loops({5, 301, 131}, {{0, 0, 256}, {0, 256, 301}, {4, 17, 18}, {2, 1, 300}}));
  CHECK(same_as_plain_loops({3, 64, 1000}, {{2, 0, 64}, {2, 0, 64}, {1, 63, 64}}));
  CHECK(same_as_plain_loops({3, 4, 5}, {{1, 2, 2}}));
  CHECK(same_as_plain_loops({3, 4, 5}, {}));
}

TEST_CASE("products that FP32 would round, lose or overflow are exact") {
  const std::vector<float> a = {1 + 0x1p-23f, 0x1p-149f, 0x1p127f};
  const std::vector<float> b = {1 + 0x1p-23f, 0x1p-149f, 0x1p127f};
  const auto product = [&](int i) {
    const Strip strip{0, 0, 1};
    return Reference({1, 1, 1}, {&a[i], 1}, {&b[i], 1}).sums({&strip, 1}).products[0];
  };
  CHECK(product(0) == 1 + 0x1p-22 + 0x1p-46);
  CHECK(product(1) == 0x1p-298);
  CHECK(product(2) == 0x1p254);
}
