// What cublasSgemm computes when it is given matrices stored by rows, from its definition: it takes
// every matrix to be stored by columns.
#pragma once

namespace gemm_tutor {

// The element in row 0 and column 1 of four matrices, each read by rows, for random square A and B.
// (In column 0 some of them would agree.)
struct CallOrder {
  double passed_a_first = 0;  // the call with A before B
  double a_times_b = 0, b_times_a = 0, a_times_b_transposed = 0;
};

// For matrices of `size` rows and columns, 2 at least, the same ones every time.
CallOrder call_order(int size);

}  // namespace gemm_tutor
