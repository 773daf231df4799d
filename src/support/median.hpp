// The median.
#pragma once

#include <cstddef>
#include <numeric>
#include <span>

namespace gemm_tutor {

// The values must be in ascending order, and at least one. For an even number of values, returns
// the mean of the middle two.
inline double median(std::span<const double> sorted) {
  const std::size_t middle = sorted.size() / 2;
  return sorted.size() % 2 ? sorted[middle] : std::midpoint(sorted[middle - 1], sorted[middle]);
}

}  // namespace gemm_tutor
