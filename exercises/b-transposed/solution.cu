// Computes C = A·Bᵀ: B is stored with N rows and K columns. Each thread
// computes 4×4 elements of C, 16 rows and 16 columns apart. A block of 16×16
// threads computes a tile of BM rows and BN columns, in steps of BK along K. As
// in the matrices, each k is a column of both tiles.

template <int BM, int BN, int BK>
__global__ void b_transposed(const float* A, const float* B, float* C, int M,
                             int N, int K) {
  __shared__ float a_part[BM][BK + 1];
  __shared__ float b_part[BN][BK + 1];
  constexpr int threads = 256;
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int thread = ty * 16 + tx;
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
      for (int i = 0; i < 4; ++i) a[i] = a_part[ty + 16 * i][k];
      for (int j = 0; j < 4; ++j) b[j] = b_part[tx + 16 * j][k];
      for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) sum[i][j] += a[i] * b[j];
      }
    }
    __syncthreads();
  }

  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) {
      const int row = first_row + ty + 16 * i,
                column = first_column + tx + 16 * j;
      if (row < M && column < N) C[row * N + column] = sum[i][j];
    }
  }
}
