// Each thread computes 4×4 neighbouring elements of C. A block of (BN / 4) ×
// (BM / 4) threads computes a tile of BM rows and BN columns, in steps of BK
// along K. Matrices are read and written four floats at a time.

__device__ float4& as_float4(float& first) {
  return *reinterpret_cast<float4*>(&first);
}

// Loads four neighbours of a row.
__device__ float4 load4(const float* matrix, int rows, int columns, int row,
                        int column) {
  return *reinterpret_cast<const float4*>(&matrix[row * columns + column]);
}

__device__ void store4(float* matrix, int rows, int columns, int row,
                       int column, float4 values) {
  *reinterpret_cast<float4*>(&matrix[row * columns + column]) = values;
}

template <int BM, int BN, int BK>
__global__ void four_at_a_time(const float* A, const float* B, float* C, int M,
                               int N, int K) {
  __shared__ alignas(16) float a_part[BM][BK + 4];
  __shared__ alignas(16) float b_part[BK][BN];
  constexpr int threads = BM / 4 * (BN / 4);
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int thread = ty * (BN / 4) + tx;
  const int first_row = blockIdx.y * BM, first_column = blockIdx.x * BN;

  alignas(16) float sum[4][4] = {};
  for (int start = 0; start < K; start += BK) {
    for (int e = 4 * thread; e < BM * BK; e += 4 * threads) {
      const int i = e / BK, k = e % BK;
      as_float4(a_part[i][k]) = load4(A, M, K, first_row + i, start + k);
    }
    for (int e = 4 * thread; e < BK * BN; e += 4 * threads) {
      const int k = e / BN, j = e % BN;
      as_float4(b_part[k][j]) = load4(B, K, N, start + k, first_column + j);
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
    store4(C, M, N, first_row + 4 * ty + i, first_column + 4 * tx,
           as_float4(sum[i][0]));
  }
}
