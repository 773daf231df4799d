__global__ void kernel(const float* A, const float* B, float* C, int M, int N, int K) {
  for (int i = 0; i < 3
}
