__global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K) {
  int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= M || col >= N) return;
  float s0 = 0, s1 = 0;
  int k = 0;
#pragma unroll 4
  for (; k + 1 < K; k += 2) {
    s0 += A[row * K + k] * B[k * N + col];
    s1 += A[row * K + k + 1] * B[(k + 1) * N + col];
  }
  if (k < K) s0 += A[row * K + k] * B[k * N + col];
  C[row * N + col] = s0 + s1;
}
