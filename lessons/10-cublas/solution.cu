// A call of the library, checked without it: `cublasSgemm` below is a model
// that does what cuBLAS documents. It takes every matrix as stored by columns,
// and computes C = alpha·op(A)·op(B) + beta·C.

enum cublasOperation_t { CUBLAS_OP_N, CUBLAS_OP_T };
struct cublasHandle_t {};

__device__ float element(cublasOperation_t op, const float* X, int ldx, int row,
                         int column) {
  return op == CUBLAS_OP_N ? X[column * ldx + row] : X[row * ldx + column];
}

// All threads share the elements of C. With a leading dimension that is too
// small, the library returns CUBLAS_STATUS_INVALID_VALUE, and stores nothing.
__device__ void cublasSgemm(cublasHandle_t, cublasOperation_t op_a,
                            cublasOperation_t op_b, int m, int n, int k,
                            const float* alpha, const float* A, int lda,
                            const float* B, int ldb, const float* beta,
                            float* C, int ldc) {
  const int rows_of_a = op_a == CUBLAS_OP_N ? m : k,
            rows_of_b = op_b == CUBLAS_OP_N ? k : n;
  if (lda < rows_of_a || ldb < rows_of_b || ldc < m) return;
  const int threads = gridDim.x * gridDim.y * blockDim.x;
  const int first =
      (blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
  for (int i = first; i < m * n; i += threads) {
    const int row = i % m, column = i / m;
    float sum = 0.0f;
    for (int l = 0; l < k; ++l) {
      sum += element(op_a, A, lda, row, l) * element(op_b, B, ldb, l, column);
    }
    float& c = C[column * ldc + row];
    c = *alpha * sum + (*beta == 0.0f ? 0.0f : *beta * c);
  }
}

// C = A·B, where A is M×K, B is K×N and C is M×N, all stored by rows.
__global__ void product(const float* A, const float* B, float* C, int M, int N,
                        int K) {
  const cublasHandle_t handle;
  const float one = 1.0f, zero = 0.0f;
  cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, N, M, K, &one, B, N, A, K,
              &zero, C, N);
}
