__global__ void kernel(const float* A, const float* B, float* C, int M, int N, int K) {
  float t[10000000]; for (int i = 0; i < N; ++i) t[i * M] = A[i]; C[0] = t[K * M];
}
