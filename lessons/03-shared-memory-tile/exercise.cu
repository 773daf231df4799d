// One thread computes one element of C. A block of dim3(BN, BM) threads
// computes a tile of BM rows and BN columns, in steps of BK along K.

template <int BM, int BN, int BK>
__global__ void shared_memory_tile(const float* A, const float* B, float* C,
                                   int M, int N, int K) {
  __shared__ float a_tile[BM][BK];
  __shared__ float b_tile[BK][BN];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * BM + ty;
  const int column = blockIdx.x * BN + tx;

  float sum = 0.0f;
  for (int k0 = 0; k0 < K; k0 += BK) {
    for (int k = 0; k < BK; k += BN) {
      const int a_column = k0 + k + tx;
      // GAP 1: copy the element of A at `row` and `a_column`, or a zero if it
      // is outside A.
      a_tile[ty][k + tx] = 0.0f;
    }
    for (int k = 0; k < BK; k += BM) {
      const int b_row = k0 + k + ty;
      // GAP 2: copy the element of B at `b_row` and `column`, or a zero if it
      // is outside B.
      b_tile[k + ty][tx] = 0.0f;
    }

    // GAP 3: add this step's BK products to `sum`, in a loop, from the two
    // tiles. All threads must have copied before any thread reads, and all must
    // have read before any copies again.
    sum += 0.0f;
  }
  if (row < M && column < N) C[row * N + column] = sum;
}
