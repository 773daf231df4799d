// Each thread computes 4×4 neighbouring elements of C. A block of (BN / 4) ×
// (BM / 4) threads computes a tile of BM rows and BN columns, in steps of BK
// along K. A's tile is stored transposed, so that a thread reads its four
// values of A with one instruction, as for B. In its row k, group g of four
// elements lies in place g ^ k, so that lanes that copy eight k of four rows
// write to 32 different banks (where BK is 8).

__device__ float4& as_float4(float& first) {
  return *reinterpret_cast<float4*>(&first);
}

template <int BM, int BN, int BK>
__global__ void transposed_tile(const float* A, const float* B, float* C, int M,
                                int N, int K) {
  __shared__ alignas(16) float a_part[BK][BM];
  __shared__ alignas(16) float b_part[BK][BN];
  constexpr int threads = BM / 4 * (BN / 4);
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int thread = ty * (BN / 4) + tx;
  const int first_row = blockIdx.y * BM, first_column = blockIdx.x * BN;

  float sum[4][4] = {};
  for (int start = 0; start < K; start += BK) {
    for (int e = thread; e < BM * BK; e += threads) {
      const int i = e / BK, k = e % BK;
      const bool inside = first_row + i < M && start + k < K;
      a_part[k][i ^ 4 * k] = inside ? A[(first_row + i) * K + start + k] : 0.0f;
    }
    for (int e = thread; e < BK * BN; e += threads) {
      const int k = e / BN, j = e % BN;
      const bool inside = start + k < K && first_column + j < N;
      b_part[k][j] = inside ? B[(start + k) * N + first_column + j] : 0.0f;
    }
    __syncthreads();

    for (int k = 0; k < BK; ++k) {
      alignas(16) float a[4], b[4];
      as_float4(a[0]) = as_float4(a_part[k][4 * ty ^ 4 * k]);
      as_float4(b[0]) = as_float4(b_part[k][4 * tx]);
      for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) sum[i][j] += a[i] * b[j];
      }
    }
    __syncthreads();
  }

  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) {
      const int row = first_row + 4 * ty + i,
                column = first_column + 4 * tx + j;
      if (row < M && column < N) C[row * N + column] = sum[i][j];
    }
  }
}
