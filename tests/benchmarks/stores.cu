// Lessons 1 and 2 with C stored by columns, for scripts/gpu-check: does the order of the stores matter?
//
// The product is X·Y, with X of N rows and Y of M columns. Stored by columns, it is Yᵀ·Xᵀ by rows, which
// 'gemm-tutor run --transposed a,b --grid-x m' checks: it passes Y as A and X as B.

// Lesson 2's loads. A warp stores one row of X·Y, which is one column of C: 32 sectors.
__global__ void naive_coalesced_by_columns(const float* A, const float* B, float* C, int M, int N, int K) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= N || column >= M) return;
  float sum = 0.0f;
  for (int k = 0; k < K; ++k) sum += B[row * K + k] * A[k * M + column];
  C[column * N + row] = sum;
}

// Lesson 1's loads. A warp stores one column of X·Y, which is one row of C: 4 sectors.
__global__ void naive_uncoalesced_by_columns(const float* A, const float* B, float* C, int M, int N, int K) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  const int column = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= N || column >= M) return;
  float sum = 0.0f;
  for (int k = 0; k < K; ++k) sum += B[row * K + k] * A[k * M + column];
  C[column * N + row] = sum;
}
