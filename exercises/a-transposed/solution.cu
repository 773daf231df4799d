// Computes C = Aᵀ·B: A is stored with K rows and M columns. Each thread
// computes 4×4 neighbouring elements of C. A block of (BN / 4) × (BM / 4)
// threads computes a tile of BM rows and BN columns, in steps of BK along K. As
// in the matrices, each k is a row of both tiles.

template <int BM, int BN, int BK>
__global__ void a_transposed(const float* A, const float* B, float* C, int M,
                             int N, int K) {
  __shared__ float a_part[BK][BM];
  __shared__ float b_part[BK][BN];
  constexpr int threads = BM / 4 * (BN / 4);
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int thread = ty * (BN / 4) + tx;
  const int first_row = blockIdx.y * BM, first_column = blockIdx.x * BN;

  float sum[4][4] = {};
  for (int start = 0; start < K; start += BK) {
    for (int e = thread; e < BK * BM; e += threads) {
      const int k = e / BM, i = e % BM;
      const bool inside = start + k < K && first_row + i < M;
      a_part[k][i] = inside ? A[(start + k) * M + first_row + i] : 0.0f;
    }
    for (int e = thread; e < BK * BN; e += threads) {
      const int k = e / BN, j = e % BN;
      const bool inside = start + k < K && first_column + j < N;
      b_part[k][j] = inside ? B[(start + k) * N + first_column + j] : 0.0f;
    }
    __syncthreads();

    for (int k = 0; k < BK; ++k) {
      float a[4], b[4];
      for (int i = 0; i < 4; ++i) a[i] = a_part[k][4 * ty + i];
      for (int j = 0; j < 4; ++j) b[j] = b_part[k][4 * tx + j];
      for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) sum[i][j] += a[i] * b[j];
      }
    }
    __syncthreads();
  }

  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) {
      const int row = first_row + 4 * ty + i,
                column = first_column + 4 * tx + j;
      if (row < M && column < N) C[row * N + column] = sum[i][j];
    }
  }
}
