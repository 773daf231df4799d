// block 16x16 tile 16x16
#include <cuda_fp16.h>
// A float as the sum of two halves: 22 of its 24 digits.
struct Split { __half high, low; };
__device__ Split split(float x) {
  const __half high = __float2half_rn(x);
  return {high, __float2half_rn((x - __half2float(high)) * 2048.0f)};
}
extern "C" __global__ void half_split(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ __half a_high[16][16], a_low[16][16], b_high[16][16], b_low[16][16];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
  float sum = 0, rest = 0;
  for (int k0 = 0; k0 < K; k0 += 16) {
    const Split a = split(row < M && k0 + tx < K ? A[row * K + k0 + tx] : 0.0f);
    const Split b = split(k0 + ty < K && col < N ? B[(k0 + ty) * N + col] : 0.0f);
    a_high[ty][tx] = a.high, a_low[ty][tx] = a.low;
    b_high[ty][tx] = b.high, b_low[ty][tx] = b.low;
    __syncthreads();
    for (int k = 0; k < 16; ++k) {
      sum += __half2float(a_high[ty][k]) * __half2float(b_high[k][tx]);
      rest += __half2float(a_high[ty][k]) * __half2float(b_low[k][tx]);
      rest += __half2float(a_low[ty][k]) * __half2float(b_high[k][tx]);
    }
    __syncthreads();
  }
  if (row < M && col < N) C[row * N + col] = sum + rest / 2048.0f;
}
