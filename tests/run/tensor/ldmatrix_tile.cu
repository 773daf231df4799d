// tensor_tile needs a load for each register of a fragment. ldmatrix loads four registers of every
// lane at once: four matrices of 8 × 8 elements. Each row of 8 elements has 16 bytes, and lane n
// says where row n of these 32 rows begins. With .trans a lane gets neighbours in a column instead
// of neighbours in a row. So B's tile can stay as B is in memory, with n along its rows.
//
// The eight rows of a matrix are read at the same time. They must lie in different banks: 8 times
// 16 bytes are all 32 banks. In a plain tile they would not, because its rows are 64, 128 or more
// bytes apart. Two ways out are here. Padding makes the rows 16 bytes longer, which costs shared
// memory. Swizzling moves the 16-byte chunks within each row: the row's number, by exclusive or,
// changes the chunk's.

#include <cuda_bf16.h>

// excerpt: ldmatrix_tile
__device__ void multiply(float (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

__device__ void load_matrices(unsigned (&to)[4], const __nv_bfloat16& row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(static_cast<unsigned>(__cvta_generic_to_shared(&row))));
}

__device__ void load_transposed(unsigned (&to)[4], const __nv_bfloat16& row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(static_cast<unsigned>(__cvta_generic_to_shared(&row))));
}

// A tile in shared memory whose rows are read eight at a time without bank conflicts.
template <int ROWS, int COLUMNS, bool swizzled>
struct Tile {
  static constexpr int chunks = COLUMNS / 8, pitch = COLUMNS + (swizzled ? 0 : 8);
  alignas(16) __nv_bfloat16 elements[ROWS * pitch];

  __device__ __nv_bfloat16& at(int row, int column) {
    if (!swizzled) return elements[row * pitch + column];
    // 128 bytes are all banks: eight chunks. If a row has fewer, several rows share 128 bytes, and
    // the next ones need another order of their chunks.
    constexpr int rows_of_banks = chunks < 8 ? 8 / chunks : 1, orders = chunks < 8 ? chunks : 8;
    const int chunk = column / 8 ^ row / rows_of_banks % orders;
    return elements[row * pitch + chunk * 8 + column % 8];
  }

  // Fills the tile from a matrix, zeros outside of it. A thread copies 16 bytes at a time.
  template <int threads, bool whole>
  __device__ void fill(const __nv_bfloat16* from, int row0, int column0, int rows, int columns) {
    for (int i = threadIdx.x; i < ROWS * chunks; i += threads) {
      const int row = i / chunks, column = i % chunks * 8;
      const __nv_bfloat16* first = from + size_t(row0 + row) * columns + column0 + column;
      if constexpr (whole) {
        reinterpret_cast<uint4&>(at(row, column)) = *reinterpret_cast<const uint4*>(first);
      } else {
        for (int n = 0; n < 8; ++n) {
          const bool exists = row0 + row < rows && column0 + column + n < columns;
          at(row, column + n) = exists ? first[n] : __nv_bfloat16(0.0f);
        }
      }
    }
  }
};

template <int BM, int BN, int BK, int WM, int WN, bool swizzled, bool whole = false>
__global__ void __launch_bounds__((BM / WM) * (BN / WN) * 32)
    ldmatrix_tile(const __nv_bfloat16* A, const __nv_bfloat16* B, float* C, int M, int N, int K) {
  __shared__ Tile<BM, BK, swizzled> a_tile;
  __shared__ Tile<BK, BN, swizzled> b_tile;
  constexpr int threads = (BM / WM) * (BN / WN) * 32;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int m0 = warp / (BN / WN) * WM, n0 = warp % (BN / WN) * WN;
  const int row0 = blockIdx.y * BM, column0 = blockIdx.x * BN;
  float sum[WM / 16][WN / 8][4] = {};

  for (int k0 = 0; k0 < K; k0 += BK) {
    a_tile.template fill<threads, whole>(A, row0, k0, M, K);
    b_tile.template fill<threads, whole>(B, k0, column0, K, N);
    __syncthreads();  // the tiles are full
#pragma unroll
    for (int k = 0; k < BK; k += 16) {
      // The four 8 × 8 matrices make 16 × 16 elements. Lanes 0 to 15 name the rows of the left
      // half, lanes 16 to 31 those of the right half.
      unsigned a[WM / 16][4], b[WN / 16][4];
      for (int i = 0; i < WM / 16; ++i)
        load_matrices(a[i], a_tile.at(m0 + i * 16 + lane % 16, k + lane / 16 * 8));
      for (int j = 0; j < WN / 16; ++j)  // 16 columns of B: two products wide
        load_transposed(b[j], b_tile.at(k + lane % 16, n0 + j * 16 + lane / 16 * 8));
      for (int i = 0; i < WM / 16; ++i) {
        for (int j = 0; j < WN / 8; ++j)
          multiply(sum[i][j], a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
      }
    }
    __syncthreads();  // all warps have read the tiles
  }

#pragma unroll
  for (int i = 0; i < WM / 16; ++i) {
#pragma unroll
    for (int j = 0; j < WN / 8; ++j) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int row = row0 + m0 + i * 16 + half * 8 + lane / 4;
        const int column = column0 + n0 + j * 8 + lane % 4 * 2;
        float* to = C + size_t(row) * N + column;
        const float2 two = {sum[i][j][half * 2], sum[i][j][half * 2 + 1]};
        if constexpr (whole) {
          *reinterpret_cast<float2*>(to) = two;
        } else {
          if (row < M && column < N) to[0] = two.x;
          if (row < M && column + 1 < N) to[1] = two.y;
        }
      }
    }
  }
}
// end excerpt
