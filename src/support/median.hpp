// The value in the middle.
#pragma once

#include <cstddef>
#include <numeric>
#include <span>

namespace gemm_tutor {

// Of values in ascending order, of which there must be one: of an even number of them the mean of
// the two in the middle.
inline double median(std::span<const double> sorted) {
  const std::size_t middle = sorted.size() / 2;
  return sorted.size() % 2 ? sorted[middle] : std::midpoint(sorted[middle - 1], sorted[middle]);
}

}  // namespace gemm_tutor
