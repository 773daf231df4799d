// Computes C = alpha·A·B + beta·C, one element per thread. A block of BN × BM
// threads computes a tile of BM rows and BN columns, in steps of BK along K.

template <int BM, int BN, int BK>
__global__ void scaled_sum(const float* A, const float* B, float* C, int M,
                           int N, int K, float alpha, float beta) {
  __shared__ float a_part[BM][BK];
  __shared__ float b_part[BK][BN];
  constexpr int threads = BM * BN;
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int thread = ty * BN + tx;
  const int first_row = blockIdx.y * BM, first_column = blockIdx.x * BN;
  const int row = first_row + ty, column = first_column + tx;

  float sum = 0.0f;
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

    for (int k = 0; k < BK; ++k) sum += a_part[ty][k] * b_part[k][tx];
    __syncthreads();
  }

  if (row < M && column < N)
    C[row * N + column] = alpha * sum + beta * C[row * N + column];
}
