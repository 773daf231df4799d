// The product accumulated in FP64, where the product of two floats is exact.
#pragma once

#include <span>
#include <vector>

#include "gemm/problem.hpp"

namespace gemm_tutor {

// A part of a row of C: columns [column_begin, column_end).
struct Strip {
  int row = 0, column_begin = 0, column_end = 0;

  int columns() const { return column_end - column_begin; }
};

// One value for each element of the strips, strip by strip.
struct ReferenceSums {
  std::vector<double> products;           // sum over k of A[row][k]·B[k][column]
  std::vector<double> absolute_products;  // sum over k of |A[row][k]·B[k][column]|
};

class Reference {
 public:
  // A is M×K, B is K×N. Both must outlive the object.
  Reference(const Problem& problem, std::span<const float> a, std::span<const float> b)
      : problem_(problem), a_(a), b_(b) {}

  // Fast if the strips have the same few hundred columns, because all use the same part of B.
  ReferenceSums sums(std::span<const Strip> strips) const;

 private:
  Problem problem_;
  std::span<const float> a_, b_;
};

}  // namespace gemm_tutor
