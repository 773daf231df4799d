// Computes C = A·Bᵀ: B is stored with N rows and K columns. Each thread
// computes 4×4 elements of C, BM / 4 rows and BN / 4 columns apart. A block of
// (BN / 4) × (BM / 4) threads computes a tile of BM rows and BN columns, in
// steps of BK along K. As in the matrices, each k is a column of both tiles.

template <int BM, int BN, int BK>
__global__ void b_transposed(const float* A, const float* B, float* C, int M,
                             int N, int K) {
  __shared__ float a_part[BM][BK + 1];
  __shared__ float b_part[BN][BK + 1];
  constexpr int threads = BM / 4 * (BN / 4);
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int thread = ty * (BN / 4) + tx;
  const int first_row = blockIdx.y * BM, first_column = blockIdx.x * BN;

  float sum[4][4] = {};
  for (int start = 0; start < K; start += BK) {
    for (int e = thread; e < BM * BK; e += threads) {
      const int i = e / BK, k = e % BK;
      const bool inside = first_row + i < M && start + k < K;
      a_part[i][k] = inside ? A[(first_row + i) * K + start + k] : 0.0f;
    }
    for (int e = thread; e < BN * BK; e += threads) {
      const int j = e / BK, k = e % BK;
      const bool inside = first_column + j < N && start + k < K;
      b_part[j][k] = inside ? B[(first_column + j) * K + start + k] : 0.0f;
    }
    __syncthreads();

    for (int k = 0; k < BK; ++k) {
      float a[4], b[4];
      for (int i = 0; i < 4; ++i) a[i] = a_part[ty + i * (BM / 4)][k];
      for (int j = 0; j < 4; ++j) b[j] = b_part[tx + j * (BN / 4)][k];
      for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) sum[i][j] += a[i] * b[j];
      }
    }
    __syncthreads();
  }

  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) {
      const int row = first_row + ty + i * (BM / 4),
                column = first_column + tx + j * (BN / 4);
      if (row < M && column < N) C[row * N + column] = sum[i][j];
    }
  }
}
