// An FP32 product on FP16 tensor cores. A float is split into two halves, hi + lo, with 11 bits
// each. Then a × b is hi × hi + hi × lo + lo × hi: three products, and the fourth, lo × lo, is
// smaller than FP32's rounding. The products of two halves are exact in FP32.
//
// Two things must be taken care of. A half has a small range: from 65504 down to 2^-24, the smallest
// denormal number. So each row of A and each column of B is first multiplied by a power of two that
// brings its largest value to between 2^14 and 2^15. A lo is then exact to 2^-25, which is 2^-39 of
// the largest value. And the tensor core does not round sums, it cuts them off: that would always
// err towards zero, and more with each sum. So it adds only three times 16 products, beginning at
// zero, and ordinary additions with rounding add that to the sum.

#include <cuda_fp16.h>

// The order of the blocks, as for tensor_pipeline.
#ifndef GROUP
#define GROUP 8
#endif

// How many columns of products are computed at a time: 8 or 16. Of 16 the tensor core has more to
// do that does not wait for each other, but they need 16 registers more.
#ifndef WIDTH
#define WIDTH 16
#endif

// excerpt: split
// Preparation: two launches. The first splits A's rows and finds the maxima of parts of B's columns.
// The second splits B. The halves' rows are longer than A's and B's, filled up with zeros, so that
// the product's kernel finds whole tiles.

constexpr int PARTS = 16;  // of a column of B
constexpr int PREPARE_THREADS = 256, SPLIT_ROWS = 64;

// `aligned`: rows have a multiple of 4 floats.
template <bool aligned>
constexpr int AT_ONCE = aligned ? 4 : 1;

template <int COUNT>
struct alignas(COUNT * 4) Floats {
  float values[COUNT];
};

template <int COUNT>
struct alignas(COUNT * 2) Halves {
  half values[COUNT];
};

// The exponent of the power of two that brings `largest` to between 2^14 and 2^15. Of very small
// rows it is 126, because a float has no much larger power of two.
__device__ int scale_of(float largest) {
  const int biased_exponent = __float_as_uint(largest) >> 23;
  return min(126, 14 + 127 - biased_exponent);
}

__device__ float power_of_two(int exponent) { return __uint_as_float((exponent + 127) << 23); }

// What undoes the scaling: two factors, because their product with that of a column may be too
// large or too small for a float although the result is not.
__device__ float2 undone(int scale) {
  return {power_of_two(-(scale / 2)), power_of_two(-(scale - scale / 2))};
}

template <int COUNT>
__device__ void split(const Floats<COUNT>& from, float factor, half* hi, half* lo) {
  Halves<COUNT> upper, lower;
  for (int n = 0; n < COUNT; ++n) {
    const float value = from.values[n] * factor;
    upper.values[n] = __float2half_rn(value);
    lower.values[n] = __float2half_rn(value - __half2float(upper.values[n]));
  }
  *reinterpret_cast<Halves<COUNT>*>(hi) = upper;
  *reinterpret_cast<Halves<COUNT>*>(lo) = lower;
}

// The first launch: PARTS blocks for each 32 × AT_ONCE columns of B, and then one for each row of A.
// `pitch` is the length of a row of A_hi and A_lo.
template <bool aligned>
__global__ void __launch_bounds__(PREPARE_THREADS)
    split_a_and_find_maxima_of_b(const float* A, const float* B, half* A_hi, half* A_lo,
                                 float2* undo_rows, float* maxima, int M, int N, int K, int pitch) {
  constexpr int count = AT_ONCE<aligned>;
  const int thread = threadIdx.x, lane = thread % 32, warp = thread / 32;
  const int blocks_across = (N + 32 * count - 1) / (32 * count);
  const int row = blockIdx.x - blocks_across * PARTS;
  if (row < 0) {
    // Each warp takes every eighth row of its part of the columns.
    __shared__ Floats<count> largest[PREPARE_THREADS / 32][32];
    const int part = blockIdx.x / blocks_across;
    const int column = (blockIdx.x % blocks_across * 32 + lane) * count;
    const int rows = (K + PARTS - 1) / PARTS, end = min(K, (part + 1) * rows);
    Floats<count> mine = {};
    if (column < N) {
#pragma unroll 8
      for (int k = part * rows + warp; k < end; k += PREPARE_THREADS / 32) {
        const auto values = *reinterpret_cast<const Floats<count>*>(B + size_t(k) * N + column);
        for (int n = 0; n < count; ++n)
          mine.values[n] = fmaxf(mine.values[n], fabsf(values.values[n]));
      }
    }
    largest[warp][lane] = mine;
    __syncthreads();
    if (warp == 0 && column < N) {
      for (int other = 1; other < PREPARE_THREADS / 32; ++other) {
        for (int n = 0; n < count; ++n)
          mine.values[n] = fmaxf(mine.values[n], largest[other][lane].values[n]);
      }
      *reinterpret_cast<Floats<count>*>(maxima + size_t(part) * N + column) = mine;
    }
    return;
  }

  __shared__ float of_warps[PREPARE_THREADS / 32];
  const float* from = A + size_t(row) * K;
  float largest = 0;
#pragma unroll 4
  for (int k = thread * count; k < K; k += PREPARE_THREADS * count) {
    const auto values = *reinterpret_cast<const Floats<count>*>(from + k);
    for (float value : values.values) largest = fmaxf(largest, fabsf(value));
  }
  for (int distance = 16; distance > 0; distance /= 2)
    largest = fmaxf(largest, __shfl_xor_sync(0xffffffff, largest, distance));
  if (lane == 0) of_warps[warp] = largest;
  __syncthreads();
  for (float of_warp : of_warps) largest = fmaxf(largest, of_warp);

  const int scale = scale_of(largest);
  if (thread == 0) undo_rows[row] = undone(scale);
  const float factor = power_of_two(scale);
  // The row is read again, but from a cache.
#pragma unroll 4
  for (int k = thread * count; k < pitch; k += PREPARE_THREADS * count) {
    Floats<count> values = {};
    if (k < K) values = *reinterpret_cast<const Floats<count>*>(from + k);
    const size_t to = size_t(row) * pitch + k;
    split(values, factor, A_hi + to, A_lo + to);
  }
}

// The second launch: a block splits SPLIT_ROWS rows of 32 × AT_ONCE columns of B. The grid counts
// columns along x and rows along y. `pitch` is the length of a row of B_hi and B_lo, which have
// enough rows and columns for whole blocks.
template <bool aligned>
__global__ void __launch_bounds__(PREPARE_THREADS)
    split_b(const float* B, const float* maxima, half* B_hi, half* B_lo, float2* undo_columns,
            int N, int K, int pitch) {
  constexpr int count = AT_ONCE<aligned>, warps = PREPARE_THREADS / 32;
  __shared__ Floats<count> of_warps[warps][32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int column = (blockIdx.x * 32 + lane) * count;
  Floats<count> largest = {};
  for (int part = warp; part < PARTS; part += warps) {
    if (column >= N) break;
    const auto values =
        *reinterpret_cast<const Floats<count>*>(maxima + size_t(part) * N + column);
    for (int n = 0; n < count; ++n)
      largest.values[n] = fmaxf(largest.values[n], values.values[n]);
  }
  of_warps[warp][lane] = largest;
  __syncthreads();
  float factors[count];
  for (int n = 0; n < count; ++n) {
    for (int other = 0; other < warps; ++other)
      largest.values[n] = fmaxf(largest.values[n], of_warps[other][lane].values[n]);
    const int scale = scale_of(largest.values[n]);
    factors[n] = power_of_two(scale);
    if (blockIdx.y == 0 && warp == 0 && column < N) undo_columns[column + n] = undone(scale);
  }
#pragma unroll
  for (int i = 0; i < SPLIT_ROWS / warps; ++i) {
    const int k = blockIdx.y * SPLIT_ROWS + i * warps + warp;
    Floats<count> values = {};
    if (k < K && column < N)
      values = *reinterpret_cast<const Floats<count>*>(B + size_t(k) * N + column);
    for (int n = 0; n < count; ++n) values.values[n] *= factors[n];
    const size_t to = size_t(k) * pitch + column;
    split(values, 1.0f, B_hi + to, B_lo + to);
  }
}
// end excerpt

// excerpt: fp32_from_fp16
// D = A × B + C. With zeros for C a sum begins.
__device__ void multiply(float (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1,
                         const float (&c)[4]) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};"
      : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1), "f"(c[0]), "f"(c[1]),
        "f"(c[2]), "f"(c[3]));
}

__device__ void load_matrices(unsigned (&to)[4], unsigned address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(address));
}

__device__ void load_transposed(unsigned (&to)[4], unsigned address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(address));
}

__device__ void copy8(unsigned to, const half* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}

__device__ void end_group() { asm volatile("cp.async.commit_group;" ::: "memory"); }

template <int groups>
__device__ void wait_for_all_but() {
  asm volatile("cp.async.wait_group %0;" ::"n"(groups) : "memory");
}

// As in tensor_pipeline.
template <int CHUNKS>
__device__ int swizzled(int row, int chunk) {
  constexpr int rows_of_banks = CHUNKS < 8 ? 8 / CHUNKS : 1, orders = CHUNKS < 8 ? CHUNKS : 8;
  return (row * CHUNKS + (chunk ^ row / rows_of_banks % orders)) * 16;
}

__device__ int2 place_of_block() {
  if (GROUP == 0) return make_int2(blockIdx.x, blockIdx.y);
  constexpr int group = GROUP > 0 ? GROUP : 1;
  const int number = blockIdx.y * gridDim.x + blockIdx.x, blocks = group * gridDim.y;
  const int first = number / blocks * group, width = min(group, int(gridDim.x) - first);
  return make_int2(first + number % blocks % width, number % blocks / width);
}

template <int BM, int BN, int WM, int WN>
constexpr int THREADS = (BM / WM) * (BN / WN) * 32;

// `a_pitch` and `b_pitch` are the lengths of the rows of the halves. B has zeros below its K rows, up
// to a multiple of BK. If not `whole`, C has edges.
template <int BM, int BN, int BK, int WM, int WN, int STAGES, bool whole = false>
__global__ void __launch_bounds__(THREADS<BM, BN, WM, WN>, 256 / THREADS<BM, BN, WM, WN>)
    fp32_from_fp16(const half* A_hi, const half* A_lo, const half* B_hi, const half* B_lo,
                   const float2* undo_rows, const float2* undo_columns, float* C, int M, int N,
                   int K, int a_pitch, int b_pitch) {
  // A stage: the tile of A_hi, that of A_lo, and then those of B_hi and B_lo.
  constexpr int a_bytes = BM * BK * 2, b_bytes = BK * BN * 2;
  constexpr int stage_bytes = 2 * (a_bytes + b_bytes);
  extern __shared__ __align__(128) unsigned char memory[];
  const unsigned stages = static_cast<unsigned>(__cvta_generic_to_shared(memory));

  constexpr int threads = THREADS<BM, BN, WM, WN>, a_chunks = BK / 8;
  constexpr int STEPS = BK / 16, MT = WM / 16, NT = WN / 16;
  const int thread = threadIdx.x, warp = thread / 32, lane = thread % 32;
  const int m0 = warp / (BN / WN) * WM, n0 = warp % (BN / WN) * WN;
  const int2 place = place_of_block();
  const int row0 = place.y * BM, column0 = place.x * BN;

  constexpr int a_rows = threads / a_chunks, b_rows = threads / 8;
  constexpr int a_copies = BM / a_rows, b_copies = BK / b_rows * (BN / 64);
  static_assert(BM % a_rows == 0 && BK % b_rows == 0 && BN % 64 == 0 && a_rows % 8 == 0);
  const int a_row = thread / a_chunks, a_k = thread % a_chunks * 8;
  const int b_row = thread / 8, b_column = thread % 8 * 8;
  const unsigned a_to = stages + swizzled<a_chunks>(a_row, a_k / 8);
  const unsigned b_to = stages + 2 * a_bytes + swizzled<8>(b_row, b_column / 8);
  // Offsets in A_hi and A_lo, and in B_hi and B_lo. They have 32 bits because registers are few.
  unsigned a_from = unsigned(row0 + a_row) * a_pitch + a_k;
  unsigned b_from = unsigned(b_row) * b_pitch + column0 + b_column;

  const auto copy = [&](unsigned stage, int part) {
#pragma unroll
    for (int i = a_copies * part / STEPS; i < a_copies * (part + 1) / STEPS; ++i) {
      const unsigned to = a_to + stage + i * a_rows * BK * 2;
      // Below A, its last row is copied again.
      const int beyond = whole ? 0 : max(0, row0 + a_row + i * a_rows - (M - 1));
      const unsigned from = a_from + (i * a_rows - beyond) * a_pitch;
      copy8(to, A_hi + from);
      copy8(to + a_bytes, A_lo + from);
    }
#pragma unroll
    for (int i = b_copies * part / STEPS; i < b_copies * (part + 1) / STEPS; ++i) {
      const int row = i / (BN / 64) * b_rows, column = i % (BN / 64) * 64;
      const unsigned to = b_to + stage + column * BK * 2 + row * 128;
      const unsigned from = b_from + row * b_pitch + column;
      copy8(to, B_hi + from);
      copy8(to + b_bytes, B_lo + from);
    }
    if (part == STEPS - 1) {
      a_from += BK;
      b_from += BK * b_pitch;
    }
  };

  // Where this lane's rows for ldmatrix are in a stage: those of the first step along k, and of the
  // warp's first 16 columns. For the others two chunks further are an exclusive or with 32, as in
  // the swizzle itself.
  static_assert(WN == 32 || WN == 64);
  const unsigned a_at = stages + swizzled<a_chunks>(m0 + lane % 16, lane / 16);
  const unsigned b_at = stages + 2 * a_bytes + n0 / 64 * BK * 128 +
                        swizzled<8>(lane % 16, n0 % 64 / 8 + lane / 16);
  const auto load_a = [&](unsigned (&a)[4], unsigned stage, int step, int i) {
    load_matrices(a, (a_at ^ step * 32) + stage + i * 16 * BK * 2);
  };
  const auto load_b = [&](unsigned (&b)[2][4], unsigned stage, int step, int j) {
    load_transposed(b[0], (b_at ^ j * 32) + stage + step * 16 * 128);
    load_transposed(b[1], (b_at ^ j * 32) + stage + step * 16 * 128 + b_bytes);
  };

  const int tiles = (K + BK - 1) / BK;
#pragma unroll
  for (int stage = 0; stage < STAGES - 1; ++stage) {
    if (stage < tiles) {
#pragma unroll
      for (int part = 0; part < STEPS; ++part) copy(stage * stage_bytes, part);
    }
    end_group();
  }
  unsigned read = 0, write = (STAGES - 1) * stage_bytes;
  wait_for_all_but<STAGES - 2>();
  __syncthreads();

  // A fragment of A is replaced after its last use. Of B there are two sets of 16 columns.
  float sum[MT][NT * 2][4] = {};
  unsigned hi[MT][4], lo[MT][4], b[2][2][4];
  for (int i = 0; i < MT; ++i) {
    load_a(hi[i], 0, 0, i);
    load_a(lo[i], a_bytes, 0, i);
  }
  load_b(b[0], 0, 0, 0);

  for (int tile = 0; tile < tiles; ++tile) {
    const bool more = tile + 1 < tiles;
#pragma unroll
    for (int step = 0; step < STEPS; ++step) {
      if (tile + STAGES - 1 < tiles) copy(write, step);
      if (step == STEPS - 1) end_group();
#pragma unroll
      for (int j = 0; j < NT; ++j) {
        const int now = (step * NT + j) % 2, next = 1 - now, next_step = (step + 1) % STEPS;
        const bool last = j == NT - 1;  // what comes next is from the next step
        if (last && step == STEPS - 1) {
          wait_for_all_but<STAGES - 2>();
          __syncthreads();  // the next stage is full, and all warps have read the present one
          read = read == (STAGES - 1) * stage_bytes ? 0 : read + stage_bytes;
          write = write == (STAGES - 1) * stage_bytes ? 0 : write + stage_bytes;
        }
        const bool exists = !last || step < STEPS - 1 || more;
        if (exists) load_b(b[next], read, last ? next_step : step, last ? 0 : j + 1);

        // The three products: the small ones first. A product waits for the one before it in
        // the same registers. So all of lo × hi come first, then all of the next kind.
        const float zeros[4] = {};
#pragma unroll
        for (int n0 = 0; n0 < 2; n0 += WIDTH / 8) {
          constexpr int width = WIDTH / 8;
          const bool replace = last && exists && n0 + width == 2;
          float part[MT][width][4];
          for (int i = 0; i < MT; ++i) {
            for (int n = 0; n < width; ++n) {
              const int at = (n0 + n) * 2;
              multiply(part[i][n], lo[i], b[now][0][at], b[now][0][at + 1], zeros);
            }
            if (replace) load_a(lo[i], read + a_bytes, next_step, i);
          }
          for (int i = 0; i < MT; ++i) {
            for (int n = 0; n < width; ++n) {
              const int at = (n0 + n) * 2;
              multiply(part[i][n], hi[i], b[now][1][at], b[now][1][at + 1], part[i][n]);
            }
          }
          for (int i = 0; i < MT; ++i) {
            for (int n = 0; n < width; ++n) {
              const int at = (n0 + n) * 2;
              multiply(part[i][n], hi[i], b[now][0][at], b[now][0][at + 1], part[i][n]);
            }
            if (replace) load_a(hi[i], read, next_step, i);
          }
          for (int i = 0; i < MT; ++i) {
            for (int n = 0; n < width; ++n) {
              for (int m = 0; m < 4; ++m) sum[i][j * 2 + n0 + n][m] += part[i][n][m];
            }
          }
        }
      }
    }
  }

#pragma unroll
  for (int j = 0; j < NT * 2; ++j) {
    const int column = column0 + n0 + j * 8 + lane % 4 * 2;
    float2 of_column[2] = {};
    for (int n = 0; n < 2; ++n)
      if (whole || column + n < N) of_column[n] = undo_columns[column + n];
#pragma unroll
    for (int i = 0; i < MT * 2; ++i) {  // 8 rows each
      const int row = row0 + m0 + i * 8 + lane / 4;
      if (!whole && row >= M) continue;
      const float2 of_row = undo_rows[row];
      float values[2];
      for (int n = 0; n < 2; ++n) {
        values[n] = sum[i / 2][j][i % 2 * 2 + n] * (of_row.x * of_column[n].x) *
                    (of_row.y * of_column[n].y);
      }
      float* to = C + size_t(row) * N + column;
      if constexpr (whole) {
        *reinterpret_cast<float2*>(to) = {values[0], values[1]};
      } else {
        for (int n = 0; n < 2; ++n)
          if (column + n < N) to[n] = values[n];
      }
    }
  }
}
// end excerpt
