__global__ void kernel(const float* A, const float* B, float* C, int M, int N, int K) {
  if (threadIdx.x < 3) __syncthreads(); else __syncthreads(); C[0] = 1; if (threadIdx.x == 0) return; __syncthreads();
}
