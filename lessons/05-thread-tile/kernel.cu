// One thread computes TM×TN neighbouring elements of C from tiles in shared memory. A block of
// dim3(BN / TN, BM / TM) threads computes a tile of BM rows and BN columns, in steps of BK along K.

// excerpt: thread_tile
template <int BM, int BN, int BK, int TM, int TN>
__global__ void thread_tile(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float a_tile[BM][BK];
  __shared__ float b_tile[BK][BN];
  constexpr int threads_x = BN / TN, threads_y = BM / TM;
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row0 = blockIdx.y * BM, column0 = blockIdx.x * BN;

  float sum[TM][TN] = {};
  for (int k0 = 0; k0 < K; k0 += BK) {
    for (int i = 0; i < BM; i += threads_y) {
      for (int k = 0; k < BK; k += threads_x) {
        const int row = row0 + i + ty, column = k0 + k + tx;
        a_tile[i + ty][k + tx] = row < M && column < K ? A[row * K + column] : 0.0f;
      }
    }
    for (int k = 0; k < BK; k += threads_y) {
      for (int j = 0; j < BN; j += threads_x) {
        const int row = k0 + k + ty, column = column0 + j + tx;
        b_tile[k + ty][j + tx] = row < K && column < N ? B[row * N + column] : 0.0f;
      }
    }
    __syncthreads();  // the tiles are full

    for (int k = 0; k < BK; ++k) {
      for (int i = 0; i < TM; ++i) {
        for (int j = 0; j < TN; ++j) {
          sum[i][j] += a_tile[ty * TM + i][k] * b_tile[k][tx * TN + j];
        }
      }
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
// end excerpt
