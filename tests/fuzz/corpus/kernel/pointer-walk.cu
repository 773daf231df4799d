__global__ void kernel(const float* A, const float* B, float* C, int M, int N, int K) {
  const float* p = A + 9223372036854775807; p += 9223372036854775807; p -= -9223372036854775807; C[0] = p[-1]; C += M * 2147483647; *C = 1;
}
