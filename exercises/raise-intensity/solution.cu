// A block of 16×8 threads computes a tile of C with BM rows and BN columns, in
// steps of BK along K, from tiles in shared memory. Each thread computes 16
// elements, a square of 4×4.

template <int BM, int BN, int BK>
__global__ void sixteen_from_tiles(const float* A, const float* B, float* C,
                                   int M, int N, int K) {
  __shared__ float a_part[BM][BK + 1];
  __shared__ float b_part[BK][BN];
  constexpr int threads = 128;
  const int thread = threadIdx.y * 16 + threadIdx.x;
  const int first_row = blockIdx.y * BM, first_column = blockIdx.x * BN;
  // and every 8th row and 16th column after them
  const int my_row = thread / 16, my_column = thread % 16;

  float sum[4][4] = {};
  for (int start = 0; start < K; start += BK) {
    for (int e = thread; e < BM * BK; e += threads) {
      const int i = e / BK, k = e % BK;
      const bool inside = first_row + i < M && start + k < K;
      a_part[i][k] = inside ? A[(first_row + i) * K + start + k] : 0.0f;
    }
    for (int e = thread; e < BK * BN; e += threads) {
      const int k = e / BN, j = e % BN;
      const bool inside = start + k < K && first_column + j < N;
      b_part[k][j] = inside ? B[(start + k) * N + first_column + j] : 0.0f;
    }
    __syncthreads();

    for (int k = 0; k < BK; ++k) {
      float a[4], b[4];
      for (int i = 0; i < 4; ++i) a[i] = a_part[my_row + 8 * i][k];
      for (int j = 0; j < 4; ++j) b[j] = b_part[k][my_column + 16 * j];
      for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) sum[i][j] += a[i] * b[j];
      }
    }
    __syncthreads();
  }

  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) {
      const int row = first_row + my_row + 8 * i,
                column = first_column + my_column + 16 * j;
      if (row < M && column < N) C[row * N + column] = sum[i][j];
    }
  }
}
