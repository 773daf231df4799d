// One thread computes TM×TN elements of C in registers. A block of dim3(BN / TN, BM / TM) threads
// computes a tile of BM rows and BN columns. It uses no shared memory.

// excerpt: global_block_tile
template <int BM, int BN, int TM, int TN>
__global__ void global_block_tile(const float* A, const float* B, float* C, int M, int N, int K) {
  const int row = blockIdx.y * BM + threadIdx.y * TM;
  const int column = blockIdx.x * BN + threadIdx.x * TN;

  float sum[TM][TN] = {};
  for (int k = 0; k < K; ++k) {
    float a[TM], b[TN];
    for (int i = 0; i < TM; ++i) a[i] = row + i < M ? A[(row + i) * K + k] : 0.0f;
    for (int j = 0; j < TN; ++j) b[j] = column + j < N ? B[k * N + column + j] : 0.0f;
    for (int i = 0; i < TM; ++i) {
      for (int j = 0; j < TN; ++j) sum[i][j] += a[i] * b[j];
    }
  }

  for (int i = 0; i < TM; ++i) {
    for (int j = 0; j < TN; ++j) {
      if (row + i < M && column + j < N) C[(row + i) * N + column + j] = sum[i][j];
    }
  }
}
// end excerpt
