// The warps of a block share tiles of A and B in shared memory, as in
// lesson 11. A warp computes a tile of WM×WN elements of C in pieces of 16×8,
// each with the mma.sync of lesson 15. A fragment of A serves all pieces of a
// row, and one of B all pieces of a column. The lanes read their fragments with
// plain loads of 32 bits. (`whole` as in lesson 7.)

#include <cuda_bf16.h>

// D += A × B. A register of A or B holds two neighbours along k, one of D a
// single float.
__device__ void multiply(float (&d)[4], const unsigned (&a)[4],
                         const unsigned (&b)[2]) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// Two neighbours along k in one register, the first in its lower half.
__device__ unsigned pair_at(const __nv_bfloat16& first) {
  return *reinterpret_cast<const unsigned*>(&first);
}

template <int BM, int BN, int BK, int WM, int WN, bool whole = false>
__global__ void __launch_bounds__((BM / WM) * (BN / WN) * 32)
    tensor_tile(const __nv_bfloat16* A, const __nv_bfloat16* B, float* C, int M,
                int N, int K) {
  // B's tile is transposed, so that neighbours along k are neighbours in memory
  // in both tiles.
  __shared__ alignas(16) __nv_bfloat16 a_tile[BM][BK], b_tile[BN][BK];
  constexpr int threads = (BM / WM) * (BN / WN) * 32;
  const int thread = threadIdx.x, warp = thread / 32, lane = thread % 32;
  // GAP 1: where in the block's tile does the warp's tile begin? The warp tiles
  // are numbered row by row.
  const int m0 = 0, n0 = 0;
  const int row0 = blockIdx.y * BM, column0 = blockIdx.x * BN;
  // Where a lane's elements are in each piece, as in lesson 15.
  const int group = lane / 4, pair = lane % 4 * 2;
  float sum[WM / 16][WN / 8][4] = {};

  for (int k0 = 0; k0 < K; k0 += BK) {
    for (int i = thread; i < BM * BK; i += threads) {
      const int m = i / BK, k = i % BK;
      const bool exists = whole || (row0 + m < M && k0 + k < K);
      a_tile[m][k] =
          exists ? A[size_t(row0 + m) * K + k0 + k] : __nv_bfloat16(0.0f);
    }
    for (int i = thread; i < BK * BN; i += threads) {
      const int k = i / BN, n = i % BN;
      // GAP 2: copy the element of B in row k and column n of the block's part
      // to its place in the transposed tile, or a zero beyond an edge.
      ;  // nothing yet
    }
    __syncthreads();  // the tiles are full
    for (int k = 0; k < BK; k += 16) {
      unsigned a[WM / 16][4], b[WN / 8][2];
      for (int i = 0; i < WM / 16; ++i) {
        const int m = m0 + i * 16 + group;
        a[i][0] = pair_at(a_tile[m][k + pair]);
        a[i][1] = pair_at(a_tile[m + 8][k + pair]);
        a[i][2] = pair_at(a_tile[m][k + pair + 8]);
        a[i][3] = pair_at(a_tile[m + 8][k + pair + 8]);
      }
      for (int j = 0; j < WN / 8; ++j) {
        const int n = n0 + j * 8 + group;
        // GAP 3: read the lane's two pairs of B. Two lines.
        b[j][0] = b[j][1] = 0;
      }
      for (int i = 0; i < WM / 16; ++i) {
        for (int j = 0; j < WN / 8; ++j) multiply(sum[i][j], a[i], b[j]);
      }
    }
    __syncthreads();  // all warps have read the tiles
  }

  // Unrolled, because registers have no indices.
#pragma unroll
  for (int i = 0; i < WM / 16; ++i) {
#pragma unroll
    for (int j = 0; j < WN / 8; ++j) {
#pragma unroll
      for (int n = 0; n < 4;
           ++n) {  // D has two rows, 8 apart, of two neighbours each
        const int row = row0 + m0 + i * 16 + n / 2 * 8 + group;
        const int column = column0 + n0 + j * 8 + pair + n % 2;
        if (whole || (row < M && column < N))
          C[size_t(row) * N + column] = sum[i][j][n];
      }
    }
  }
}
