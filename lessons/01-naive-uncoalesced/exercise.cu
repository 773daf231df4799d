// One thread computes one element of C. Threads that are neighbours in x share
// a column of C.

__global__ void naive_uncoalesced(const float* A, const float* B, float* C,
                                  int M, int N, int K) {
  // GAP 1: which row and which column of C does this thread compute? Here rows
  // run along x and columns along y.
  const int row = 0, column = 0;
  // GAP 2: a thread outside C has nothing to compute. When is a thread outside
  // C?
  if (true) return;

  float sum = 0.0f;
  for (int k = 0; k < K; ++k) {
    // GAP 3: add the product of the k-th element of A's row and the k-th
    // element of B's column.
    sum += 0.0f;
  }
  C[row * N + column] = sum;
}
