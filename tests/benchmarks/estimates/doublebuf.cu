template <int BM, int BN, int BK>
__device__ void fetch(const float* A, const float* B, float (&a)[BK][BM], float (&b)[BK][BN], int M, int N, int K, int k0) {
  int t = threadIdx.x;
  for (int i = t; i < BM * BK; i += 128) {
    int r = blockIdx.y * BM + i / BK, k = k0 + i % BK;
    a[i % BK][i / BK] = r < M && k < K ? A[(size_t)r * K + k] : 0.f;
  }
  for (int i = t; i < BN * BK; i += 128) {
    int c = blockIdx.x * BN + i % BN, k = k0 + i / BN;
    b[i / BN][i % BN] = c < N && k < K ? B[(size_t)k * N + c] : 0.f;
  }
}
__global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K) {
  constexpr int BM = 64, BN = 64, BK = 8;
  __shared__ float a[2][BK][BM], b[2][BK][BN];
  int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
  float s[8][4] = {};
  fetch<BM, BN, BK>(A, B, a[0], b[0], M, N, K, 0);
  __syncthreads();
  for (int k0 = 0, now = 0; k0 < K; k0 += BK, now ^= 1) {
    if (k0 + BK < K) fetch<BM, BN, BK>(A, B, a[now ^ 1], b[now ^ 1], M, N, K, k0 + BK);
    for (int k = 0; k < BK; ++k)
      for (int i = 0; i < 8; ++i)
        for (int j = 0; j < 4; ++j) s[i][j] += a[now][k][ty * 8 + i] * b[now][k][tx * 4 + j];
    __syncthreads();
  }
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 4; ++j) {
      int r = blockIdx.y * BM + ty * 8 + i, c = blockIdx.x * BN + tx * 4 + j;
      if (r < M && c < N) C[r * N + c] = s[i][j];
    }
}
