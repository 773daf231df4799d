// Each thread computes 16 elements of C, 8 rows and 16 columns apart, so that a
// block of 16×8 threads computes a tile of 32 rows and 64 columns. For each k
// it loads four values of A and four of B.

__global__ void sixteen_elements(const float* A, const float* B, float* C,
                                 int M, int N, int K) {
  const int first_row = blockIdx.y * 32 + threadIdx.y;
  const int first_column = blockIdx.x * 64 + threadIdx.x;

  float sum[4][4] = {};
  for (int k = 0; k < K; ++k) {
    float a[4], b[4];
    for (int i = 0; i < 4; ++i) {
      const int row = first_row + 8 * i;
      a[i] = row < M ? A[row * K + k] : 0.0f;
    }
    for (int j = 0; j < 4; ++j) {
      const int column = first_column + 16 * j;
      b[j] = column < N ? B[k * N + column] : 0.0f;
    }
    for (int i = 0; i < 4; ++i) {
      for (int j = 0; j < 4; ++j) sum[i][j] += a[i] * b[j];
    }
  }

  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) {
      const int row = first_row + 8 * i, column = first_column + 16 * j;
      if (row < M && column < N) C[row * N + column] = sum[i][j];
    }
  }
}
