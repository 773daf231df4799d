// gemm-tutor exercise shared-memory-tile: x
__global__ void kernel(const float* A, const float* B, float* C, int M, int N, int K) {
// GAP 1: x
// GAP 2:
// GAP 99999999999999999999: y
// GAP
// GAP -1: z
  const int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M || column >= N) return;
  float sum = 0.0f;
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + column];
  C[row * N + column] = sum;
// GAP 3: at the end
}
