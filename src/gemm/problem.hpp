// The product C = A·B: A is M×K, B is K×N, C is M×N, all FP32, row-major and dense.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace gemm_tutor {

inline constexpr int default_size = 1024;  // M, N and K if no size is given

struct Problem {
  int m = 0, n = 0, k = 0;  // each at least 1

  std::int64_t a_elements() const { return std::int64_t{m} * k; }
  std::int64_t b_elements() const { return std::int64_t{k} * n; }
  std::int64_t c_elements() const { return std::int64_t{m} * n; }
  // Bytes of the three matrices together. It is a double, because 64-bit integers could overflow.
  double bytes() const { return sizeof(float) * (1.0 * m * k + 1.0 * k * n + 1.0 * m * n); }
  double multiply_adds() const { return 1.0 * m * n * k; }
  // A multiply-add counts as two.
  double flops() const { return 2 * multiply_adds(); }

  bool operator==(const Problem&) const = default;
};

// Parses a problem's sizes.

// Returns the texts of M, N and K in "33x65x17" or "33 65 17". "2048" is all three. Returns nothing
// unless there are one or three parts.
std::optional<std::array<std::string, 3>> extents_in(const std::string& text);

// Returns the problem of such a text; nothing unless M, N and K are whole numbers from 1.
std::optional<Problem> problem_in(const std::string& text);

}  // namespace gemm_tutor
