// Calls the library's multiply. This is host code. cuBLAS contains compiled kernels. It chooses one
// for the GPU and the size.
#include <cublas_v2.h>

// excerpt: cublas
// C = A·B for row-major matrices in the GPU's memory.
cublasStatus_t cublas(cublasHandle_t handle, const float* A, const float* B, float* C, int M, int N,
                      int K) {
  const float one = 1.0f, zero = 0.0f;
  // cuBLAS stores by columns and so sees each matrix transposed: it computes Cᵀ = Bᵀ·Aᵀ.
  return cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, N, M, K, &one, B, N, A, K, &zero, C, N);
}
// end excerpt
