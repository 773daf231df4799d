// Each thread computes 16 elements of C, 8 rows and 16 columns apart, so that a
// block of 16×8 threads computes a tile of 32 rows and 64 columns.

__global__ void sixteen_elements(const float* A, const float* B, float* C,
                                 int M, int N, int K) {
  const int first_row = blockIdx.y * 32 + threadIdx.y;
  const int first_column = blockIdx.x * 64 + threadIdx.x;

  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) {
      const int row = first_row + 8 * i, column = first_column + 16 * j;
      if (row >= M || column >= N) continue;

      float sum = 0.0f;
      for (int k = 0; k < K; ++k) {
        sum += A[row * K + k] * B[k * N + column];
      }
      C[row * N + column] = sum;
    }
  }
}
