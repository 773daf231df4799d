// Is C the product of A and B, or alpha·A·B + beta·C? Checked against a reference accumulated in
// FP64, with the one tolerance of the project.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "gemm/problem.hpp"
#include "support/activity.hpp"

namespace gemm_tutor {

// A rectangle of C: rows [row_begin, row_end), columns [column_begin, column_end).
struct Region {
  int row_begin = 0, row_end = 0, column_begin = 0, column_end = 0;

  int rows() const { return row_end - row_begin; }
  int columns() const { return column_end - column_begin; }
  std::int64_t elements() const { return std::int64_t{rows()} * columns(); }
};

struct WrongElement {
  int row = 0, column = 0;
  float value = 0;
  double reference = 0;
  double bound = 0;
};

struct Verification {
  bool passed = false;
  // Compared with the reference, or found unwritten: those are looked for in rows not sampled too.
  std::int64_t elements_checked = 0;
  std::int64_t elements_total = 0;    // M·N
  double worst_error_over_bound = 0;  // at most 1 when passed; infinite for a value not finite
  std::int64_t wrong_elements = 0;    // of those checked, unwritten ones included
  std::int64_t unwritten_elements = 0;
  std::optional<WrongElement> first_wrong;  // the first in row-major order
};

// How far an element that is right may be from the FP64 reference, for ANY order of its K products
// and sums, fused or not.
//
// With u = 2^-24, FP32 arithmetic to nearest gives fl(x op y) = (x op y)(1 + d), |d| <= u (Higham,
// Accuracy and Stability of Numerical Algorithms, 2nd ed., ch. 2.2 and 3.1). In any order, a
// product a·b is rounded once by itself and then in at most K - 1 sums, or with the sum where they
// are fused; a sum with a zero start or a zero fill is exact. So it reaches the result with at most
// K factors (1 + d), and
//
//   |computed - exact| <= ((1 + u)^K - 1) · S,   S = sum of |a·b|.
//
// Higham's gamma_K = K·u / (1 - K·u) is the usual upper bound of that factor; the power itself is
// tighter, and holds for every K.
//
// Below the normal numbers, a product (or a fused operation) may be off by half the smallest
// denormal more, 2^-150; a sum of floats is exact there. Each such error is then rounded on as
// above: together at most (1 + u)^K · K · 2^-150. (A kernel that flushes denormals to zero is not
// covered.)
//
// The reference has v = 2^-53. Its products of two floats are exact (24 + 24 bits in 53), so its
// sum is off by at most ((1 + v)^(K-1) - 1) · S. The S' that is computed for S has
//
//   S <= S' / (1 - v)^(K-1).
//
// Since 1 + v and 1 / (1 - v) are at most 1 + 2v, and since for g, h >= 0
//
//   (g + h)(1 + h) <= (1 + g)(1 + h)^2 - 1,
//
// all of it is within
//
//   ((1 + u)^K (1 + 2v)^(2K) - 1) · S' + (1 + u)^K (1 + 2v)^(2K) · K · 2^-150.
//
// What was given away (K for K - 1, 2v for v) is more than the rounding of this formula itself.
//
// With alpha, and beta times what C held before, there are K + 1 terms: alpha·a·b for each k, and
// beta·c. In any order, also where C itself is the sum that is added to, a term is scaled once more
// and goes through at most K sums. Scaling by 1 is exact, and so is adding 0. So
//
//   n = K + (alpha is not 1) + (beta is not 0)
//
// takes the place of K, and S is the sum of |alpha·a·b| and |beta·c|; the reference is rounded in
// no more places. Each of the 2K + 2 operations that can underflow adds 2^-150, scaled by alpha at
// most (where |a| and |b| are at most 1, as those of matrices.hpp are).
//
// What it sees: for values uniform in [-1, 1), S is about K / 4 and the bound about K² · 2^-26. One
// product of average size, 1/4, that is left out shows for K up to about 4,096.
class ErrorBound {
 public:
  explicit ErrorBound(int k, double alpha = 1, double beta = 0);

  double operator()(double sum_of_absolute_terms) const {
    return relative_ * sum_of_absolute_terms + absolute_;
  }

 private:
  double relative_, absolute_;
};

struct VerificationLimits {
  // Above this number of multiply-adds, rows are sampled at random, at least one. The default takes
  // about a second on two cores, and checks all of a 2048×2048×2048 product.
  double multiply_adds = 0x1p33;
  std::uint64_t seed = 1;  // of the choice of rows
};

// What C is to be beside the product: alpha·A·B + beta·c.
struct Scaling {
  double alpha = 1, beta = 0;
  std::span<const float> c = {};  // M×N; not read where beta is 0
};

// Checks the elements of C in `regions` (disjoint), or all of C when there are none. Throws
// Interrupted.
Verification verify(const Problem& problem, std::span<const float> a, std::span<const float> b,
                    std::span<const float> c, const std::vector<Region>& regions = {},
                    const VerificationLimits& limits = {}, Activity* activity = nullptr,
                    const Scaling& scaling = {});

}  // namespace gemm_tutor
