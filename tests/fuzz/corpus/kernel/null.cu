__global__ void kernel(const float* A, const float* B, float* C, int M, int N, int K) {
  *(float*)nullptr = 1; *(volatile int*)-1 = 2;
}
