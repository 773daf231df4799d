// Each thread computes 2×2 elements of C that lie BM / 2 rows and BN / 2
// columns apart. A block of (BN / 2) × (BM / 2) threads computes a tile of BM
// rows and BN columns, in steps of BK along K.

template <int BM, int BN, int BK>
__global__ void two_by_two_apart(const float* A, const float* B, float* C,
                                 int M, int N, int K) {
  __shared__ float a_part[BM * BK];
  __shared__ float b_part[BK * BN];
  constexpr int threads = BM / 2 * (BN / 2);
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int thread = ty * (BN / 2) + tx;
  const int first_row = blockIdx.y * BM, first_column = blockIdx.x * BN;

  for (int e = thread; e < BM * BK; e += threads) a_part[e] = 0.0f;
  for (int e = thread; e < BK * BN; e += threads) b_part[e] = 0.0f;

  float sum[2][2] = {};
  for (int start = 0; start < K; start += BK) {
    for (int e = thread; e < BM * BK; e += threads) {
      const int row = first_row + e / BK, column = start + e % BK;
      if (row < M && column < K) a_part[e] = A[row * K + column];
    }
    for (int e = thread; e < BK * BN; e += threads) {
      const int row = start + e / BN, column = first_column + e % BN;
      if (row < K && column < N) b_part[e] = B[row * N + column];
    }
    __syncthreads();

    for (int k = 0; k < BK; ++k) {
      for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 2; ++j) {
          const float a = a_part[(ty + i * (BM / 2)) * BK + k];
          const float b = b_part[k * BN + tx + j * (BN / 2)];
          sum[i][j] += a * b;
        }
      }
    }
    __syncthreads();
  }

  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) {
      const int row = first_row + ty + i * (BM / 2),
                column = first_column + tx + j * (BN / 2);
      if (row < M && column < N) C[row * N + column] = sum[i][j];
    }
  }
}
