#include "course/column_major.hpp"

#include <vector>

#include "gemm/matrices.hpp"

namespace gemm_tutor {
namespace {

using Matrix = std::vector<float>;

// Where an element of a square matrix lies.
int by_rows(int row, int column, int size) { return row * size + column; }
int by_columns(int row, int column, int size) { return column * size + row; }

// An element of the product of two matrices that are stored in that way.
double element(const Matrix& left, const Matrix& right, int row, int column, int size,
               int (*place)(int, int, int)) {
  double sum = 0;
  for (int k = 0; k < size; ++k) {
    sum += double{left[place(row, k, size)]} * double{right[place(k, column, size)]};
  }
  return sum;
}

}  // namespace

CallOrder call_order(int size) {
  const Matrices matrices = make_matrices({size, size, size}, 1);
  const Matrix &a = matrices.a, &b = matrices.b;
  // An element written column-major at row 1 and column 0 is row-major at row 0 and column 1.
  return {.passed_a_first = element(a, b, 1, 0, size, by_columns),
          .a_times_b = element(a, b, 0, 1, size, by_rows),
          .b_times_a = element(b, a, 0, 1, size, by_rows),
          .a_times_b_transposed = element(a, b, 1, 0, size, by_rows)};
}

}  // namespace gemm_tutor
