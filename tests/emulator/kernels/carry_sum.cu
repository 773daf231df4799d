// block 16x16 tile 16x16
extern "C" __global__ void carry_sum(const float* A, const float* B, float* C, int M, int N, int K) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= M || col >= N) return;
  unsigned low = 0, middle = 0, high = 0;  // a sum of 96 bits, in units of 2^-50
  for (int k = 0; k < K; ++k) {
    const long long a = __float2ll_rn(A[row * K + k] * 33554432.0f), b = __float2ll_rn(B[k * N + col] * 33554432.0f);
    const long long p = a * b;
    const unsigned p0 = (unsigned)p, p1 = (unsigned)(p >> 32), p2 = (unsigned)(p >> 63);
    asm("add.cc.u32 %0, %0, %3;\n\t"
        "addc.cc.u32 %1, %1, %4;\n\t"
        "addc.u32 %2, %2, %5;" : "+r"(low), "+r"(middle), "+r"(high) : "r"(p0), "r"(p1), "r"(p2));
  }
  const double value = (double)(int)high * 18446744073709551616.0 + (double)middle * 4294967296.0 + (double)low;
  C[row * N + col] = (float)(value * (1.0 / 1125899906842624.0));
}
