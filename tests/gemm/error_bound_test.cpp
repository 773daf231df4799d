// Is the bound right for every order of the sum, and is it no looser than it must be?
#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "catch.hpp"
#include "gemm/verification.hpp"

using namespace gemm_tutor;

namespace {

using Values = std::vector<float>;

struct Dot {
  Values a, b;

  int k() const { return static_cast<int>(a.size()); }

  // |computed - reference| / bound.
  double error_over_bound(float computed) const {
    double sum = 0, absolute = 0;
    for (int i = 0; i < k(); ++i) {
      sum += double{a[i]} * b[i];
      absolute += std::abs(double{a[i]} * b[i]);
    }
    return std::abs(computed - sum) / ErrorBound(k())(absolute);
  }
};

float forward(const Dot& dot) {
  float sum = 0;
  for (int i = 0; i < dot.k(); ++i) sum += dot.a[i] * dot.b[i];
  return sum;
}

float backward_fused(const Dot& dot) {
  float sum = 0;
  for (int i = dot.k() - 1; i >= 0; --i) sum = std::fma(dot.a[i], dot.b[i], sum);
  return sum;
}

float pairwise(const Dot& dot, int begin, int end) {
  if (end - begin == 1) return dot.a[begin] * dot.b[begin];
  const int middle = begin + (end - begin) / 2;
  return pairwise(dot, begin, middle) + pairwise(dot, middle, end);
}

// As threads do that share a sum: partial sums of every `parts`-th product, fused, then their sum.
float split(const Dot& dot, int parts) {
  Values sums(parts);
  for (int i = 0; i < dot.k(); ++i) {
    sums[i % parts] = std::fma(dot.a[i], dot.b[i], sums[i % parts]);
  }
  return std::accumulate(sums.begin(), sums.end(), 0.0f);
}

// Any two of the values left are added, until one is.
float random_tree(const Dot& dot, std::mt19937& random) {
  Values values;
  for (int i = 0; i < dot.k(); ++i) values.push_back(dot.a[i] * dot.b[i]);
  while (values.size() > 1) {
    std::swap(values[random() % values.size()], values.back());
    const float last = values.back();
    values.pop_back();
    values[random() % values.size()] += last;
  }
  return values.front();
}

Dot random_dot(int k, std::mt19937& random, int smallest_exponent, int largest_exponent) {
  std::uniform_real_distribution<float> fraction(-1, 1);
  std::uniform_int_distribution<int> exponent(smallest_exponent, largest_exponent);
  Dot dot;
  for (int i = 0; i < k; ++i) {
    dot.a.push_back(std::ldexp(fraction(random), exponent(random)));
    dot.b.push_back(std::ldexp(fraction(random), exponent(random)));
  }
  return dot;
}

void check_all_orders(const Dot& dot, std::mt19937& random) {
  CHECK(dot.error_over_bound(forward(dot)) <= 1);
  CHECK(dot.error_over_bound(backward_fused(dot)) <= 1);
  CHECK(dot.error_over_bound(pairwise(dot, 0, dot.k())) <= 1);
  CHECK(dot.error_over_bound(split(dot, 7)) <= 1);
  for (int i = 0; i < 5; ++i) CHECK(dot.error_over_bound(random_tree(dot, random)) <= 1);
}

}  // namespace

TEST_CASE("the bound holds for many orders of the sum, fused or not") {
  std::mt19937 random(1);
  for (const int k : {1, 2, 3, 7, 64, 1000, 4096}) {
    for (int i = 0; i < 20; ++i) {
      check_all_orders(random_dot(k, random, 0, 0), random);
      check_all_orders(random_dot(k, random, -20, 20), random);
    }
  }
}

TEST_CASE("the bound holds where products and sums are denormal") {
  std::mt19937 random(2);
  for (const int k : {1, 2, 3, 64, 1000}) {
    for (int i = 0; i < 20; ++i) {
      check_all_orders(random_dot(k, random, -75, -73), random);  // products of about 2^-148
      check_all_orders(random_dot(k, random, -75, -55), random);
    }
  }
}

TEST_CASE("the bound is reached: a smaller one would reject a right result") {
  // 1 + 2^-24 is a tie that goes to 1, so every sum loses all it can.
  for (const int k : {2, 10, 1000, 100'000}) {
    Dot dot{Values(k, 1.0f), Values(k, 0x1p-24f)};
    dot.b[0] = 1;
    REQUIRE(forward(dot) == 1);
    const double ratio = dot.error_over_bound(1);
    CHECK(ratio <= 1);
    CHECK(ratio > (k - 1.0) / k * 0.985);  // S itself is 1 + (k - 1)·2^-24
  }
  // One product, rounded by half a unit in the last place, just above a power of two.
  const Dot one{{1 + 0x1p-12f}, {1 + 0x1p-12f}};
  CHECK(one.error_over_bound(one.a[0] * one.b[0]) > 0.999);
  CHECK(one.error_over_bound(one.a[0] * one.b[0]) <= 1);
  // One product that is lost altogether below the smallest denormal.
  const Dot tiny{{0x1p-75f}, {0x1p-75f}};
  REQUIRE(tiny.a[0] * tiny.b[0] == 0);
  CHECK(tiny.error_over_bound(0) > 0.999);
  CHECK(tiny.error_over_bound(0) <= 1);
}

TEST_CASE("the bound is exceeded when a product is left out, or counted twice") {
  std::mt19937 random(3);
  for (const int k : {2, 7, 64, 1000, 3500}) {
    for (int i = 0; i < 20; ++i) {
      const Dot whole = random_dot(k, random, 0, 0);
      const int left_out = static_cast<int>(random() % k);
      Dot rest = whole;
      rest.a[left_out] = rest.b[left_out] = 0.5f;  // of average size
      Dot without = rest, twice = rest;
      without.a[left_out] = 0;
      twice.a[left_out] *= 2;
      CHECK(rest.error_over_bound(forward(without)) > 1);
      CHECK(rest.error_over_bound(forward(twice)) > 1);
      CHECK(rest.error_over_bound(forward(rest)) <= 1);
    }
  }
}

TEST_CASE("the bound holds for alpha·A·B + beta·C, wherever it is scaled and added") {
  std::mt19937 random(4);
  std::uniform_real_distribution<float> fraction(-1, 1);
  for (const int k : {1, 2, 7, 64, 1000}) {
    for (int i = 0; i < 200; ++i) {
      const Dot dot = random_dot(k, random, i % 2 ? -75 : 0, 0);
      const float c = fraction(random);
      const float alpha = i % 3 == 0 ? 1 : 4 * fraction(random);
      const float beta = i % 5 == 0 ? 1 : 4 * fraction(random);
      double sum = 0, absolute = 0;
      float scaled_first = 0, added_first = beta * c;
      for (int j = 0; j < k; ++j) {
        sum += double{dot.a[j]} * dot.b[j];
        absolute += std::abs(double{dot.a[j]} * dot.b[j]);
        scaled_first += alpha * dot.a[j] * dot.b[j];
        added_first += alpha * (dot.a[j] * dot.b[j]);
      }
      const double reference = alpha * sum + double{beta} * c;
      const double bound =
          ErrorBound(k, {alpha, beta})(std::abs(alpha) * absolute + std::abs(double{beta} * c));
      for (const float computed : {alpha * forward(dot) + beta * c, scaled_first + beta * c,
                                   std::fma(alpha, backward_fused(dot), beta * c), added_first}) {
        CHECK(std::abs(computed - reference) <= bound);
      }
    }
  }
}

TEST_CASE(
    "the bound of a product that is scaled by 1 and added to nothing is that of the product") {
  for (const int k : {1, 100}) CHECK(ErrorBound(k, {1, 0})(2.0) == ErrorBound(k)(2.0));
  CHECK(ErrorBound(1, {2, 0})(1.0) > 1.9 * ErrorBound(1)(1.0));
  CHECK(ErrorBound(1, {2, 0.5})(1.0) > 2.9 * ErrorBound(1)(1.0));
}

TEST_CASE("the bound is a number for every K") {
  for (const int k : {1, 1 << 24, 2147483647}) {
    const double bound = ErrorBound(k)(k / 4.0);
    CHECK(std::isfinite(bound));
    CHECK(bound >= k * 0x1p-24 * (k / 4.0));
    CHECK(ErrorBound(k)(0) > 0);
  }
}
