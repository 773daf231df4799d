__global__ void kernel(const float* A, const float* B, float* C, int M, int N, int K) {
  C[M ? N ? K ? 1 : 2 : 3] = A[M ? 1];
}
