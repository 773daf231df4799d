// One warp computes a tile of C of 16×8 elements with a tensor core, in steps
// of 16 along K. mma.sync computes D = A × B + D with A of 16×16, B of 16×8 and
// D of 16×8 elements. Each lane holds its share of them in registers. Its lanes
// load their shares straight from global memory. If `whole`, M and K are
// multiples of 16, and N is a multiple of 8. Otherwise there are zeros beyond
// the edges.

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
__device__ unsigned pair_of(__nv_bfloat16 first, __nv_bfloat16 second) {
  return __bfloat16_as_ushort(first) | unsigned(__bfloat16_as_ushort(second))
                                           << 16;
}

template <bool whole = false>
__global__ void __launch_bounds__(32)
    fragment(const __nv_bfloat16* A, const __nv_bfloat16* B, float* C, int M,
             int N, int K) {
  const int row0 = blockIdx.y * 16, column0 = blockIdx.x * 8;
  // The 32 lanes are eight groups of four. A group has two rows of A, a column
  // of B and two rows of D. The place in the group says which pairs of
  // neighbours a lane has there.
  const int group = threadIdx.x / 4, pair = threadIdx.x % 4 * 2;

  const auto pair_of_a = [&](int row, int k) {  // the elements at k and k + 1
    const __nv_bfloat16* from = A + size_t(row) * K + k;
    // If K is even, the pair is aligned.
    if constexpr (whole) return *reinterpret_cast<const unsigned*>(from);
    return pair_of(row < M && k < K ? from[0] : __nv_bfloat16(0.0f),
                   row < M && k + 1 < K ? from[1] : __nv_bfloat16(0.0f));
  };
  // The elements at k and k + 1. They are in two rows of B, N elements apart.
  const auto pair_of_b = [&](int k, int column) {
    const __nv_bfloat16* from = B + size_t(k) * N + column;
    const bool exists = whole || (k < K && column < N),
               next = whole || (k + 1 < K && column < N);
    const __nv_bfloat16 first = exists ? from[0] : __nv_bfloat16(0.0f);
    const __nv_bfloat16 second = next ? from[N] : __nv_bfloat16(0.0f);
    return pair_of(first, second);
  };

  float d[4] = {};
  for (int k0 = 0; k0 < K; k0 += 16) {
    unsigned a[4], b[2];
    // GAP 1: the lane's four pairs of A: rows and k from the picture, counted
    // from row0 and k0. Four lines.
    a[0] = a[1] = a[2] = a[3] = 0;
    // GAP 2: its two pairs of B, which go down a column. Two lines.
    b[0] = b[1] = 0;
    multiply(d, a, b);
  }

#pragma unroll  // because registers have no indices
  for (int i = 0; i < 4; ++i) {
    // GAP 3: where in C is the lane's i-th element of D?
    const int row = row0, column = column0;
    if (whole || (row < M && column < N)) C[size_t(row) * N + column] = d[i];
  }
}
