__device__ int g(int x);
__device__ int f(int x) { return g(x - 1) + g(x + 1); }
__device__ int g(int x) { return f(x) * f(x); }
__global__ void kernel(const float* A, const float* B, float* C, int M, int N, int K) {
  C[f(3)] = A[g(3)];
}
