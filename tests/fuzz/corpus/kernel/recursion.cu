__device__ float f(int n) { return n ? f(n - 1) * f(n - 2) : 1; }
__global__ void kernel(const float* A, const float* B, float* C, int M, int N, int K) {
  C[0] = f(M + 1000);
}
