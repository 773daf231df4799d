// block 32x8 tile 8x1
// A block floating point: one exponent for a warp's products.
extern "C" __global__ void reduce_max_scale(const float* A, const float* B, float* C, int M, int N, int K) {
  const int row = blockIdx.y * 8 + threadIdx.y, col = blockIdx.x;
  if (row >= M) return;
  double sum = 0;
  for (int k0 = 0; k0 < K; k0 += 32) {
    const int k = k0 + threadIdx.x;
    const float p = k < K ? A[row * K + k] * B[k * N + col] : 0.0f;
    const unsigned most = __reduce_max_sync(0xffffffffu, __float_as_uint(p) & 0x7fffffffu);
    const int exponent = (int)(most >> 23) - 127;
    const int digits = __double2int_rn(ldexp((double)p, 25 - exponent));
    sum += ldexp((double)__reduce_add_sync(0xffffffffu, digits), exponent - 25);
  }
  if (threadIdx.x == 0) C[row * N + col] = (float)sum;
}
