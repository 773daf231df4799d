// block 16x16 tile 16x16
#include <cuda_bf16.h>
// A float is exactly the sum of three bfloat16 numbers.
__device__ void split(float x, __nv_bfloat16* part) {
  for (int p = 0; p < 3; ++p) {
    part[p] = __float2bfloat16(x);
    x -= __bfloat162float(part[p]);
  }
}
extern "C" __global__ void bf16x3(const float* A, const float* B, float* C, int M, int N, int K) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= M || col >= N) return;
  float sums[3] = {0, 0, 0};
  for (int k = 0; k < K; ++k) {
    __nv_bfloat16 a[3], b[3];
    split(A[row * K + k], a);
    split(B[k * N + col], b);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; i + j < 3; ++j) sums[i + j] += __bfloat162float(a[i]) * __bfloat162float(b[j]);
  }
  C[row * N + col] = sums[0] + (sums[1] + sums[2]);
}
