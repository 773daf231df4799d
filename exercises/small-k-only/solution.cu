// A block of BN × BM threads computes a tile of C with BM rows and BN columns,
// one element per thread, in steps of BK along K.

template <int BM, int BN, int BK>
__global__ void product_in_steps(const float* A, const float* B, float* C,
                                 int M, int N, int K) {
  __shared__ float a_part[BM][BK];
  __shared__ float b_part[BK][BN];
  constexpr int threads = BM * BN;
  const int thread = threadIdx.y * BN + threadIdx.x;
  const int first_row = blockIdx.y * BM, first_column = blockIdx.x * BN;

  float result = 0.0f;
  for (int start = 0; start < K; start += BK) {
    // consecutive threads, consecutive elements
    for (int e = thread; e < BM * BK; e += threads) {
      const int row = first_row + e / BK, column = start + e % BK;
      a_part[e / BK][e % BK] =
          row < M && column < K ? A[row * K + column] : 0.0f;
    }
    for (int e = thread; e < BK * BN; e += threads) {
      const int row = start + e / BN, column = first_column + e % BN;
      b_part[e / BN][e % BN] =
          row < K && column < N ? B[row * N + column] : 0.0f;
    }
    __syncthreads();

    for (int k = 0; k < BK; ++k) {
      result += a_part[threadIdx.y][k] * b_part[k][threadIdx.x];
    }
    __syncthreads();
  }

  const int row = first_row + threadIdx.y, column = first_column + threadIdx.x;
  if (row < M && column < N) C[row * N + column] = result;
}
