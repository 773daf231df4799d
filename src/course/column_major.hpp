// What cublasSgemm computes if it gets row-major matrices. By its definition it treats every matrix
// as column-major.
#pragma once

namespace gemm_tutor {

// The element in row 0 and column 1 of four row-major results, for random square A and B. (In
// column 0 some of them would be equal.)
struct CallOrder {
  double passed_a_first = 0;  // the call with A before B
  double a_times_b = 0, b_times_a = 0, a_times_b_transposed = 0;
};

// For matrices of `size` rows and columns, at least 2. The matrices are always the same.
CallOrder call_order(int size);

}  // namespace gemm_tutor
