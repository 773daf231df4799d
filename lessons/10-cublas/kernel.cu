// The library's multiply. This is code of the host: cuBLAS brings its kernels along, compiled, and chooses
// one by the GPU and the size.
#include <cublas_v2.h>

// excerpt: cublas
// C = A·B for row-major matrices in the GPU's memory.
cublasStatus_t cublas(cublasHandle_t handle, const float* A, const float* B, float* C, int M, int N,
                      int K) {
  const float one = 1.0f, zero = 0.0f;
  // Columns for rows makes a transpose of each: Cᵀ = Bᵀ·Aᵀ, with B before A and N before M.
  return cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, N, M, K, &one, B, N, A, K, &zero, C, N);
}
// end excerpt
