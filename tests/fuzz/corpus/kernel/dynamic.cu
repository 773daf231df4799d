__global__ void kernel(const float* A, const float* B, float* C, int M, int N, int K) {
  extern __shared__ float t[]; t[threadIdx.x] = A[0]; C[0] = t[threadIdx.x + 100000];
}
