// One warp a block: 8 rows of 32 columns; A by shuffles.
__global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K) {
  int lane = threadIdx.x, col = blockIdx.x * 32 + lane, row = blockIdx.y * 8;
  float s[8] = {};
  for (int k0 = 0; k0 < K; k0 += 32) {
    float a[8];
    for (int i = 0; i < 8; ++i) a[i] = row + i < M && k0 + lane < K ? A[(row + i) * K + k0 + lane] : 0.f;
    for (int k = 0; k < 32; ++k) {
      float b = k0 + k < K && col < N ? B[(k0 + k) * N + col] : 0.f;
      for (int i = 0; i < 8; ++i) s[i] += __shfl_sync(0xffffffff, a[i], k) * b;
    }
  }
  for (int i = 0; i < 8; ++i)
    if (row + i < M && col < N) C[(row + i) * N + col] = s[i];
}
