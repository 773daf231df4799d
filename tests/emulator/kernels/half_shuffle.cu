// block 32x8 tile 8x1
#include <cuda_fp16.h>
// Two partial sums in one exchange: digits of each as a half2.
extern "C" __global__ void half_shuffle(const float* A, const float* B, float* C, int M, int N, int K) {
  const int row = blockIdx.y * 8 + threadIdx.y, col = blockIdx.x;
  if (row >= M) return;
  float sum = 0;
  for (int k = threadIdx.x; k < K; k += 32) sum += A[row * K + k] * B[k * N + col];
  for (int offset = 16; offset > 0; offset /= 2) {
    const __half high = __float2half(sum);
    const float rest = sum - __half2float(high);
    const __half2 other = __shfl_xor_sync(0xffffffff, __halves2half2(high, __float2half(rest * 2048.0f)), offset);
    sum = (__half2float(high) + __low2float(other)) + (__half2float(__float2half(rest * 2048.0f)) + __high2float(other)) / 2048.0f;
  }
  if (threadIdx.x == 0) C[row * N + col] = sum;
}
