// Each thread computes 2×2 elements of C that lie BM / 2 rows and BN / 2
// columns apart. A block of (BN / 2) × (BM / 2) threads computes a tile of BM
// rows and BN columns, in steps of BK along K. Asynchronous copies bring the
// tiles of A and B to a ring of STAGES stages: the block computes from one
// stage, while copies fill the other STAGES - 1.
#include <cuda_pipeline.h>

// Starts to copy an element to shared memory, or a zero if there is no such
// element.
__device__ void copy(float& to, const float* matrix, int rows, int columns,
                     int row, int column) {
  const bool exists = row < rows && column < columns;
  const float* from = exists ? &matrix[row * columns + column] : matrix;
  __pipeline_memcpy_async(&to, from, sizeof(float), exists ? 0 : sizeof(float));
}

template <int BM, int BN, int BK, int STAGES>
__global__ void ring_of_copies(const float* A, const float* B, float* C, int M,
                               int N, int K) {
  __shared__ float a_part[STAGES][BM][BK];
  __shared__ float b_part[STAGES][BK][BN];
  constexpr int threads = BM / 2 * (BN / 2);
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int thread = ty * (BN / 2) + tx;
  const int first_row = blockIdx.y * BM, first_column = blockIdx.x * BN;
  const int steps = (K + BK - 1) / BK;

  const auto load = [&](int step) {
    const int stage = step % STAGES, start = step * BK;
    for (int e = thread; e < BM * BK; e += threads) {
      copy(a_part[stage][e / BK][e % BK], A, M, K, first_row + e / BK,
           start + e % BK);
    }
    for (int e = thread; e < BK * BN; e += threads) {
      copy(b_part[stage][e / BN][e % BN], B, K, N, start + e / BN,
           first_column + e % BN);
    }
  };

  for (int step = 0; step < STAGES - 1; ++step) {
    load(step);
    __pipeline_commit();
  }
  float sum[2][2] = {};
  for (int step = 0; step < steps; ++step) {
    __pipeline_wait_prior(STAGES - 2);
    // all copies have arrived, and no thread reads the previous stage any more
    __syncthreads();
    if (step + STAGES - 1 < steps) load(step + STAGES - 1);
    __pipeline_commit();  // even if empty, so that each step has one group
    const int stage = step % STAGES;
    for (int k = 0; k < BK; ++k) {
      for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 2; ++j) {
          const float a = a_part[stage][ty + i * (BM / 2)][k];
          const float b = b_part[stage][k][tx + j * (BN / 2)];
          sum[i][j] += a * b;
        }
      }
    }
  }

  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) {
      const int row = first_row + ty + i * (BM / 2),
                column = first_column + tx + j * (BN / 2);
      if (row < M && column < N) C[row * N + column] = sum[i][j];
    }
  }
}
