// block 16x16 tile 16x16
// Each float as four signed bytes in a common scale; digit products by dp4a.
__device__ void digits(float x, int* d) {
  int q = __float2int_rn(x * 134217728.0f);  // 2^27: 28 bits
  for (int i = 0; i < 4; ++i) {
    int byte = (q & 255) - ((q & 128) << 1);
    d[i] = byte;
    q = (q - byte) >> 8;
  }
}
extern "C" __global__ void dp4a_digits(const float* A, const float* B, float* C, int M, int N, int K) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= M || col >= N) return;
  long long sum = 0;
  for (int k = 0; k < K; k += 4) {
    int a[4] = {0, 0, 0, 0}, b[4] = {0, 0, 0, 0};  // digit i of four elements
    for (int e = 0; e < 4 && k + e < K; ++e) {
      int da[4], db[4];
      digits(A[row * K + k + e], da);
      digits(B[(k + e) * N + col], db);
      for (int i = 0; i < 4; ++i) {
        a[i] |= (da[i] & 255) << (8 * e);
        b[i] |= (db[i] & 255) << (8 * e);
      }
    }
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j)
        sum += (long long)__dp4a(a[i], b[j], 0) << (8 * (i + j));
  }
  C[row * N + col] = (float)((double)sum * 0x1p-54);
}
