// block 16x16 tile 16x16
extern "C" __global__ void int128_sum(const float* A, const float* B, float* C, int M, int N, int K) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= M || col >= N) return;
  __int128 sum = 0;
  for (int k = 0; k < K; ++k) {
    const long long a = llrintf(ldexpf(A[row * K + k], 40)), b = llrintf(ldexpf(B[k * N + col], 40));
    sum += (__int128)a * b;
  }
  const bool negative = sum < 0;
  const unsigned __int128 size = negative ? -(unsigned __int128)sum : (unsigned __int128)sum;
  const double value = (double)(unsigned long long)(size >> 64) * 18446744073709551616.0 + (double)(unsigned long long)size;
  C[row * N + col] = (float)((negative ? -value : value) * 0x1p-80);
}
