// block 16x16 tile 16x16
extern "C" __global__ void double_single(const float* A, const float* B, float* C, int M, int N, int K) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= M || col >= N) return;
  // Sums of two floats: 48 digits.
  float2 sum = make_float2(0, 0);
  for (int k = 0; k < K; ++k) {
    const float p = __fmul_rn(A[row * K + k], B[k * N + col]), e = __fmaf_rn(A[row * K + k], B[k * N + col], -p);
    const float s = __fadd_rn(sum.x, p), v = __fsub_rn(s, sum.x);
    const float t = __fadd_rn(__fadd_rn(__fsub_rn(sum.x, __fsub_rn(s, v)), __fsub_rn(p, v)), __fadd_rn(sum.y, e));
    sum.x = __fadd_rn(s, t);
    sum.y = __fsub_rn(t, __fsub_rn(sum.x, s));
  }
  C[row * N + col] = sum.x + sum.y;
}
