// Checks whether C is the product of A and B, or alpha·A·B + beta·C. It compares C with a reference
// accumulated in FP64, within an error bound that is derived below.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "gemm/problem.hpp"
#include "gemm/scalar.hpp"
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
  // Elements that were compared with the reference, and unwritten elements. These are also searched
  // in rows that are not sampled.
  std::int64_t elements_checked = 0;
  std::int64_t elements_total = 0;  // M·N
  double worst_error_over_bound =
      0;                            // at most 1 if passed; infinite for a value that is not finite
  std::int64_t wrong_elements = 0;  // among those checked, with the unwritten ones
  std::int64_t unwritten_elements = 0;
  std::optional<WrongElement> first_wrong;  // the first in row-major order
};

// The expected C is alpha·A·B + beta·c.
struct Scaling {
  double alpha = 1, beta = 0;
  std::span<const float> c = {};  // M×N; not read if beta is 0
  Precision precision = Precision::fp32;
  Scalar stored = Scalar::f32;  // the type of C
  bool rounds_factors = false;  // A or B has floats or doubles, and the precision's factors fewer
};

// `c_before` must outlive it.
inline Scaling scaling_of(const Update& update, std::span<const float> c_before) {
  const Types& types = update.types;
  const auto has_more = [](Scalar type) { return type == Scalar::f32 || type == Scalar::f64; };
  return {update.scale_of_product(),
          update.scale_of_c(),
          c_before,
          types.precision,
          types.c,
          has_more(types.a) || has_more(types.b)};
}

// The largest difference between a right element and the FP64 reference, for ANY order of its K
// products and sums, fused or not.
//
// With u = 2^-24, FP32 arithmetic to nearest gives fl(x op y) = (x op y)(1 + d), |d| <= u (Higham,
// Accuracy and Stability of Numerical Algorithms, 2nd ed., ch. 2.2 and 3.1). In any order, a
// product a·b is rounded once on its own and then in at most K - 1 sums. A fused multiply-add
// rounds it only with the sum. Adding to zero, or adding a zero fill, is exact. So a product is
// part of the result with at most K factors (1 + d), and
//
//   |computed - exact| <= ((1 + u)^K - 1) · S,   S = sum of |a·b|.
//
// Higham's gamma_K = K·u / (1 - K·u) is the usual upper bound of that factor. The power is tighter,
// and holds for every K.
//
// Among denormal numbers, a product (or a fused operation) has an additional error of at most half
// the smallest denormal, 2^-150. A sum of floats is exact there. Each of these errors is rounded
// further as above, so that together they are at most (1 + u)^K · K · 2^-150. (A kernel that
// flushes denormals to zero is not covered.)
//
// For the reference, v = 2^-53. Its products of two floats are exact (24 + 24 bits fit into 53), so
// its sum has an error of at most ((1 + v)^(K-1) - 1) · S. The computed value S' of S satisfies
//
//   S <= S' / (1 - v)^(K-1).
//
// Since 1 + v and 1 / (1 - v) are at most 1 + 2v, and since for g, h >= 0
//
//   (g + h)(1 + h) <= (1 + g)(1 + h)^2 - 1,
//
// the total error is at most
//
//   ((1 + u)^K (1 + 2v)^(2K) - 1) · S' + (1 + u)^K (1 + 2v)^(2K) · K · 2^-150.
//
// The slack (K instead of K - 1, 2v instead of v) is more than the rounding error of this formula.
//
// With alpha and beta there are K + 1 terms: alpha·a·b for each k, and beta·c for the old value of
// C. In any order, even if the kernel adds to C in place, a term is scaled once more and is part of
// at most K sums. Scaling by 1 and adding 0 are exact. So
//
//   n = K + (alpha is not 1) + (beta is not 0)
//
// replaces K, and S is the sum of |alpha·a·b| and |beta·c|. The reference has no more roundings
// than that. Each of the 2K + 2 operations that can underflow adds at most 2^-150, scaled by at
// most alpha (if |a| and |b| are at most 1, as in matrices.hpp).
//
// What the check detects: for values uniform in [-1, 1), S is about K / 4 and the bound about
// K² · 2^-26. One missing product of average size, 1/4, is detected for K up to about 4,096.
//
// docs/precision.md derives the same for other precisions: factors that are rounded, sums of tensor
// cores, and whole numbers, of which the sums are exact.
class ErrorBound {
 public:
  explicit ErrorBound(int k, const Scaling& scaling = {});

  // `rounded` is the sum of the absolute values that are rounded to C's type, if that is not FP32.
  double operator()(double sum_of_absolute_terms, double rounded = 0) const {
    constexpr double of_whole_numbers = 0.25;  // two of them differ by 1 at least
    if (sum_of_absolute_terms <= exact_to_) return of_whole_numbers;
    const double of_sum = relative_ * sum_of_absolute_terms + absolute_;
    return of_sum + stored_ * (std::abs(rounded) + of_sum);
  }

 private:
  double relative_ = 0, absolute_ = 0;
  double stored_ = 0;    // the relative error of a value that is stored as C
  double exact_to_ = 0;  // if not 0: a smaller sum is exact
};

struct VerificationLimits {
  // For more multiply-adds than this, only random rows are checked, at least one. The default takes
  // about a second on two cores, and checks all rows of a 2048×2048×2048 product.
  double multiply_adds = 0x1p33;
  std::uint64_t seed = 1;  // of the random choice of rows
};

// Checks the elements of C in the disjoint `regions`, or all of C if there are no regions. Throws
// Interrupted.
Verification verify(const Problem& problem, std::span<const float> a, std::span<const float> b,
                    std::span<const float> c, const std::vector<Region>& regions = {},
                    const VerificationLimits& limits = {}, Activity* activity = nullptr,
                    const Scaling& scaling = {});

// Checks whether two results of the same product agree within rounding. It looks at every element,
// and is much faster than computing the reference again.

// Compares C with a right result, element by element. Each may differ from the exact value by the
// bound of a verification. The bound depends on S, the sum of |a·b|, which is at most the
// norm of A's row times the norm of B's column (Cauchy–Schwarz inequality). So two right results
// differ by at most twice the bound for the product of these norms.
class SameProduct {
 public:
  // `right` is a right result C.
  SameProduct(const Problem& problem, std::span<const float> a, std::span<const float> b,
              std::vector<float> right);

  // Returns the first element of `c`, in row-major order, that differs by more; nothing if no
  // element does. The element's reference is the right result's value.
  std::optional<WrongElement> first_wrong(std::span<const float> c) const;

 private:
  Problem problem_;
  std::vector<float> right_;
  std::vector<double> row_norms_, column_norms_;  // of A and of B
};

}  // namespace gemm_tutor
