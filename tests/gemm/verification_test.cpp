#include <cmath>
#include <limits>
#include <set>

#include "catch.hpp"
#include "gemm/matrices.hpp"
#include "gemm/reference.hpp"
#include "gemm/verification.hpp"

using namespace gemm_tutor;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

// C as the plain loop computes it in FP32.
Matrices multiplied(const Problem& problem, std::uint64_t seed = 1) {
  Matrices matrices = make_matrices(problem, seed);
  for (int row = 0; row < problem.m; ++row) {
    for (int column = 0; column < problem.n; ++column) {
      float sum = 0;
      for (int k = 0; k < problem.k; ++k) {
        sum += matrices.a[row * problem.k + k] * matrices.b[k * problem.n + column];
      }
      matrices.c[row * problem.n + column] = sum;
    }
  }
  return matrices;
}

Verification verify(const Matrices& matrices, const std::vector<Region>& regions = {},
                    const VerificationLimits& limits = {}) {
  return gemm_tutor::verify(matrices.problem, matrices.a, matrices.b, matrices.c, regions, limits);
}

// So many multiply-adds that `rows` whole rows are checked.
VerificationLimits limit_of_rows(const Problem& problem, int rows, std::uint64_t seed = 1) {
  return {(rows + 0.5) * problem.n * problem.k, seed};
}

}  // namespace

TEST_CASE("a right product passes, whatever its shape") {
  for (const Problem& problem :
       {Problem{1, 1, 1}, Problem{1, 257, 3}, Problem{257, 1, 64}, Problem{127, 65, 130},
        Problem{33, 600, 65}, Problem{2, 1, 3000}}) {
    const Verification result = verify(multiplied(problem));
    CHECK(result.passed);
    CHECK(result.elements_checked == problem.c_elements());
    CHECK(result.elements_total == problem.c_elements());
    CHECK(result.wrong_elements == 0);
    CHECK(result.unwritten_elements == 0);
    CHECK(result.worst_error_over_bound <= 1);
    CHECK_FALSE(result.first_wrong);
  }
}

TEST_CASE("the worst error over its bound is that of the worst element") {
  // Exact products, so that the errors are those put in: S = 2 for K = 2.
  const Problem problem{2, 2, 2};
  const std::vector<float> ones(4, 1.0f);
  const std::vector<float> c = {2, 2, 2 - 0x1p-23f, 2};
  const Verification result = gemm_tutor::verify(problem, ones, ones, c);
  CHECK(result.passed);
  CHECK(result.worst_error_over_bound == 0x1p-23 / ErrorBound(2)(2));
}

TEST_CASE("an element just within the bound passes, one just beyond is caught") {
  const Problem problem{40, 300, 64};
  const Matrices right = multiplied(problem);
  const Strip strip{33, 271, 272};
  const ReferenceSums sums = Reference(problem, right.a, right.b).sums({&strip, 1});
  const double bound = ErrorBound(problem.k)(sums.absolute_products[0]);
  for (const double sign : {-1.0, 1.0}) {
    Matrices changed = right;
    float& element = changed.c[33 * 300 + 271];
    element = static_cast<float>(sums.products[0] + sign * 0.98 * bound);
    CHECK(verify(changed).passed);
    CHECK(verify(changed).worst_error_over_bound > 0.97);

    element = static_cast<float>(sums.products[0] + sign * 1.02 * bound);
    const Verification result = verify(changed);
    CHECK_FALSE(result.passed);
    CHECK(result.wrong_elements == 1);
    CHECK(result.worst_error_over_bound > 1);
    CHECK(result.worst_error_over_bound < 1.03);
    REQUIRE(result.first_wrong);
    CHECK(result.first_wrong->row == 33);
    CHECK(result.first_wrong->column == 271);
    CHECK(result.first_wrong->value == element);
    CHECK(result.first_wrong->reference == sums.products[0]);
    CHECK(result.first_wrong->bound == bound);
  }
}

TEST_CASE("swapped operands and a transposed result are caught") {
  const Problem problem{64, 64, 64};
  const Matrices right = multiplied(problem);
  Matrices swapped = right;
  std::swap(swapped.a, swapped.b);
  CHECK_FALSE(verify(swapped).passed);

  Matrices transposed = right;
  for (int row = 0; row < 64; ++row) {
    for (int column = 0; column < 64; ++column) {
      transposed.c[row * 64 + column] = right.c[column * 64 + row];
    }
  }
  CHECK(verify(transposed).wrong_elements > 64 * 60);
}

TEST_CASE("a value that is not finite is wrong") {
  const Matrices right = multiplied({5, 7, 9});
  for (const float value : {infinity, -infinity, std::numeric_limits<float>::quiet_NaN()}) {
    Matrices changed = right;
    changed.c[17] = value;
    const Verification result = verify(changed);
    CHECK(result.wrong_elements == 1);
    CHECK(result.unwritten_elements == 0);
    CHECK(std::isinf(result.worst_error_over_bound));
    REQUIRE(result.first_wrong);
    CHECK(result.first_wrong->row == 2);
    CHECK(result.first_wrong->column == 3);
  }
}

TEST_CASE("of several wrong elements the first is in row-major order") {
  Matrices matrices = multiplied({300, 600, 8});
  for (const int index : {299 * 600 + 1, 70 * 600 + 599, 71 * 600, 70 * 600 + 300}) {
    matrices.c[index] += 1;
  }
  const Verification result = verify(matrices);
  CHECK(result.wrong_elements == 4);
  REQUIRE(result.first_wrong);
  CHECK(result.first_wrong->row == 70);
  CHECK(result.first_wrong->column == 300);
}

TEST_CASE("an element that was not written is found, and counted once") {
  Matrices matrices = multiplied({40, 50, 6});
  poison({&matrices.c[20 * 50 + 49], 2});  // the end of row 20, the start of row 21
  matrices.c[30 * 50] += 1;
  const Verification result = verify(matrices);
  CHECK_FALSE(result.passed);
  CHECK(result.unwritten_elements == 2);
  CHECK(result.wrong_elements == 3);
  CHECK(result.elements_checked == 40 * 50);
  CHECK(std::isinf(result.worst_error_over_bound));
  REQUIRE(result.first_wrong);
  CHECK(result.first_wrong->row == 20);
  CHECK(result.first_wrong->column == 49);
  CHECK(is_poison(result.first_wrong->value));
  CHECK(std::isfinite(result.first_wrong->reference));

  CHECK(verify(make_matrices({40, 50, 6}, 1)).unwritten_elements == 40 * 50);
}

TEST_CASE("only the elements of the regions are checked") {
  const Problem problem{70, 700, 20};
  Matrices matrices = make_matrices(problem, 1);
  const Matrices right = multiplied(problem);
  const std::vector<Region> regions = {{0, 32, 0, 32}, {64, 70, 320, 700}, {10, 11, 699, 700}};
  std::int64_t elements = 0;
  for (const Region& region : regions) {
    elements += region.elements();
    for (int row = region.row_begin; row < region.row_end; ++row) {
      for (int column = region.column_begin; column < region.column_end; ++column) {
        matrices.c[row * 700 + column] = right.c[row * 700 + column];
      }
    }
  }
  const Verification result = verify(matrices, regions);
  CHECK(result.passed);
  CHECK(result.elements_checked == elements);
  CHECK(result.elements_total == problem.c_elements());

  matrices.c[66 * 700 + 699] = 100;  // the last column of the second region
  matrices.c[10 * 700 + 699] = infinity;
  const Verification wrong = verify(matrices, regions);
  CHECK(wrong.wrong_elements == 2);
  REQUIRE(wrong.first_wrong);
  CHECK(wrong.first_wrong->row == 10);

  poison({&matrices.c[69 * 700 + 500], 1});
  CHECK(verify(matrices, regions).unwritten_elements == 1);
}

TEST_CASE(
    "above the limit rows are sampled: as many as the limit allows, each once, at least one") {
  const Problem problem{100, 30, 16};
  Matrices matrices = multiplied(problem);
  for (const int rows : {1, 3, 10, 99}) {
    const Verification result = verify(matrices, {}, limit_of_rows(problem, rows));
    CHECK(result.passed);
    CHECK(result.elements_checked == rows * problem.n);
    CHECK(result.elements_total == problem.c_elements());
  }
  CHECK(verify(matrices, {}, {1.0, 1}).elements_checked == problem.n);
  CHECK(verify(matrices, {}, {problem.multiply_adds(), 1}).elements_checked == 100 * 30);

  for (float& value : matrices.c) value += 1;
  CHECK(verify(matrices, {}, limit_of_rows(problem, 40)).wrong_elements == 40 * 30);
}

TEST_CASE("the default limit checks all of a product up to 2^33 multiply-adds") {
  CHECK(VerificationLimits{}.multiply_adds == Problem{2048, 2048, 2048}.multiply_adds());
}

TEST_CASE("which rows are sampled is the seed's choice, and any row can be") {
  const Problem problem{50, 3, 4};
  Matrices matrices = multiplied(problem);
  for (float& value : matrices.c) value += 1;
  std::set<int> first_rows, rows;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const Verification one = verify(matrices, {}, limit_of_rows(problem, 1, seed));
    const Verification again = verify(matrices, {}, limit_of_rows(problem, 1, seed));
    REQUIRE(one.first_wrong);
    CHECK(again.first_wrong->row == one.first_wrong->row);
    rows.insert(one.first_wrong->row);
    first_rows.insert(verify(matrices, {}, limit_of_rows(problem, 5, seed)).first_wrong->row);
  }
  CHECK(rows.size() == 50);
  CHECK(first_rows.size() == 10);  // of five rows, one is in each fifth
}

TEST_CASE("an element that was not written is found in rows that are not sampled") {
  const Problem problem{100, 30, 16};
  Matrices matrices = multiplied(problem);
  for (int row = 0; row < problem.m; ++row) poison({&matrices.c[row * 30 + 29], 1});
  const Verification result = verify(matrices, {}, limit_of_rows(problem, 2));
  CHECK(result.unwritten_elements == 100);
  CHECK(result.wrong_elements == 100);
  CHECK(result.elements_checked == 2 * 29 + 100);
  REQUIRE(result.first_wrong);
  CHECK(result.first_wrong->row == 0);
  CHECK(result.first_wrong->column == 29);
}

TEST_CASE("rows are sampled across the regions") {
  const Problem problem{64, 64, 10};
  Matrices matrices = multiplied(problem);
  const std::vector<Region> regions = {{0, 32, 0, 32}, {32, 64, 32, 64}};
  const VerificationLimits quarter{16.5 * 32 * 10, 1};
  CHECK(verify(matrices, regions, quarter).elements_checked == 16 * 32);

  for (int row = 32; row < 64; ++row) matrices.c[row * 64 + 40] += 1;
  const Verification result = verify(matrices, regions, quarter);
  CHECK(result.wrong_elements == 8);  // half of the rows are the second region's
}

TEST_CASE("checking counts to its end, and can be stopped") {
  const Matrices m = multiplied({70, 300, 20});
  Activity activity;
  const auto check = [&] {
    return gemm_tutor::verify(m.problem, m.a, m.b, m.c, {}, {}, &activity);
  };
  CHECK(check().passed);
  CHECK(activity.state().what == "checking the result");
  CHECK(activity.state().all > 1);
  CHECK(activity.state().done == activity.state().all);
  activity.stop();
  CHECK_THROWS_AS(check(), Interrupted);
}

TEST_CASE("alpha·A·B + beta·C is verified against the C of before") {
  const Problem problem{40, 30, 20};
  Matrices matrices = multiplied(problem);
  const std::vector<float> before = make_matrices(problem, 1, nullptr, {.c = InitialC::random}).c;
  const std::vector<float> product = matrices.c;
  const float alpha = 0.1f, beta = -3;
  for (std::size_t i = 0; i < before.size(); ++i) {
    matrices.c[i] = alpha * product[i] + beta * before[i];
  }
  const auto verified = [&](const Scaling& scaling) {
    return gemm_tutor::verify(problem, matrices.a, matrices.b, matrices.c, {}, {}, nullptr,
                              scaling);
  };
  const Verification right = verified({alpha, beta, before});
  CHECK(right.passed);
  CHECK(right.worst_error_over_bound < 1);
  CHECK(verified({0.1, beta, before}).wrong_elements == 0);  // alpha before it was rounded
  CHECK(verified({alpha, beta * 1.001, before}).wrong_elements > 1000);
  CHECK(verified({alpha * 1.001, beta, before}).wrong_elements > 1000);
  CHECK(verified({.alpha = alpha}).wrong_elements > 1000);

  const Verification wrong = verified({alpha, 2, before});
  REQUIRE(wrong.first_wrong);
  CHECK(wrong.first_wrong->reference ==
        Approx(double{alpha} * product[0] + 2 * double{before[0]}).margin(1e-5));
}

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
