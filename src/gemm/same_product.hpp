// Whether two results of the same product agree as far as rounding allows: a look at every element
// where computing the reference anew would take too long.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "gemm/problem.hpp"
#include "gemm/verification.hpp"

namespace gemm_tutor {

// Compares C with a result that is known to be right, element by element. Both may be off by the
// bound of gemm/verification.hpp, and S, the sum of |a·b| that it is for, is at most the norm of
// A's row times that of B's column (Cauchy and Schwarz). So two results that are right never differ
// by more than twice the bound of that product.
class SameProduct {
 public:
  // `right` is C as it should be.
  SameProduct(const Problem& problem, std::span<const float> a, std::span<const float> b,
              std::vector<float> right);

  // The first element of `c` in row-major order that is off by more; nothing where there is none.
  // Its reference is the value of the right result.
  std::optional<WrongElement> first_wrong(std::span<const float> c) const;

 private:
  Problem problem_;
  std::vector<float> right_;
  std::vector<double> row_norms_, column_norms_;  // of A and of B
};

}  // namespace gemm_tutor
