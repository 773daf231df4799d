// block 16x16 tile 16x16
extern "C" __global__ void interval(const float* A, const float* B, float* C, int M, int N, int K) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= M || col >= N) return;
  float low = 0, high = 0;  // the truth is between
  for (int k = 0; k < K; ++k) {
    low = __fmaf_rd(A[row * K + k], B[k * N + col], low);
    high = __fmaf_ru(A[row * K + k], B[k * N + col], high);
  }
  C[row * N + col] = low <= high ? 0.5f * (low + high) : __int_as_float(0x7fffffff);
}
