// The tensor core's fragments come by ldmatrix, which loads four matrices of
// 8×8 elements for a warp at once. Lane n says where row n of these 32 rows
// begins, 16 bytes each. With .trans a lane gets neighbours in a column, so B's
// tile stays as B is in memory. The eight rows of a matrix are read together
// and must lie in different banks. Two layouts of a tile see to that: padded
// rows are 16 bytes longer, and swizzled rows have their 16-byte chunks in
// another order from row to row. A plain tile does nothing. (`whole` as in
// lesson 7.)

#include <cuda_bf16.h>

// D += A × B, as in lesson 16.
__device__ void multiply(float (&d)[4], const unsigned (&a)[4], unsigned b0,
                         unsigned b1) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// Stores two neighbours in a row of C.
template <bool whole>
__device__ void store2(float* C, int M, int N, int row, int column, float left,
                       float right) {
  float* to = C + size_t(row) * N + column;
  if constexpr (whole) {
    *reinterpret_cast<float2*>(to) = float2{left, right};
  } else {
    if (row < M && column < N) to[0] = left;
    if (row < M && column + 1 < N) to[1] = right;
  }
}

__device__ unsigned shared_address(const __nv_bfloat16& element) {
  return static_cast<unsigned>(__cvta_generic_to_shared(&element));
}

// Four matrices of 8×8 elements. Each lane passes the first element of one of
// their 32 rows.
__device__ void load_matrices(unsigned (&to)[4], const __nv_bfloat16& row) {
  asm volatile(
      "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
      : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
      : "r"(shared_address(row)));
}

// The same, with each matrix transposed on its way. Its rows in the tile have
// one k each.
__device__ void load_transposed(unsigned (&to)[4], const __nv_bfloat16& k_row) {
  asm volatile(
      "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
      : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
      : "r"(shared_address(k_row)));
}

constexpr int PLAIN = 1, PADDED = 2, SWIZZLED = 3;  // layouts of a tile

// A tile in shared memory. Its rows consist of chunks of eight elements, which
// are 16 bytes.
template <int ROWS, int COLUMNS, int LAYOUT>
struct Tile {
  static constexpr int chunks = COLUMNS / 8,
                       pitch = COLUMNS + (LAYOUT == PADDED ? 8 : 0);
  alignas(16) __nv_bfloat16 elements[ROWS * pitch];

  // Eight chunks are 128 bytes, all banks. If a row has fewer, several rows
  // share the banks.
  __device__ __nv_bfloat16& at(int row, int column) {
    constexpr int rows_of_banks = chunks < 8 ? 8 / chunks : 1;
    constexpr int orders = chunks < 8 ? chunks : 8;  // of a row's chunks
    const int order = LAYOUT == SWIZZLED ? row / rows_of_banks % orders : 0;
    // GAP 1: where in its row the chunk of this column goes, if `order` is the
    // number of the row's order. One line.
    const int chunk = column / 8;
    return elements[row * pitch + chunk * 8 + column % 8];
  }

  // Fills the tile from a matrix, with zeros outside of it. A thread copies a
  // chunk at a time.
  template <int threads, bool whole>
  __device__ void fill(const __nv_bfloat16* from, int row0, int column0,
                       int rows, int columns) {
    for (int i = threadIdx.x; i < ROWS * chunks; i += threads) {
      const int row = i / chunks, column = i % chunks * 8;
      const __nv_bfloat16* first =
          from + size_t(row0 + row) * columns + column0 + column;
      if constexpr (whole) {
        reinterpret_cast<uint4&>(at(row, column)) =
            *reinterpret_cast<const uint4*>(first);
      } else {
        for (int n = 0; n < 8; ++n) {
          const bool exists =
              row0 + row < rows && column0 + column + n < columns;
          at(row, column + n) = exists ? first[n] : __nv_bfloat16(0.0f);
        }
      }
    }
  }
};

template <int BM, int BN, int BK, int WM, int WN, int LAYOUT,
          bool whole = false>
__global__ void __launch_bounds__((BM / WM) * (BN / WN) * 32)
    swizzle(const __nv_bfloat16* A, const __nv_bfloat16* B, float* C, int M,
            int N, int K) {
  __shared__ Tile<BM, BK, LAYOUT> a_tile;
  __shared__ Tile<BK, BN, LAYOUT> b_tile;
  constexpr int threads = (BM / WM) * (BN / WN) * 32;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int m0 = warp / (BN / WN) * WM,
            n0 = warp % (BN / WN) * WN;  // the warp's tile
  const int row0 = blockIdx.y * BM, column0 = blockIdx.x * BN;
  float sum[WM / 16][WN / 8][4] = {};

  for (int k0 = 0; k0 < K; k0 += BK) {
    a_tile.template fill<threads, whole>(A, row0, k0, M, K);
    b_tile.template fill<threads, whole>(B, k0, column0, K, N);
    __syncthreads();  // the tiles are full
#pragma unroll
    for (int k = 0; k < BK; k += 16) {
      // Lanes 0 to 15 are for the left half of 16×16 elements, lanes 16 to 31
      // for the right half.
      const int down = lane % 16, right = lane / 16 * 8;
      unsigned a[WM / 16][4], b[WN / 16][4];
      for (int i = 0; i < WM / 16; ++i)
        // GAP 2: four matrices that make 16×16 elements of A. Which element
        // begins the row that this lane passes? One line.
        load_matrices(a[i], a_tile.at(m0 + i * 16, k));
      for (int j = 0; j < WN / 16; ++j)
        // GAP 3: the same for 16×16 elements of B. One line.
        load_transposed(b[j], b_tile.at(k, n0 + j * 16));
      for (int i = 0; i < WM / 16; ++i) {
        for (int j = 0; j < WN / 16; ++j) {  // 16 columns of B are two products
          multiply(sum[i][2 * j], a[i], b[j][0], b[j][1]);
          multiply(sum[i][2 * j + 1], a[i], b[j][2], b[j][3]);
        }
      }
    }
    __syncthreads();  // all warps have read the tiles
  }

#pragma unroll
  for (int i = 0; i < WM / 16; ++i) {
#pragma unroll
    for (int j = 0; j < WN / 8; ++j) {
      const float(&d)[4] =
          sum[i][j];  // two rows, 8 apart, of two neighbours each
      const int row = row0 + m0 + i * 16 + lane / 4,
                column = column0 + n0 + j * 8 + lane % 4 * 2;
      store2<whole>(C, M, N, row, column, d[0], d[1]);
      store2<whole>(C, M, N, row + 8, column, d[2], d[3]);
    }
  }
}
