#include "gemm/reference.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

// If the compiler and the loader support it, the function is chosen at run time and uses the CPU's
// widest vectors, which is four times as fast. The results are the same bits. (The thread sanitizer
// crashes with the loader's choice.)
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__gnu_linux__) && \
    !defined(__SANITIZE_THREAD__)
#define WIDEST_VECTORS __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define WIDEST_VECTORS
#endif

namespace gemm_tutor {
namespace {

constexpr int rows_of_b_at_once = 64;  // 256 of their columns fit into the L2 cache
constexpr int unrolled = 4;            // products between two accesses to the sums in memory

// Adds the products of a[0…depth) and `depth` rows of B to the sums of all columns.
template <int depth>
inline void add_products(const float* a, const float* b, std::int64_t b_stride, int columns,
                         double* sums, double* absolute_sums) {
  for (int column = 0; column < columns; ++column) {
    double sum = sums[column], absolute_sum = absolute_sums[column];
    for (int k = 0; k < depth; ++k) {
      const double product = double{a[k]} * double{b[k * b_stride + column]};
      sum += product;
      absolute_sum += std::abs(product);
    }
    sums[column] = sum;
    absolute_sums[column] = absolute_sum;
  }
}

WIDEST_VECTORS void add_rows_of_b(const float* a, const float* b, std::int64_t b_stride, int rows,
                                  int columns, double* sums, double* absolute_sums) {
  int k = 0;
  for (; k + unrolled <= rows; k += unrolled) {
    add_products<unrolled>(a + k, b + k * b_stride, b_stride, columns, sums, absolute_sums);
  }
  for (; k < rows; ++k) {
    add_products<1>(a + k, b + k * b_stride, b_stride, columns, sums, absolute_sums);
  }
}

}  // namespace

ReferenceSums Reference::sums(std::span<const Strip> strips) const {
  std::int64_t elements = 0;
  for (const Strip& strip : strips) elements += strip.columns();
  ReferenceSums result{std::vector<double>(elements), std::vector<double>(elements)};

  for (std::int64_t k = 0; k < problem_.k; k += rows_of_b_at_once) {
    const auto rows = static_cast<int>(std::min<std::int64_t>(rows_of_b_at_once, problem_.k - k));
    std::int64_t at = 0;
    for (const Strip& strip : strips) {
      add_rows_of_b(a_.data() + std::int64_t{strip.row} * problem_.k + k,
                    b_.data() + k * problem_.n + strip.column_begin, problem_.n, rows,
                    strip.columns(), result.products.data() + at,
                    result.absolute_products.data() + at);
      at += strip.columns();
    }
  }
  return result;
}

}  // namespace gemm_tutor
