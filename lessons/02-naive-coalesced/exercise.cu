// One thread computes one element of C. Threads that are neighbours in x share
// a row of C.

__global__ void naive_coalesced(const float* A, const float* B, float* C, int M,
                                int N, int K) {
  // GAP 1: this thread's row of C. Does it come from x or from y?
  const int row = M;
  // GAP 2: its column. A warp's 32 threads are neighbours in x, and should be
  // neighbours in C.
  const int column = N;
  if (row >= M || column >= N) return;

  float sum = 0.0f;
  for (int k = 0; k < K; ++k) {
    // GAP 3: lesson 1's multiply-add: A's row times B's column.
    sum += 0.0f;
  }
  C[row * N + column] = sum;
}
