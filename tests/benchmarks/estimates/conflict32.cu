__global__ void gemm(float* A, float* B, float* C, int M, int N, int K) {
  __shared__ float a[32][32], b[32][32];  // both transposed
  int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 32 + y, col = blockIdx.x * 32 + x;
  float sum = 0;
  for (int k0 = 0; k0 < K; k0 += 32) {
    a[x][y] = row < M && k0 + x < K ? A[row * K + k0 + x] : 0.f;
    b[x][y] = k0 + y < K && col < N ? B[(k0 + y) * N + col] : 0.f;
    __syncthreads();
    for (int k = 0; k < 32; ++k) sum += a[k][y] * b[x][k];
    __syncthreads();
  }
  if (row < M && col < N) C[row * N + col] = sum;
}
