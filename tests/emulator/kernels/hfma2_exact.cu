// block 16x16 tile 16x16
#include <cuda_fp16.h>
// Digits of five bits: their products and short sums are exact in halves.
extern "C" __global__ void hfma2_exact(const float* A, const float* B, float* C, int M, int N, int K) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= M || col >= N) return;
  double total = 0;
  for (int k = 0; k < K; ++k) {
    float a = A[row * K + k], b = B[k * N + col];
    float da[6], db[6];
    for (int i = 0; i < 6; ++i) {
      da[i] = truncf(a * 32.0f); a = a * 32.0f - da[i];
      db[i] = truncf(b * 32.0f); b = b * 32.0f - db[i];
    }
    for (int s = 0; s < 6; ++s) {
      __half2 sum = __float2half2_rn(0.0f);
      for (int i = 0; i <= s; i += 2) {
        const int j = s - i;
        const bool two = i + 1 <= s;
        sum = __hfma2(__floats2half2_rn(da[i], two ? da[i + 1] : 0.0f), __floats2half2_rn(db[j], two ? db[j - 1] : 0.0f), sum);
      }
      total += (double)(__low2float(sum) + __high2float(sum)) * ldexp(1.0, -5 * (s + 2));
    }
  }
  C[row * N + col] = (float)total;
}
