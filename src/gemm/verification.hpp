// Is C the product of A and B? Checked against a reference accumulated in FP64, with the one
// tolerance of the project.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "gemm/problem.hpp"

namespace gemm_tutor {

// A rectangle of C: rows [row_begin, row_end), columns [column_begin, column_end).
struct Region {
  int row_begin = 0, row_end = 0, column_begin = 0, column_end = 0;

  std::int64_t elements() const {
    return std::int64_t{row_end - row_begin} * (column_end - column_begin);
  }
};

struct WrongElement {
  int row = 0, column = 0;
  float value = 0;
  double reference = 0;
  double bound = 0;
};

struct Verification {
  bool passed = false;
  std::int64_t elements_checked = 0;
  std::int64_t elements_total = 0;   // M·N
  double worst_error_over_bound = 0;  // at most 1 when passed; not finite errors count as infinite
  std::int64_t wrong_elements = 0;    // of those checked, unwritten ones included
  std::int64_t unwritten_elements = 0;
  std::optional<WrongElement> first_wrong;  // the first in row-major order
};

// The error bound of one element, for ANY order of the K products and sums, fused or not.
// (Definition and derivation stand here when implemented.)
double error_bound(int k, double sum_of_absolute_products);

struct VerificationLimits {
  // Multiply-adds of the whole reference above which rows are sampled at random.
  double multiply_adds = 0;  // 0: the default, chosen so that the reference takes about a second
  std::uint64_t seed = 1;    // of the choice of rows
};

// Checks the elements of C in `regions` (disjoint), or all of C when there are none.
Verification verify(const Problem& problem, std::span<const float> a, std::span<const float> b,
                    std::span<const float> c, const std::vector<Region>& regions = {},
                    const VerificationLimits& limits = {});

}  // namespace gemm_tutor
