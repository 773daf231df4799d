// All that makes a kernel for mma.sync fast, in one: asynchronous copies of 16 bytes fill a ring of
// STAGES stages (lesson 12) in swizzled places (lesson 17), a warp has a large tile, and it reads
// the fragments of the next step while the tensor core multiplies those of the present one.
// Neighbouring blocks compute tiles of C that need the same rows of A or columns of B. (`whole` as
// in lesson 7.)

#include <cuda_bf16.h>

// D += A × B, as in lesson 16.
__device__ void multiply(float (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// Four matrices of 8×8 elements, as in lesson 17. `row` is the address where this lane's row
// begins.
__device__ void load_matrices(unsigned (&to)[4], unsigned row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(row));
}

__device__ void load_transposed(unsigned (&to)[4], unsigned k_row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(k_row));
}

// Starts an asynchronous copy of eight elements, whose address is a multiple of 16 bytes.
__device__ void copy8(unsigned to, const __nv_bfloat16* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}

// The same at an edge: only `count` elements exist, which may be more than 8 or less than 0. The
// others become 0. If rows are not aligned to 16 bytes, it is a plain copy. `matrix` is any address
// that may be read.
__device__ void copy8(unsigned to, const __nv_bfloat16* from, int count, bool aligned,
                      const __nv_bfloat16* matrix) {
  if (aligned) {
    const int bytes = max(0, min(count, 8)) * 2;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to),
                 "l"(bytes > 0 ? from : matrix), "r"(bytes)
                 : "memory");
  } else {
    const auto* bits = reinterpret_cast<const unsigned short*>(from);
    unsigned pairs[4];
    for (int n = 0; n < 4; ++n) {
      pairs[n] = 2 * n < count ? bits[2 * n] : 0;
      pairs[n] |= (2 * n + 1 < count ? unsigned(bits[2 * n + 1]) : 0) << 16;
    }
    asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(pairs[0]), "r"(pairs[1]),
                 "r"(pairs[2]), "r"(pairs[3])
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

// excerpt: tensor_pipeline
// Where the 16-byte chunk `chunk` of row `row` is in a tile whose rows have CHUNKS chunks: its
// offset in bytes. Swizzled as in lesson 17.
template <int CHUNKS>
__device__ int swizzled(int row, int chunk) {
  constexpr int rows_of_banks = CHUNKS < 8 ? 8 / CHUNKS : 1, orders = CHUNKS < 8 ? CHUNKS : 8;
  return (row * CHUNKS + (chunk ^ row / rows_of_banks % orders)) * 16;
}

// The block's column and row among all tiles of C. Eight columns of tiles are a group, and all rows
// of a group come before the next group. Blocks that run at the same time then need fewer different
// rows of A and columns of B, which the L2 cache has to hold.
__device__ int2 place_of_block() {
  constexpr int group = 8;
  const int number = blockIdx.y * gridDim.x + blockIdx.x, blocks = group * gridDim.y;
  const int first = number / blocks * group, width = min(group, int(gridDim.x) - first);
  return make_int2(first + number % blocks % width, number % blocks / width);
}

template <int BM, int BN, int WM, int WN>
constexpr int THREADS = (BM / WM) * (BN / WN) * 32;

// An SM has registers for 256 threads with 255 each.
template <int BM, int BN, int BK, int WM, int WN, int STAGES, bool whole = false>
__global__ void __launch_bounds__(THREADS<BM, BN, WM, WN>, 256 / THREADS<BM, BN, WM, WN>)
    tensor_pipeline(const __nv_bfloat16* A, const __nv_bfloat16* B, float* C, int M, int N, int K) {
  // A stage has a tile of A, BM rows of BK, and one of B. The latter is stored as tiles of 64
  // columns each, so that its rows have 128 bytes.
  constexpr int a_bytes = BM * BK * 2, b_bytes = BK * BN * 2, stage_bytes = a_bytes + b_bytes;
  extern __shared__ __align__(128) unsigned char memory[];
  const unsigned stages = static_cast<unsigned>(__cvta_generic_to_shared(memory));

  constexpr int threads = THREADS<BM, BN, WM, WN>, a_chunks = BK / 8;
  constexpr int STEPS = BK / 16, MT = WM / 16, NT = WN / 16;  // of 16 along k, 16 rows, 16 columns
  const int thread = threadIdx.x, warp = thread / 32, lane = thread % 32;
  const int m0 = warp / (BN / WN) * WM, n0 = warp % (BN / WN) * WN;  // the warp's tile
  const int2 place = place_of_block();
  const int row0 = place.y * BM, column0 = place.x * BN;

  // What this thread copies: a chunk of 8 elements in some rows of A's tile, and in some rows of
  // each 64 columns of B's tile.
  constexpr int a_rows = threads / a_chunks, b_rows = threads / 8;
  constexpr int a_copies = BM / a_rows, b_copies = BK / b_rows * (BN / 64);
  static_assert(BM % a_rows == 0 && BK % b_rows == 0 && BN % 64 == 0 && a_rows % 8 == 0);
  constexpr int PARTS = STEPS - 1;  // of the copies of a tile: none start in its last step
  static_assert(STEPS % 2 == 0);    // so that step 0 has the same set of fragments in each tile
  const int a_row = thread / a_chunks, a_k = thread % a_chunks * 8;
  const int b_row = thread / 8, b_column = thread % 8 * 8;
  const unsigned a_to = stages + swizzled<a_chunks>(a_row, a_k / 8);
  const unsigned b_to = stages + a_bytes + swizzled<8>(b_row, b_column / 8);
  const __nv_bfloat16* a_from = A + size_t(row0 + a_row) * K + a_k;
  const __nv_bfloat16* b_from = B + size_t(b_row) * N + column0 + b_column;
  const bool a_aligned = K % 8 == 0, b_aligned = N % 8 == 0;
  int k_left = K;  // from the next tiles to copy up to the end

  // Starts part `part` of PARTS of the copies of the next tiles, so that they do not come all at
  // once.
  const auto copy = [&](unsigned stage, int part) {
#pragma unroll
    for (int i = a_copies * part / PARTS; i < a_copies * (part + 1) / PARTS; ++i) {
      const unsigned to = a_to + stage + i * a_rows * BK * 2;
      const __nv_bfloat16* from = a_from + i * a_rows * K;
      if constexpr (whole) {
        copy8(to, from);
      } else {
        const bool exists = row0 + a_row + i * a_rows < M;
        copy8(to, from, exists ? k_left - a_k : 0, a_aligned, A);
      }
    }
#pragma unroll
    for (int i = b_copies * part / PARTS; i < b_copies * (part + 1) / PARTS; ++i) {
      const int row = i / (BN / 64) * b_rows, column = i % (BN / 64) * 64;
      const unsigned to = b_to + stage + column * BK * 2 + row * 128;
      const __nv_bfloat16* from = b_from + row * N + column;
      if constexpr (whole) {
        copy8(to, from);
      } else {
        const bool exists = b_row + row < k_left;
        copy8(to, from, exists ? N - column0 - b_column - column : 0, b_aligned, B);
      }
    }
    if (part == PARTS - 1) {
      a_from += BK;
      b_from += BK * N;
      k_left -= BK;
    }
  };

  // Where this lane's rows for ldmatrix are in a stage: for each step along k the first 16 rows of
  // A's tile, for each 16 columns the first 16 rows of B's tile.
  unsigned a_at[STEPS], b_at[NT];
  for (int step = 0; step < STEPS; ++step)
    a_at[step] = stages + swizzled<a_chunks>(m0 + lane % 16, step * 2 + lane / 16);
  for (int j = 0; j < NT; ++j) {
    const int column = n0 + j * 16;
    b_at[j] = stages + a_bytes + column / 64 * BK * 128 +
              swizzled<8>(lane % 16, column % 64 / 8 + lane / 16);
  }
  unsigned a[2][MT][4], b[2][NT][4];  // one set is multiplied, the other one is being read
  float sum[MT][NT * 2][4] = {};

  // A step's products come in slices, two for each 16 rows of the warp's tile. The reads of the
  // next fragments are spread over them: B's come with even slices, and A's with odd ones.
  constexpr int SLICES = MT * 2;
  const auto load_fragments = [&](int set, unsigned stage, int step, int slice) {
    const int i = slice / 2;
    if (slice % 2 == 0) {
      for (int j = NT * i / MT; j < NT * (i + 1) / MT; ++j)
        load_transposed(b[set][j], b_at[j] + stage + step * 16 * 128);
    } else {
      load_matrices(a[set][i], a_at[step] + stage + i * 16 * BK * 2);
    }
  };
  const auto multiply_fragments = [&](int set, int slice) {
    const int i = slice / 2;
    for (int n = 0; n < NT; ++n) {  // of the NT * 2 products of 16 rows with 8 columns each
      const int number = slice % 2 * NT + n;
      // Every second time from right to left: the next 16 rows begin with the columns that the
      // rows before them end with.
      const int j = i % 2 == 0 ? number : NT * 2 - 1 - number;
      multiply(sum[i][j], a[set][i], b[set][j / 2][j % 2 * 2], b[set][j / 2][j % 2 * 2 + 1]);
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
  const auto next_stage_is_full = [&] {
    wait_for_all_but<STAGES - 2>();
    __syncthreads();  // all copies to it have arrived, and all warps have read the present stage
    read = read == (STAGES - 1) * stage_bytes ? 0 : read + stage_bytes;
    write = write == (STAGES - 1) * stage_bytes ? 0 : write + stage_bytes;
  };
  wait_for_all_but<STAGES - 2>();
  __syncthreads();  // the first stage is full
#pragma unroll
  for (int slice = 0; slice < SLICES; ++slice) load_fragments(0, 0, 0, slice);

  for (int tile = 0; tile < tiles; ++tile) {
    const bool more = tile + 1 < tiles;
#pragma unroll
    for (int step = 0; step < STEPS; ++step) {
      constexpr int last_step = STEPS - 1;
      if (step == last_step) {
        end_group();
        next_stage_is_full();
      }
#pragma unroll
      for (int slice = 0; slice < SLICES; ++slice) {
        if (slice == 1 && step < last_step && tile + STAGES - 1 < tiles) copy(write, step);
        if (step < last_step || more)
          load_fragments((step + 1) % 2, read, (step + 1) % STEPS, slice);
        multiply_fragments(step % 2, slice);
      }
    }
  }

#pragma unroll
  for (int i = 0; i < MT; ++i) {
#pragma unroll
    for (int part = 0; part < 2; ++part) {  // the upper and the lower 8 rows
      const int row = row0 + m0 + i * 16 + part * 8 + lane / 4;
#pragma unroll
      for (int j = 0; j < NT; ++j) {
        // A lane has two neighbours of the left 8 columns and two of the right 8 ones.
        const float* left = sum[i][j * 2] + part * 2;
        const float* right = sum[i][j * 2 + 1] + part * 2;
        float* to = C + size_t(row) * N + column0 + n0 + j * 16;
        if constexpr (whole) {
          // Neighbouring lanes exchange sums, so that each stores 16 bytes: an even lane gets the
          // left ones of the next lane and gives it its right ones.
          const bool odd = lane % 2;
          const float x = __shfl_xor_sync(0xffffffff, odd ? left[0] : right[0], 1);
          const float y = __shfl_xor_sync(0xffffffff, odd ? left[1] : right[1], 1);
          const float4 four =
              odd ? float4{x, y, right[0], right[1]} : float4{left[0], left[1], x, y};
          *reinterpret_cast<float4*>(to + (odd ? 8 : 0) + lane % 4 / 2 * 4) = four;
        } else {
          for (int n = 0; n < 2; ++n) {
            const int column = column0 + n0 + j * 16 + lane % 4 * 2 + n;
            if (row < M && column < N) to[lane % 4 * 2 + n] = left[n];
            if (row < M && column + 8 < N) to[lane % 4 * 2 + n + 8] = right[n];
          }
        }
      }
    }
  }
}
// end excerpt
