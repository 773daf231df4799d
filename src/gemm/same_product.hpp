// Checks whether two results of the same product agree within rounding. It looks at every element,
// and is much faster than computing the reference again.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "gemm/problem.hpp"
#include "gemm/verification.hpp"

namespace gemm_tutor {

// Compares C with a right result, element by element. Each may differ from the exact value by the
// bound of gemm/verification.hpp. The bound depends on S, the sum of |a·b|, which is at most the
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
