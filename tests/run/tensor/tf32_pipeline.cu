// Lesson 18 for floats. The tensor core takes them as TF32: with FP32's exponent, but only 10
// bits of its fraction. It multiplies matrices that are half as deep: 16 × 8 by 8 × 8.

// The order of the blocks, as in lesson 18.
#ifndef GROUP
#define GROUP 8
#endif
// 1: values are rounded to TF32. 0: the tensor core cuts off what TF32 does not have. That errs
// twice as much and always towards zero.
#ifndef ROUND
#define ROUND 1
#endif

// excerpt: tf32_pipeline
__device__ void multiply(float (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

__device__ void round_to_tf32(unsigned (&values)[4]) {
  if (!ROUND) return;
  for (unsigned& value : values)
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(value) : "f"(__uint_as_float(value)));
}

// ldmatrix, which takes a float for two neighbours of 16 bits: eight rows of four floats each.
__device__ void load_matrices(unsigned (&to)[4], unsigned address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(address));
}

__device__ void load2(unsigned& first, unsigned& second, unsigned address) {
  asm volatile("ld.shared.v2.b32 {%0, %1}, [%2];" : "=r"(first), "=r"(second) : "r"(address));
}

// Starts an asynchronous copy of four floats, whose address is a multiple of 16 bytes.
__device__ void copy4(unsigned to, const float* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}

// The same at an edge: only `count` floats exist, which may be more than 4 or less than 0. The
// others become 0. If rows are not aligned to 16 bytes, the floats are copied one by one. `matrix`
// is any address that may be read.
__device__ void copy4(unsigned to, const float* from, int count, bool aligned,
                      const float* matrix) {
  if (aligned) {
    const int bytes = max(0, min(count, 4)) * 4;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to),
                 "l"(bytes > 0 ? from : matrix), "r"(bytes)
                 : "memory");
  } else {
    for (int n = 0; n < 4; ++n)
      asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to + n * 4),
                   "l"(n < count ? from + n : matrix), "r"(n < count ? 4 : 0)
                   : "memory");
  }
}

// Closes a commit group: the copies that this thread has started since its last call.
__device__ void end_group() { asm volatile("cp.async.commit_group;" ::: "memory"); }

// Waits until at most the newest `groups` commit groups of this thread are still in flight.
template <int groups>
__device__ void wait_for_all_but() {
  asm volatile("cp.async.wait_group %0;" ::"n"(groups) : "memory");
}

// Where a 16-byte chunk of a row of A's tile is, in bytes: as in lesson 18.
template <int CHUNKS>
__device__ int swizzled(int row, int chunk) {
  constexpr int rows_of_banks = CHUNKS < 8 ? 8 / CHUNKS : 1, orders = CHUNKS < 8 ? CHUNKS : 8;
  return (row * CHUNKS + (chunk ^ row / rows_of_banks % orders)) * 16;
}

// The same for 32 columns of B's tile, which have 128 bytes in each row. Half a warp reads two
// chunks of each of four rows at the same time.
__device__ int swizzled_for_b(int row, int chunk) { return row * 128 + (chunk ^ row % 4 * 2) * 16; }

// The block's place in the grid of blocks: as in lesson 18.
__device__ int2 place_of_block() {
  if (GROUP == 0) return make_int2(blockIdx.x, blockIdx.y);
  constexpr int group = GROUP > 0 ? GROUP : 1;
  const int number = blockIdx.y * gridDim.x + blockIdx.x, blocks = group * gridDim.y;
  const int first = number / blocks * group, width = min(group, int(gridDim.x) - first);
  return make_int2(first + number % blocks % width, number % blocks / width);
}

template <int BM, int BN, int WM, int WN>
constexpr int THREADS = (BM / WM) * (BN / WN) * 32;

template <int BM, int BN, int BK, int WM, int WN, int STAGES, bool whole = false>
__global__ void __launch_bounds__(THREADS<BM, BN, WM, WN>, 256 / THREADS<BM, BN, WM, WN>)
    tf32_pipeline(const float* A, const float* B, float* C, int M, int N, int K) {
  // A stage has a tile of A, BM rows of BK, and one of B, as tiles of 32 columns each.
  constexpr int a_bytes = BM * BK * 4, b_bytes = BK * BN * 4, stage_bytes = a_bytes + b_bytes;
  extern __shared__ __align__(128) unsigned char memory[];
  const unsigned stages = static_cast<unsigned>(__cvta_generic_to_shared(memory));

  constexpr int threads = THREADS<BM, BN, WM, WN>, a_chunks = BK / 4;
  constexpr int STEPS = BK / 8, MT = WM / 16, NT = WN / 16;  // of 8 k, 16 rows, 16 columns
  const int thread = threadIdx.x, warp = thread / 32, lane = thread % 32;
  const int m0 = warp / (BN / WN) * WM, n0 = warp % (BN / WN) * WN;
  const int2 place = place_of_block();
  const int row0 = place.y * BM, column0 = place.x * BN;

  // What this thread copies: a chunk of 4 floats in some rows of A's tile, and in some rows of each
  // 32 columns of B's tile.
  constexpr int a_rows = threads / a_chunks, b_rows = threads / 8 < BK ? threads / 8 : BK;
  constexpr int b_tiles = threads / 8 / b_rows;  // of 32 columns, that all threads copy at once
  constexpr int a_copies = BM / a_rows, b_copies = BK / b_rows * (BN / 32 / b_tiles);
  static_assert(BM % a_rows == 0 && BK % b_rows == 0 && BN % (32 * b_tiles) == 0);
  static_assert(a_rows % 8 == 0 && b_rows % 4 == 0);
  constexpr int PARTS = STEPS - 1;  // of the copies of a tile
  static_assert(STEPS % 2 == 0);
  const int a_row = thread / a_chunks, a_k = thread % a_chunks * 4;
  const int b_row = thread / 8 % b_rows, b_tile = thread / 8 / b_rows, b_chunk = thread % 8;
  const int b_column = b_tile * 32 + b_chunk * 4;
  const unsigned a_to = stages + swizzled<a_chunks>(a_row, a_k / 4);
  const unsigned b_to = stages + a_bytes + b_tile * BK * 128 + swizzled_for_b(b_row, b_chunk);
  const float* a_from = A + size_t(row0 + a_row) * K + a_k;
  const float* b_from = B + size_t(b_row) * N + column0 + b_column;
  const bool a_aligned = K % 4 == 0, b_aligned = N % 4 == 0;
  int k_left = K;  // from the next tiles to copy up to the end

  // Starts part `part` of PARTS of the copies of the next tiles, as in lesson 18.
  const auto copy = [&](unsigned stage, int part) {
#pragma unroll
    for (int i = a_copies * part / PARTS; i < a_copies * (part + 1) / PARTS; ++i) {
      const unsigned to = a_to + stage + i * a_rows * BK * 4;
      const float* from = a_from + i * a_rows * K;
      if constexpr (whole) {
        copy4(to, from);
      } else {
        const bool exists = row0 + a_row + i * a_rows < M;
        copy4(to, from, exists ? k_left - a_k : 0, a_aligned, A);
      }
    }
#pragma unroll
    for (int i = b_copies * part / PARTS; i < b_copies * (part + 1) / PARTS; ++i) {
      constexpr int across = BN / 32 / b_tiles;
      const int row = i / across * b_rows, column = i % across * 32 * b_tiles;
      const unsigned to = b_to + stage + column * BK * 4 + row * 128;
      const float* from = b_from + row * N + column;
      if constexpr (whole) {
        copy4(to, from);
      } else {
        const bool exists = b_row + row < k_left;
        copy4(to, from, exists ? N - column0 - b_column - column : 0, b_aligned, B);
      }
    }
    if (part == PARTS - 1) {
      a_from += BK;
      b_from += BK * N;
      k_left -= BK;
    }
  };

  // ldmatrix reads A's tile well: a lane gets a float of row lane / 4. But it cannot transpose
  // floats, and so it does not help with B's tile, where a lane must read its column's floats in
  // several rows. That is why the product is computed transposed, as B's 16 columns × A's 8 rows:
  // then a lane has two of the 16 columns, 8 apart, with the same k. Which columns of B are meant
  // by these is for us to say. We take neighbours, and a lane reads both at once.
  //
  // Where this lane reads in a stage: A's tile for each step along k, where an x4 of ldmatrix is
  // 8 rows with 8 k, then 8 more rows; B's tile at row lane % 4 and columns lane / 4 * 2.
  unsigned a_at[STEPS];
  for (int step = 0; step < STEPS; ++step) {
    a_at[step] =
        stages + swizzled<a_chunks>(m0 + lane / 16 * 8 + lane % 8, step * 2 + lane / 8 % 2);
  }
  const unsigned b_at =
      stages + a_bytes + n0 * BK * 4 + swizzled_for_b(lane % 4, lane / 8) + lane / 4 % 2 * 8;
  unsigned a[2][MT][4], b[2][NT][4];  // one set is multiplied, the other one is being read
  float sum[MT][2][NT][4] = {};

  // As in lesson 18, but two slices of products are for 16 columns, and not for 16 rows.
  constexpr int SLICES = NT * 2;
  const auto load_fragments = [&](int set, unsigned stage, int step, int slice) {
    const int j = slice / 2;
    if (slice % 2 == 0) {
      // 16 columns further are four chunks further: an exclusive or, as in the swizzle.
      const unsigned at = (b_at ^ j % 2 * 64) + stage + j / 2 * BK * 128 + step * 8 * 128;
      load2(b[set][j][0], b[set][j][1], at);
      load2(b[set][j][2], b[set][j][3], at + 4 * 128);
    } else {
      for (int i = MT * j / NT; i < MT * (j + 1) / NT; ++i)
        load_matrices(a[set][i], a_at[step] + stage + i * 16 * BK * 4);
    }
  };
  const auto multiply_fragments = [&](int set, int slice) {
    const int j = slice / 2;
    for (int n = 0; n < MT; ++n) {
      const int number = slice % 2 * MT + n, in_order = j % 2 == 0 ? number : MT * 2 - 1 - number;
      const int i = in_order / 2, half = in_order % 2;  // the upper or the lower 8 of 16 rows
      multiply(sum[i][half][j], b[set][j], a[set][i][half * 2], a[set][i][half * 2 + 1]);
    }
  };

  const int tiles = (K + BK - 1) / BK;
#pragma unroll
  for (int stage = 0; stage < STAGES - 1; ++stage) {
    if (stage < tiles) {
#pragma unroll
      for (int part = 0; part < PARTS; ++part) copy(stage * stage_bytes, part);
    }
    end_group();
  }
  unsigned read = 0, write = (STAGES - 1) * stage_bytes;  // which stages, in bytes
  wait_for_all_but<STAGES - 2>();
  __syncthreads();

#pragma unroll
  for (int slice = 0; slice < SLICES; ++slice) load_fragments(0, 0, 0, slice);

  for (int tile = 0; tile < tiles; ++tile) {
    const bool more = tile + 1 < tiles;
#pragma unroll
    for (int step = 0; step < STEPS; ++step) {
      constexpr int last_step = STEPS - 1;
      if (step == last_step) {
        end_group();
        wait_for_all_but<STAGES - 2>();
        __syncthreads();  // the next stage is full, and all warps have read the present one
        read = read == (STAGES - 1) * stage_bytes ? 0 : read + stage_bytes;
        write = write == (STAGES - 1) * stage_bytes ? 0 : write + stage_bytes;
      }
      for (int i = 0; i < MT; ++i) round_to_tf32(a[step % 2][i]);
      for (int j = 0; j < NT; ++j) round_to_tf32(b[step % 2][j]);
#pragma unroll
      for (int slice = 0; slice < SLICES; ++slice) {
        if (slice == 1 && step < last_step && tile + STAGES - 1 < tiles) copy(write, step);
        if (step < last_step || more)
          load_fragments((step + 1) % 2, read, (step + 1) % STEPS, slice);
        multiply_fragments(step % 2, slice);
      }
    }
  }

  // A lane has two rows of each 8, and two neighbours of each 16 columns.
#pragma unroll
  for (int i = 0; i < MT * 2; ++i) {
#pragma unroll
    for (int part = 0; part < 2; ++part) {
      const int row = row0 + m0 + i * 8 + lane % 4 * 2 + part;
#pragma unroll
      for (int j = 0; j < NT; ++j) {
        const int column = column0 + n0 + j * 16 + lane / 4 * 2;
        const float* d = sum[i / 2][i % 2][j];
        const float2 two = {d[part], d[2 + part]};
        float* to = C + size_t(row) * N + column;
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
