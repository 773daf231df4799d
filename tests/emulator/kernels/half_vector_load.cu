// block 32x8 tile 8x32
#include <cuda_fp16.h>
union Four { uint2 bits; __half2 pair[2]; };
// B's tile as halves, high and low digits, moved eight bytes at a time.
extern "C" __global__ void half_vector_load(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ __align__(16) __half high[32][32], low[32][32];
  const int tx = threadIdx.x, ty = threadIdx.y, t = ty * 32 + tx;
  const int row = blockIdx.y * 8 + ty, col = blockIdx.x * 32 + tx;
  float sum = 0, rest = 0;
  for (int k0 = 0; k0 < K; k0 += 32) {
    const int r = t / 8, c = t % 8 * 4;
    Four h, l;
    float v[4];
    for (int e = 0; e < 4; ++e) v[e] = k0 + r < K && blockIdx.x * 32 + c + e < N ? B[(k0 + r) * N + blockIdx.x * 32 + c + e] : 0.0f;
    for (int e = 0; e < 2; ++e) {
      h.pair[e] = __floats2half2_rn(v[2 * e], v[2 * e + 1]);
      const float2 back = __half22float2(h.pair[e]);
      l.pair[e] = __floats2half2_rn((v[2 * e] - back.x) * 4096.0f, (v[2 * e + 1] - back.y) * 4096.0f);
    }
    *reinterpret_cast<uint2*>(&high[r][c]) = h.bits;
    *reinterpret_cast<uint2*>(&low[r][c]) = l.bits;
    __syncthreads();
    for (int k = 0; k < 32 && k0 + k < K; ++k) {
      const float a = row < M ? A[row * K + k0 + k] : 0.0f;
      sum += a * __half2float(high[k][tx]);
      rest += a * __half2float(low[k][tx]);
    }
    __syncthreads();
  }
  if (row < M && col < N) C[row * N + col] = sum + rest / 4096.0f;
}
