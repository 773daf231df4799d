// For a C with few tiles and a large K. SPLIT blocks along z share the work on
// a tile of BM rows and BN columns. Each computes a part of K, in steps of BK,
// and adds its sums to C. C holds zeros before the launch. Each thread computes
// 2×2 elements, BM / 2 rows and BN / 2 columns apart.

template <int BM, int BN, int BK, int SPLIT>
__global__ void split_k(const float* A, const float* B, float* C, int M, int N,
                        int K) {
  __shared__ float a_part[BM][BK];
  __shared__ float b_part[BK][BN];
  constexpr int threads = BM / 2 * (BN / 2);
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int thread = ty * (BN / 2) + tx;
  const int first_row = blockIdx.y * BM, first_column = blockIdx.x * BN;
  const int steps = (K + BK - 1) / BK,
            steps_of_block = (steps + SPLIT - 1) / SPLIT;
  const int begin = blockIdx.z * steps_of_block * BK;
  const int end = min(K, begin + steps_of_block * BK);

  float sum[2][2] = {};
  for (int start = begin; start < end; start += BK) {
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
      for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 2; ++j) {
          sum[i][j] +=
              a_part[ty + i * (BM / 2)][k] * b_part[k][tx + j * (BN / 2)];
        }
      }
    }
    __syncthreads();
  }

  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) {
      const int row = first_row + ty + i * (BM / 2),
                column = first_column + tx + j * (BN / 2);
      if (row < M && column < N) atomicAdd(&C[row * N + column], sum[i][j]);
    }
  }
}
