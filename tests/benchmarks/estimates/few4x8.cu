constexpr int BM = 32, BN = 64, BK = 16, TM = 4, TN = 8, threads = (BM / TM) * (BN / TN);
__global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float a[BM][BK + 0];
  __shared__ float b[BK][BN];
  const int t = threadIdx.x, tx = t % (BN / TN), ty = t / (BN / TN);
  const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
  float sum[TM][TN] = {};
  for (int k0 = 0; k0 < K; k0 += BK) {
    for (int i = t; i < BM * BK; i += threads) {
      int r = i / BK, c = i % BK;
      a[r][c] = row0 + r < M && k0 + c < K ? A[(row0 + r) * K + k0 + c] : 0.f;
    }
    for (int i = t; i < BK * BN; i += threads) {
      int r = i / BN, c = i % BN;
      b[r][c] = k0 + r < K && col0 + c < N ? B[(k0 + r) * N + col0 + c] : 0.f;
    }
    __syncthreads();
    for (int k = 0; k < BK; ++k) {
      float x[TM], y[TN];
      for (int i = 0; i < TM; ++i) x[i] = a[ty * TM + i][k];
      for (int j = 0; j < TN; ++j) y[j] = b[k][tx * TN + j];
      for (int i = 0; i < TM; ++i)
        for (int j = 0; j < TN; ++j) sum[i][j] += x[i] * y[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < TM; ++i)
    for (int j = 0; j < TN; ++j) {
      int r = row0 + ty * TM + i, c = col0 + tx * TN + j;
      if (r < M && c < N) C[r * N + c] = sum[i][j];
    }
}
