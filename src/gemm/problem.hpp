// The product C = A·B: A is M×K, B is K×N, C is M×N, all FP32, row-major and dense.
#pragma once

#include <cstdint>

namespace gemm_tutor {

struct Problem {
  int m = 0, n = 0, k = 0;  // each at least 1

  std::int64_t a_elements() const { return std::int64_t{m} * k; }
  std::int64_t b_elements() const { return std::int64_t{k} * n; }
  std::int64_t c_elements() const { return std::int64_t{m} * n; }
  // Of the three matrices together.
  std::int64_t bytes() const { return 4 * (a_elements() + b_elements() + c_elements()); }
  // A multiply-add is two.
  double flops() const { return 2.0 * m * n * k; }

  bool operator==(const Problem&) const = default;
};

}  // namespace gemm_tutor
