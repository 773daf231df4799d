__global__ void kernel(const float* A, const float* B, float* C, int M, int N, int K) {
  C[0] = 1e999999999; C[99999999999999999999999999999999999999999999999] = 0x; C[0b2] = 0777777777777777777777777; C[1'0'0] = 08;
}
