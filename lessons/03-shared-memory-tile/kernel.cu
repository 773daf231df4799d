// One thread computes one element of C. A block of dim3(BN, BM) threads computes a tile of BM rows
// and BN columns, in steps of BK along K.

// excerpt: shared_memory_tile
template <int BM, int BN, int BK>
__global__ void shared_memory_tile(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float a_tile[BM][BK];
  __shared__ float b_tile[BK][BN];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * BM + ty;
  const int column = blockIdx.x * BN + tx;

  float sum = 0.0f;
  for (int k0 = 0; k0 < K; k0 += BK) {
    for (int k = 0; k < BK; k += BN) {
      const int a_column = k0 + k + tx;
      a_tile[ty][k + tx] = row < M && a_column < K ? A[row * K + a_column] : 0.0f;
    }
    for (int k = 0; k < BK; k += BM) {
      const int b_row = k0 + k + ty;
      b_tile[k + ty][tx] = b_row < K && column < N ? B[b_row * N + column] : 0.0f;
    }
    __syncthreads();  // the tiles are full

    for (int k = 0; k < BK; ++k) {
      sum += a_tile[ty][k] * b_tile[k][tx];
    }
    __syncthreads();  // all threads have read them
  }
  if (row < M && column < N) C[row * N + column] = sum;
}
// end excerpt
