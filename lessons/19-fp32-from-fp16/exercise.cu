// An FP32 product on FP16 tensor cores. A float is split into two halves, hi +
// lo, of 11 bits each, and three of the four products of halves are computed.
// Three launches come before the main kernel: they scale the rows of A and the
// columns of B by powers of two, because the range of a half is small, and
// split them. The main kernel is lesson 18's with three products instead of
// one. A tensor core cuts sums off, so it should not add many.

#include <cuda_fp16.h>

// D += A × B, as in lesson 18, but A and B are FP16.
__device__ void multiply(float (&d)[4], const unsigned (&a)[4], unsigned b0,
                         unsigned b1) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// From here to THREADS all is as in lesson 18.
__device__ void load_matrices(unsigned (&to)[4], unsigned row) {
  asm volatile(
      "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
      : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
      : "r"(row));
}

__device__ void load_transposed(unsigned (&to)[4], unsigned k_row) {
  asm volatile(
      "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
      : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
      : "r"(k_row));
}

__device__ void copy8(unsigned to, const void* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from)
               : "memory");
}

__device__ void end_group() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}

template <int groups>
__device__ void wait_for_all_but() {
  asm volatile("cp.async.wait_group %0;" ::"n"(groups) : "memory");
}

template <int CHUNKS>
__device__ int swizzled(int row, int chunk) {
  constexpr int rows_of_banks = CHUNKS < 8 ? 8 / CHUNKS : 1,
                orders = CHUNKS < 8 ? CHUNKS : 8;
  return (row * CHUNKS + (chunk ^ row / rows_of_banks % orders)) * 16;
}

__device__ int2 place_of_block() {
  constexpr int group = 8;
  const int number = blockIdx.y * gridDim.x + blockIdx.x,
            blocks = group * gridDim.y;
  const int first = number / blocks * group,
            width = min(group, int(gridDim.x) - first);
  return make_int2(first + number % blocks % width, number % blocks / width);
}

template <int BM, int BN, int WM, int WN>
constexpr int THREADS = (BM / WM) * (BN / WN) * 32;

// Four neighbours in a row of `length` floats. Beyond its end there are zeros.
__device__ float4 four_at(const float* row, int at, int length) {
  if (length % 4 == 0 && at < length)
    return *reinterpret_cast<const float4*>(row + at);
  return {at < length ? row[at] : 0.0f, at + 1 < length ? row[at + 1] : 0.0f,
          at + 2 < length ? row[at + 2] : 0.0f,
          at + 3 < length ? row[at + 3] : 0.0f};
}

// The larger absolute values; `a` has no negative ones.
__device__ float4 larger(float4 a, float4 b) {
  return {fmaxf(a.x, fabsf(b.x)), fmaxf(a.y, fabsf(b.y)),
          fmaxf(a.z, fabsf(b.z)), fmaxf(a.w, fabsf(b.w))};
}

struct alignas(8) FourHalves {
  half values[4];
};

// Of the launches that split: threads of a block, the columns and rows of B
// that a block splits, and the parts in which the largest value of a column is
// searched.
constexpr int SPLIT_THREADS = 256, SPLIT_COLUMNS = 128, SPLIT_ROWS = 64,
              PARTS = 16;

// What the launches hand on in the workspace: A and B as halves, and how to
// undo their scaling. A row of halves has the hi of 32 numbers, then their lo,
// then the next 32 hi: 64 bytes of each, which are two whole sectors. Rows are
// filled up with zeros, and B has more rows of them, so that there are whole
// tiles.
struct Workspace {
  int depth, width;  // K and N, filled up
  half *a, *b;
  float* maxima;  // of the PARTS of each column of B
  float2 *undo_columns, *undo_rows;

  __device__ Workspace(float* memory, int M, int N, int K)
      : depth((K + 63) / 64 * 64), width((N + 255) / 256 * 256) {
    a = reinterpret_cast<half*>(memory);
    b = a + size_t(M) * depth * 2;
    maxima = reinterpret_cast<float*>(b + size_t(depth) * width * 2);
    undo_columns = reinterpret_cast<float2*>(maxima + PARTS * width);
    undo_rows = undo_columns + width;
  }
};

__device__ float power_of_two(int exponent) {
  return __uint_as_float((exponent + 127) << 23);
}

// The exponent of the power of two that brings `largest` to 2^14 or more, but
// below 2^15. For very small values it is 126, because a float has no much
// larger power of two.
__device__ int scale_of(float largest) {
  const int biased_exponent = __float_as_uint(largest) >> 23;
  return min(126, 14 + 127 - biased_exponent);
}

// What undoes the scaling: two factors, because their product with those of a
// column may be too large or too small for a float although the result is not.
__device__ float2 undone(int scale) {
  // GAP 1: two factors that undo a multiplication by 2^scale together.
  return {1.0f, 1.0f};
}

// Where the hi of a row's number `at` is in the row. Its lo is 32
// halves further.
__device__ int place_in_row(int at) { return at / 32 * 64 + at % 32; }

// Splits four floats. The first of them is number `at` of its row.
__device__ void split(float4 from, half* row, int at) {
  FourHalves upper, lower;
  const float values[4] = {from.x, from.y, from.z, from.w};
  for (int n = 0; n < 4; ++n) {
    // GAP 2: the two halves of values[n], each rounded to nearest. Two lines.
    upper.values[n] = lower.values[n] = __float2half_rn(0.0f);
  }
  half* hi = row + place_in_row(at);
  *reinterpret_cast<FourHalves*>(hi) = upper;
  *reinterpret_cast<FourHalves*>(hi + 32) = lower;
}

// A block scales and splits a row of A.
template <int BM, int BN, int BK, int WM, int WN, int STAGES>
__global__ void __launch_bounds__(SPLIT_THREADS)
    split_a(const float* A, const float* B, float* C, int M, int N, int K,
            float* workspace) {
  __shared__ float of_warps[SPLIT_THREADS / 32];
  const Workspace to(workspace, M, N, K);
  const int thread = threadIdx.x, row = blockIdx.x;
  const float* from = A + size_t(row) * K;
  float4 four = {};
#pragma unroll 4
  for (int k = thread * 4; k < K; k += SPLIT_THREADS * 4)
    four = larger(four, four_at(from, k, K));
  float largest = fmaxf(fmaxf(four.x, four.y), fmaxf(four.z, four.w));
  for (int distance = 16; distance > 0; distance /= 2)
    largest = fmaxf(largest, __shfl_xor_sync(0xffffffff, largest, distance));
  if (thread % 32 == 0) of_warps[thread / 32] = largest;
  __syncthreads();
  for (float of_warp : of_warps) largest = fmaxf(largest, of_warp);

  const int scale = scale_of(largest);
  if (thread == 0) to.undo_rows[row] = undone(scale);
  const float factor = power_of_two(scale);
  // Reads the row once more.
#pragma unroll 4
  for (int k = thread * 4; k < to.depth; k += SPLIT_THREADS * 4) {
    const float4 v = four_at(from, k, K);
    split({v.x * factor, v.y * factor, v.z * factor, v.w * factor},
          to.a + size_t(row) * to.depth * 2, k);
  }
}

template <int BM, int BN, int BK, int WM, int WN, int STAGES>
__global__ void __launch_bounds__(THREADS<BM, BN, WM, WN>,
                                  256 / THREADS<BM, BN, WM, WN>)
    fp32_from_fp16(const float* A, const float* B, float* C, int M, int N,
                   int K, float* workspace) {
  const Workspace halves(workspace, M, N, K);
  // A stage: the tile of A's hi, that of A's lo, and then the two of B.
  constexpr int a_bytes = BM * BK * 2, b_bytes = BK * BN * 2;
  constexpr int stage_bytes = 2 * (a_bytes + b_bytes);
  extern __shared__ __align__(128) unsigned char memory[];
  const unsigned stages =
      static_cast<unsigned>(__cvta_generic_to_shared(memory));

  constexpr int threads = THREADS<BM, BN, WM, WN>, a_chunks = BK / 8;
  // Of 16 values of k, 16 rows, 16 columns.
  constexpr int STEPS = BK / 16, MT = WM / 16, NT = WN / 16;
  const int thread = threadIdx.x, warp = thread / 32, lane = thread % 32;
  // The warp's tile.
  const int m0 = warp / (BN / WN) * WM, n0 = warp % (BN / WN) * WN;
  const int2 place = place_of_block();
  const int row0 = place.y * BM, column0 = place.x * BN;

  // What this thread copies: chunks of eight hi and of their eight lo, which
  // are four chunks further.
  constexpr int a_rows = threads / a_chunks, b_rows = threads / 8;
  constexpr int a_copies = BM / a_rows, b_copies = BK / b_rows * (BN / 64);
  static_assert(BM % a_rows == 0 && BK % b_rows == 0 && BN % 64 == 0 &&
                a_rows % 8 == 0);
  const int a_row = thread / a_chunks, a_k = thread % a_chunks * 8;
  const int b_row = thread / 8, b_column = thread % 8 * 8;
  const unsigned a_to = stages + swizzled<a_chunks>(a_row, a_k / 8);
  const unsigned b_to = stages + 2 * a_bytes + swizzled<8>(b_row, b_column / 8);
  // They are counted from the workspace's beginning, because a number needs one
  // register, and a pointer two.
  const uint4* chunks = reinterpret_cast<const uint4*>(workspace);
  // with hi and lo
  const unsigned a_row_chunks = halves.depth / 4,
                 b_row_chunks = halves.width / 4;
  unsigned a_from = (row0 + a_row) * a_row_chunks + place_in_row(a_k) / 8;
  unsigned b_from = M * a_row_chunks + b_row * b_row_chunks +
                    place_in_row(column0 + b_column) / 8;

  const auto copy = [&](unsigned stage, int part) {
#pragma unroll
    for (int i = a_copies * part / STEPS; i < a_copies * (part + 1) / STEPS;
         ++i) {
      const unsigned to = a_to + stage + i * a_rows * BK * 2;
      // Below A, its last row is copied again.
      const int beyond = max(0, row0 + a_row + i * a_rows - (M - 1));
      const unsigned from = a_from + (i * a_rows - beyond) * a_row_chunks;
      copy8(to, chunks + from);
      copy8(to + a_bytes, chunks + from + 4);
    }
#pragma unroll
    for (int i = b_copies * part / STEPS; i < b_copies * (part + 1) / STEPS;
         ++i) {
      const int row = i / (BN / 64) * b_rows, column = i % (BN / 64) * 64;
      const unsigned to = b_to + stage + column * BK * 2 + row * 128;
      const unsigned from = b_from + row * b_row_chunks + column / 4;
      copy8(to, chunks + from);
      copy8(to + b_bytes, chunks + from + 4);
    }
    if (part == STEPS - 1) {
      a_from += BK / 4;
      b_from += BK * b_row_chunks;
    }
  };

  // Where this lane's rows for ldmatrix are in a stage, for the first step
  // along k and the warp's first 16 columns. The others are two chunks further:
  // another exclusive or, with 32 bytes.
  static_assert(WN == 32 || WN == 64);
  const unsigned a_at = stages + swizzled<a_chunks>(m0 + lane % 16, lane / 16);
  const unsigned b_at = stages + 2 * a_bytes + n0 / 64 * BK * 128 +
                        swizzled<8>(lane % 16, n0 % 64 / 8 + lane / 16);
  const auto load_a = [&](unsigned(&a)[4], unsigned stage, int step, int i) {
    load_matrices(a, (a_at ^ step * 32) + stage + i * 16 * BK * 2);
  };
  // Of hi and of lo.
  const auto load_b = [&](unsigned(&b)[2][4], unsigned stage, int step, int j) {
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
  // Which stages, in bytes.
  unsigned read = 0, write = (STAGES - 1) * stage_bytes;
  wait_for_all_but<STAGES - 2>();
  __syncthreads();  // the first stage is full

  // There is no room for two sets of all fragments. One of A is replaced after
  // its last use. Of B there are two sets of 16 columns.
  float sum[MT][NT * 2][4] = {};
  unsigned hi[MT][4], lo[MT][4], b[2][2][4];
  for (int i = 0; i < MT; ++i) {
    load_a(hi[i], 0, 0, i);
    load_a(lo[i], a_bytes, 0, i);
  }
  load_b(b[0], 0, 0, 0);

  // Adds 16 rows of A times 16 columns of B, which are two products of the
  // tensor core.
  const auto add_product = [](float(&to)[2][4], const unsigned(&a)[4],
                              const unsigned(&b)[4]) {
    for (int n = 0; n < 2; ++n) multiply(to[n], a, b[n * 2], b[n * 2 + 1]);
  };

  for (int tile = 0; tile < tiles; ++tile) {
    const bool more = tile + 1 < tiles;
#pragma unroll
    for (int step = 0; step < STEPS; ++step) {
      if (tile + STAGES - 1 < tiles) copy(write, step);
      if (step == STEPS - 1) end_group();
#pragma unroll
      for (int j = 0; j < NT; ++j) {
        const int now = (step * NT + j) % 2, next = 1 - now,
                  next_step = (step + 1) % STEPS;
        // The last: what is read ahead is of the next step.
        const bool last = j == NT - 1;
        if (last && step == STEPS - 1) {
          wait_for_all_but<STAGES - 2>();
          // The next stage is full, and all warps have read the present one.
          __syncthreads();
          read = read == (STAGES - 1) * stage_bytes ? 0 : read + stage_bytes;
          write = write == (STAGES - 1) * stage_bytes ? 0 : write + stage_bytes;
        }
        const bool exists = !last || step < STEPS - 1 || more;
        if (exists)
          load_b(b[next], read, last ? next_step : step, last ? 0 : j + 1);

        const unsigned(&b_hi)[4] = b[now][0], (&b_lo)[4] = b[now][1];
        // GAP 3: the three products of these 16 values of k, the small ones
        // first, and how they get to sum[i], from j·2 on. A tensor core should
        // add little. Use a fragment before it is replaced.
        for (int i = 0; i < MT; ++i) {
          if (last && exists) load_a(lo[i], read + a_bytes, next_step, i);
        }
        for (int i = 0; i < MT; ++i) {
          if (last && exists) load_a(hi[i], read, next_step, i);
        }
      }
    }
  }

#pragma unroll
  for (int j = 0; j < NT * 2; ++j) {
    const int column = column0 + n0 + j * 8 + lane % 4 * 2;
    const float2 of_column[2] = {halves.undo_columns[column],
                                 halves.undo_columns[column + 1]};
#pragma unroll
    for (int i = 0; i < MT * 2; ++i) {  // 8 rows each
      const int row = row0 + m0 + i * 8 + lane / 4;
      if (row >= M) continue;
      const float2 of_row = halves.undo_rows[row];
      float values[2];
      for (int n = 0; n < 2; ++n) {
        values[n] = sum[i / 2][j][i % 2 * 2 + n] * (of_row.x * of_column[n].x) *
                    (of_row.y * of_column[n].y);
      }
      float* to = C + size_t(row) * N + column;
      for (int n = 0; n < 2; ++n)
        if (column + n < N) to[n] = values[n];
    }
  }
}

// The columns of B take two launches. In the first one a block finds the
// largest of SPLIT_COLUMNS columns in one of the PARTS of B's rows. Each warp
// takes every eighth row.
template <int BM, int BN, int BK, int WM, int WN, int STAGES>
__global__ void __launch_bounds__(SPLIT_THREADS)
    find_maxima_of_b(const float* A, const float* B, float* C, int M, int N,
                     int K, float* workspace) {
  __shared__ float4 of_warps[SPLIT_THREADS / 32][32];
  const Workspace to(workspace, M, N, K);
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, part = blockIdx.y;
  const int column = blockIdx.x * SPLIT_COLUMNS + lane * 4;
  const int rows = (K + PARTS - 1) / PARTS, end = min(K, (part + 1) * rows);
  float4 mine = {};
#pragma unroll 8
  for (int k = part * rows + warp; k < end; k += SPLIT_THREADS / 32)
    mine = larger(mine, four_at(B + size_t(k) * N, column, N));
  of_warps[warp][lane] = mine;
  __syncthreads();
  if (warp > 0) return;
  for (int other = 1; other < SPLIT_THREADS / 32; ++other)
    mine = larger(mine, of_warps[other][lane]);
  *reinterpret_cast<float4*>(to.maxima + size_t(part) * to.width + column) =
      mine;
}

// In the second one a block scales and splits SPLIT_ROWS rows of SPLIT_COLUMNS
// columns of B.
template <int BM, int BN, int BK, int WM, int WN, int STAGES>
__global__ void __launch_bounds__(SPLIT_THREADS)
    split_b(const float* A, const float* B, float* C, int M, int N, int K,
            float* workspace) {
  const Workspace to(workspace, M, N, K);
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int column = blockIdx.x * SPLIT_COLUMNS + lane * 4;
  float4 largest = {};
  for (int part = 0; part < PARTS; ++part)
    largest = larger(largest, four_at(to.maxima + size_t(part) * to.width,
                                      column, to.width));
  const int scales[4] = {scale_of(largest.x), scale_of(largest.y),
                         scale_of(largest.z), scale_of(largest.w)};
  if (blockIdx.y == 0 && warp == 0)
    for (int n = 0; n < 4; ++n) to.undo_columns[column + n] = undone(scales[n]);
#pragma unroll
  for (int i = 0; i < SPLIT_ROWS / (SPLIT_THREADS / 32); ++i) {
    const int k = blockIdx.y * SPLIT_ROWS + i * (SPLIT_THREADS / 32) + warp;
    const float4 v = k < K ? four_at(B + size_t(k) * N, column, N) : float4{};
    split({v.x * power_of_two(scales[0]), v.y * power_of_two(scales[1]),
           v.z * power_of_two(scales[2]), v.w * power_of_two(scales[3])},
          to.b + size_t(k) * to.width * 2, column);
  }
}
