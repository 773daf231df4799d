#include "gemm/same_product.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "support/parallel.hpp"

namespace gemm_tutor {
namespace {

// An upper bound for the rounding errors of a sum of K squares in FP64, a root and a product.
double rounded_up(double norm, int k) { return norm * (1 + (k + 4) * 0x1p-52); }

double square(float value) { return static_cast<double>(value) * value; }

std::vector<double> norms_of_rows(std::span<const float> a, int rows, int columns) {
  std::vector<double> norms(static_cast<std::size_t>(rows));
  parallel_for(rows, core_count(), [&](std::int64_t row, int) {
    double sum = 0;
    for (const float value :
         a.subspan(static_cast<std::size_t>(row * columns), static_cast<std::size_t>(columns))) {
      sum += square(value);
    }
    norms[static_cast<std::size_t>(row)] = rounded_up(std::sqrt(sum), columns);
  });
  return norms;
}

std::vector<double> norms_of_columns(std::span<const float> b, int rows, int columns) {
  const auto width = static_cast<std::size_t>(columns);
  std::vector<double> norms(width);
  for (std::size_t row = 0; row < static_cast<std::size_t>(rows); ++row) {
    const float* values = b.data() + row * width;
    for (std::size_t column = 0; column < width; ++column) norms[column] += square(values[column]);
  }
  for (double& norm : norms) norm = rounded_up(std::sqrt(norm), rows);
  return norms;
}

}  // namespace

SameProduct::SameProduct(const Problem& problem, std::span<const float> a, std::span<const float> b,
                         std::vector<float> right)
    : problem_(problem),
      right_(std::move(right)),
      row_norms_(norms_of_rows(a, problem.m, problem.k)),
      column_norms_(norms_of_columns(b, problem.k, problem.n)) {}

std::optional<WrongElement> SameProduct::first_wrong(std::span<const float> c) const {
  const ErrorBound bound(problem_.k);
  const auto width = static_cast<std::size_t>(problem_.n);
  const auto limit = [&](std::size_t row, std::size_t column) {
    return 2 * bound(row_norms_[row] * column_norms_[column]);
  };
  const auto wrong = [&](std::size_t row, std::size_t column) {
    const std::size_t at = row * width + column;
    const double difference = std::abs(static_cast<double>(c[at]) - right_[at]);
    return !(difference <= limit(row, column));  // also true for NaN
  };
  std::atomic<std::int64_t> first = std::numeric_limits<std::int64_t>::max();
  parallel_for(problem_.m, core_count(), [&](std::int64_t row, int) {
    if (row > first / problem_.n) return;
    for (std::size_t column = 0; column < width; ++column) {
      if (!wrong(static_cast<std::size_t>(row), column)) continue;
      const std::int64_t at = row * problem_.n + static_cast<std::int64_t>(column);
      for (std::int64_t before = first; at < before && !first.compare_exchange_weak(before, at);) {
      }
      return;
    }
  });
  if (first == std::numeric_limits<std::int64_t>::max()) return {};
  const auto at = static_cast<std::size_t>(first.load());
  WrongElement element;
  element.row = static_cast<int>(at / width);
  element.column = static_cast<int>(at % width);
  element.value = c[at];
  element.reference = right_[at];
  element.bound = limit(at / width, at % width);
  return element;
}

}  // namespace gemm_tutor
