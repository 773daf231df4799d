__global__ void kernel(const float* A, const float* B, float* C, int M, int N, int K) {
  for (int k = 0; k < K; k += 2147483647) C[k] = A[k] + B[k];
}
