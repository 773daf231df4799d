__global__ void gemm(const float* __restrict__ A, const float* __restrict__ B, float* C, int M, int N, int K) {
  int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y * 4;
  float s[4] = {0, 0, 0, 0};
  for (int k = 0; k < K; ++k) {
    float b = col < N ? B[k * N + col] : 0;
    for (int i = 0; i < 4; ++i)
      if (row + i < M) s[i] += A[(row + i) * K + k] * b;
  }
  for (int i = 0; i < 4; ++i)
    if (row + i < M && col < N) C[(row + i) * N + col] = s[i];
}
