// One thread computes one element of C. Threads that are neighbours in x share a row of C.

// excerpt: naive_coalesced
__global__ void naive_coalesced(const float* A, const float* B, float* C, int M, int N, int K) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M || column >= N) return;

  float sum = 0.0f;
  for (int k = 0; k < K; ++k) {
    sum += A[row * K + k] * B[k * N + column];
  }
  C[row * N + column] = sum;
}
// end excerpt
