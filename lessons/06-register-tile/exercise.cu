// One thread computes TM×TN elements of C. For each k it loads TM values of A
// and TN of B into registers and adds their outer product. A block of dim3(BN /
// TN, BM / TM) threads computes a tile of BM rows and BN columns, in steps of
// BK along K.

template <int BM, int BN, int BK, int TM, int TN>
__global__ void __launch_bounds__((BM / TM) * (BN / TN), 2)
    register_tile(const float* A, const float* B, float* C, int M, int N,
                  int K) {
  __shared__ float a_tile[BM][BK];
  __shared__ float b_tile[BK][BN];
  constexpr int threads = (BM / TM) * (BN / TN);
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int thread = ty * (BN / TN) + tx;
  const int row0 = blockIdx.y * BM, column0 = blockIdx.x * BN;

  float sum[TM][TN] = {};
  for (int k0 = 0; k0 < K; k0 += BK) {
    for (int first = 0; first < BM; first += threads / BK) {
      // GAP 1: the block copies threads / BK rows of A's tile at a time, one
      // element per thread. Which row i and which column k of the tile is this
      // thread's? Rows count from `first`.
      const int i = first, k = 0;
      a_tile[i][k] =
          row0 + i < M && k0 + k < K ? A[(row0 + i) * K + k0 + k] : 0.0f;
    }
    for (int first = 0; first < BK; first += threads / BN) {
      const int k = first + thread / BN, j = thread % BN;
      b_tile[k][j] =
          k0 + k < K && column0 + j < N ? B[(k0 + k) * N + column0 + j] : 0.0f;
    }
    __syncthreads();  // the tiles are full

#pragma unroll
    for (int k = 0; k < BK; ++k) {
      float a[TM] = {}, b[TN] = {};
      // GAP 2: fill `a` with the thread's TM values of column k of A's tile,
      // and `b` with its TN values of row k of B's: two loops.
      ;  // nothing yet
      // GAP 3: multiply each with each, and add the products to all TM·TN sums:
      // two loops.
      sum[0][0] += a[0] * b[0];
    }
    __syncthreads();  // all threads have read them
  }

  for (int i = 0; i < TM; ++i) {
    for (int j = 0; j < TN; ++j) {
      const int row = row0 + ty * TM + i, column = column0 + tx * TN + j;
      if (row < M && column < N) C[row * N + column] = sum[i][j];
    }
  }
}
