// One thread computes one element of C; neighbours along x lie in one row of it.

__global__ void naive_coalesced(const float* A, const float* B, float* C, int M, int N, int K) {
  // GAP 1: this thread's row of C. Does it come from x or from y?
  const int row = M;
  // GAP 2: its column. A warp's 32 threads, which are neighbours in x, should lie side by side.
  const int column = N;
  if (row >= M || column >= N) return;

  float sum = 0.0f;
  for (int k = 0; k < K; ++k) {
    // GAP 3: lesson 1's multiply-add: A's row times B's column.
    sum += 0.0f;
  }
  C[row * N + column] = sum;
}
