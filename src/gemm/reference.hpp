// The product accumulated in FP64, where the product of two floats is exact.
#pragma once

#include <span>
#include <vector>

#include "gemm/problem.hpp"

namespace gemm_tutor {

// A piece of a row of C: columns [column_begin, column_end).
struct Strip {
  int row = 0, column_begin = 0, column_end = 0;

  int columns() const { return column_end - column_begin; }
};

// One value for every element of the strips, strip after strip.
struct ReferenceSums {
  std::vector<double> products;           // sum over k of A[row][k]·B[k][column]
  std::vector<double> absolute_products;  // sum over k of |A[row][k]·B[k][column]|
};

class Reference {
 public:
  // A and B, M×K and K×N, must outlive it.
  Reference(const Problem& problem, std::span<const float> a, std::span<const float> b)
      : problem_(problem), a_(a), b_(b) {}

  // Fast for strips of some hundred columns that share them, so that a row of B is used for all.
  ReferenceSums sums(std::span<const Strip> strips) const;

 private:
  Problem problem_;
  std::span<const float> a_, b_;
};

}  // namespace gemm_tutor
