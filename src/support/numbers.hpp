// Small functions on numbers.
#pragma once

#include <concepts>
#include <cstddef>
#include <numeric>
#include <span>

namespace gemm_tutor {

// For a >= 0 and b > 0; never overflows.
template <std::integral A, std::integral B>
constexpr auto ceil_divide(A a, B b) {
  return a / b + (a % b != 0);
}

// The smallest multiple of b that is not less than a. For a >= 0 and b > 0; the result must fit.
template <std::integral Integer>
constexpr Integer rounded_up(Integer a, Integer b) {
  return ceil_divide(a, b) * b;
}

// For any a, and b > 0. Rounds towards minus infinity, whereas / rounds towards zero.
template <std::signed_integral Integer>
constexpr Integer floor_divide(Integer a, Integer b) {
  return a / b - (a % b < 0 ? 1 : 0);
}

// The median. The values must be in ascending order, and at least one. For an even number of
// values, returns the mean of the middle two.
inline double median(std::span<const double> sorted) {
  const std::size_t middle = sorted.size() / 2;
  return sorted.size() % 2 ? sorted[middle] : std::midpoint(sorted[middle - 1], sorted[middle]);
}

}  // namespace gemm_tutor
