#define T 16
__global__ void gemm(float* A, float* B, float* C, int M, int N, int K) {
  __shared__ float a[T][T], b[T][T];
  int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * T + y, col = blockIdx.x * T + x;
  float sum = 0;
  for (int k0 = 0; k0 < K; k0 += T) {
    a[y][x] = row < M && k0 + x < K ? A[row * K + k0 + x] : 0.f;
    b[y][x] = k0 + y < K && col < N ? B[(k0 + y) * N + col] : 0.f;
    __syncthreads();
    for (int k = 0; k < T; ++k) sum += a[y][k] * b[k][x];
    __syncthreads();
  }
  if (row < M && col < N) C[row * N + col] = sum;
}
