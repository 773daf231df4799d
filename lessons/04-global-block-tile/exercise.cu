// One thread computes TM×TN elements of C in registers. A block of dim3(BN /
// TN, BM / TM) threads computes a tile of BM rows and BN columns. It uses no
// shared memory.

template <int BM, int BN, int TM, int TN>
__global__ void global_block_tile(const float* A, const float* B, float* C,
                                  int M, int N, int K) {
  // GAP 1: where in C does this thread's own tile begin? It has TM rows and TN
  // columns.
  const int row = M, column = N;

  float sum[TM][TN] = {};
  for (int k = 0; k < K; ++k) {
    float a[TM], b[TN];
    // GAP 2: the k-th column of A, from `row` on: TM values. Zero beyond the
    // last row.
    for (int i = 0; i < TM; ++i) a[i] = 0.0f;
    // GAP 3: the k-th row of B, from `column` on: TN values. Zero beyond the
    // last column.
    for (int j = 0; j < TN; ++j) b[j] = 0.0f;
    // GAP 4: multiply each with each, and add the products to all TM·TN sums:
    // two loops.
    sum[0][0] += a[0] * b[0];
  }

  for (int i = 0; i < TM; ++i) {
    for (int j = 0; j < TN; ++j) {
      if (row + i < M && column + j < N)
        C[(row + i) * N + column + j] = sum[i][j];
    }
  }
}
