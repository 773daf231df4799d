// Each thread computes 2×2 neighbouring elements of C from tiles in shared
// memory. A block of (BN / 2) × (BM / 2) threads computes a tile of BM rows and
// BN columns, in steps of BK along K.

template <int BM, int BN, int BK>
__global__ void paired_tile(const float* A, const float* B, float* C, int M,
                            int N, int K) {
  __shared__ float a_part[BM][BK + 1];
  __shared__ float b_part[BK][BN + 1];
  constexpr int threads = BM / 2 * (BN / 2);
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int thread = ty * (BN / 2) + tx;
  const int first_row = blockIdx.y * BM, first_column = blockIdx.x * BN;

  float sum[2][2] = {};
  for (int start = 0; start < K; start += BK) {
    for (int e = thread; e < BM * BK; e += threads) {
      const int i = e / BK, k = e % BK;
      const bool inside = first_row + i < M && start + k < K;
      a_part[i][k] = inside ? A[(first_row + i) * K + start + k] : 0.0f;
    }
    for (int e = thread; e < BK * BN; e += threads) {
      const int j = e / BK, k = e % BK;
      const bool inside = start + k < K && first_column + j < N;
      b_part[k][j] = inside ? B[(start + k) * N + first_column + j] : 0.0f;
    }
    __syncthreads();

    for (int k = 0; k < BK; ++k) {
      const float a[2] = {a_part[2 * ty][k], a_part[2 * ty + 1][k]};
      const float b[2] = {b_part[k][2 * tx], b_part[k][2 * tx + 1]};
      for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 2; ++j) sum[i][j] += a[i] * b[j];
      }
    }
    __syncthreads();
  }

  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) {
      const int row = first_row + 2 * ty + i,
                column = first_column + 2 * tx + j;
      if (row < M && column < N) C[row * N + column] = sum[i][j];
    }
  }
}
