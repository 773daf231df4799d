// A block of 16×8 threads computes a tile of C with BM rows and BN columns, in
// steps of BK along K. Each thread computes 4×4 neighbouring elements. They go
// to C through shared memory, so that neighbouring lanes store neighbouring
// elements.

template <int BM, int BN, int BK>
__global__ void through_shared_memory(const float* A, const float* B, float* C,
                                      int M, int N, int K) {
  __shared__ float a_part[BM][BK + 4];
  __shared__ float b_part[BK][BN];
  __shared__ float c_part[BM][BN];
  constexpr int threads = 128;
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int thread = ty * 16 + tx;
  const int first_row = blockIdx.y * BM, first_column = blockIdx.x * BN;

  float sum[4][4] = {};
  for (int start = 0; start < K; start += BK) {
    for (int e = thread; e < BM * BK; e += threads) {
      const int i = e / BK, k = e % BK;
      const bool inside = first_row + i < M && start + k < K;
      a_part[i][k] = inside ? A[(first_row + i) * K + start + k] : 0.0f;
    }
    for (int e = thread; e < BK * BN; e += threads) {
      const int k = e / BN, j = e % BN;
      const bool inside = start + k < K && first_column + j < N;
      b_part[k][j] = inside ? B[(start + k) * N + first_column + j] : 0.0f;
    }
    __syncthreads();

    for (int k = 0; k < BK; ++k) {
      float a[4], b[4];
      for (int i = 0; i < 4; ++i) a[i] = a_part[4 * ty + i][k];
      for (int j = 0; j < 4; ++j) b[j] = b_part[k][4 * tx + j];
      for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) sum[i][j] += a[i] * b[j];
      }
    }
    __syncthreads();
  }

  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) c_part[4 * ty + i][4 * tx + j] = sum[i][j];
  }
  __syncthreads();
  for (int e = thread; e < BM * BN; e += threads) {
    const int row = first_row + e / BN, column = first_column + e % BN;
    if (row < M && column < N) C[row * N + column] = c_part[e / BN][e % BN];
  }
}
