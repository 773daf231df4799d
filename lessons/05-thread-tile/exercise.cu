// One thread computes TM×TN neighbouring elements of C from tiles in shared
// memory. A block of dim3(BN / TN, BM / TM) threads computes a tile of BM rows
// and BN columns, in steps of BK along K.

template <int BM, int BN, int BK, int TM, int TN>
__global__ void thread_tile(const float* A, const float* B, float* C, int M,
                            int N, int K) {
  __shared__ float a_tile[BM][BK];
  __shared__ float b_tile[BK][BN];
  constexpr int threads_x = BN / TN, threads_y = BM / TM;
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row0 = blockIdx.y * BM, column0 = blockIdx.x * BN;

  float sum[TM][TN] = {};
  for (int k0 = 0; k0 < K; k0 += BK) {
    for (int i = 0; i < BM; i += threads_y) {
      for (int k = 0; k < BK; k += threads_x) {
        // GAP 1: which element of A belongs at this place of the tile? Zero if
        // it is outside A.
        a_tile[i + ty][k + tx] = 0.0f;
      }
    }
    for (int k = 0; k < BK; k += threads_y) {
      for (int j = 0; j < BN; j += threads_x) {
        // GAP 2: which element of B belongs at this place of the tile? Zero if
        // it is outside B.
        b_tile[k + ty][j + tx] = 0.0f;
      }
    }
    __syncthreads();  // the tiles are full

    for (int k = 0; k < BK; ++k) {
      // GAP 3: add the products of this k to all TM·TN sums of the thread: two
      // loops.
      sum[0][0] += a_tile[ty * TM][k] * b_tile[k][tx * TN];
    }
    __syncthreads();  // all threads have read them
  }

  for (int i = 0; i < TM; ++i) {
    for (int j = 0; j < TN; ++j) {
      // GAP 4: where in C does `sum[i][j]` belong?
      const int row = M, column = N;
      if (row < M && column < N) C[row * N + column] = sum[i][j];
    }
  }
}
