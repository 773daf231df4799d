// Lesson 12's kernel with four additions. BLOCKS blocks share all tiles of C.
// The tiles' order lets neighbouring blocks use the same data in the L2 cache.
// ORDER chooses an order of the multiply-adds. The main loop's copies need no
// checks, even if the tiles do not divide C evenly.

__device__ float4& as_float4(float& first) {
  return *reinterpret_cast<float4*>(&first);
}

__device__ unsigned shared_address(float& element) {
  return static_cast<unsigned>(__cvta_generic_to_shared(&element));
}

// Starts an asynchronous copy of FLOATS floats, 1 or 4, to shared memory.
template <int FLOATS>
__device__ void copy(float& to, const float* from) {
  if constexpr (FLOATS == 4) {
    asm volatile(
        "cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)),
        "l"(from));
  } else {
    asm volatile(
        "cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared_address(to)),
        "l"(from));
  }
}

// The same, but the copy writes zeros if the floats do not exist.
template <int FLOATS>
__device__ void copy_if(bool exist, float& to, const float* from) {
  if constexpr (FLOATS == 4) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(
                     shared_address(to)),
                 "l"(from), "r"(exist ? 16 : 0));
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(
                     shared_address(to)),
                 "l"(from), "r"(exist ? 4 : 0));
  }
}

// Closes a commit group: the copies that this thread has started since its last
// call.
__device__ void end_group() { asm volatile("cp.async.commit_group;"); }

// Waits until at most the newest `groups` commit groups of this thread are
// still in flight.
template <int groups>
__device__ void wait_for_all_but() {
  asm volatile("cp.async.wait_group %0;" ::"n"(groups));
}

__device__ int ceil_div(int a, int b) { return (a + b - 1) / b; }

// Tiles are numbered in groups of GROUP rows of tiles, and column by column
// within a group.
struct Tile {
  int row, column;  // of the tile's first element of C
  // the same; with `inside`, moved up and left so that the tile is in C
  int row0, column0;
};
template <int BM, int BN, int GROUP, bool inside>
__device__ Tile tile_with(int number, int M, int N) {
  const int across = ceil_div(N, BN), first = number / (GROUP * across) * GROUP;
  const int rows = min(GROUP, ceil_div(M, BM) - first),
            in_group = number % (GROUP * across);
  const int row = (first + in_group % rows) * BM, column = in_group / rows * BN;
  return {row, column, inside ? min(row, M - BM) : row,
          inside ? min(column, N - BN) : column};
}

// Stores those of four elements that are in C and belong to the tile.
template <bool wide>
__device__ void store4(float* C, int M, int N, const Tile& tile, int row,
                       int column, float4 values) {
  if (row < tile.row || row >= M) return;
  float* to = C + row * N + column;
  if constexpr (wide) {
    if (column >= tile.column) as_float4(*to) = values;
  } else {
    if (column + 0 >= tile.column && column + 0 < N) to[0] = values.x;
    if (column + 1 >= tile.column && column + 1 < N) to[1] = values.y;
    if (column + 2 >= tile.column && column + 2 < N) to[2] = values.z;
    if (column + 3 >= tile.column && column + 3 < N) to[3] = values.w;
  }
}

// One block's steps along K of one tile.
struct Piece {
  int tile, first_step, steps;
};
// The piece that a block computes in a round; it has 0 steps if there is none.
// In the first `waves` rounds each block computes a whole tile. Then the steps
// of the remaining tiles are shared equally by all blocks. A block's share lies
// in one tile or in two.
template <int BLOCKS>
__device__ Piece piece_of(int block, int round, int tiles, int tile_steps) {
  const int waves = tiles / BLOCKS;
  // GAP 1: in each of its first rounds a block computes all steps of one tile.
  // Which tile?
  if (round < waves) return {};  // nothing yet
  const long long steps = static_cast<long long>(tiles % BLOCKS) * tile_steps;
  // GAP 2: the blocks share these steps. Which are this block's: from `begin`
  // up to `end`?
  int begin = 0, end = 0;  // nothing yet

  // in the next tile
  if (round > waves) begin = min((begin / tile_steps + 1) * tile_steps, end);
  const int first_step = begin % tile_steps;
  // GAP 3: in which tile is the step `begin`? How many steps does the piece
  // have that begins there? A piece ends at the end of its tile.
  return {};  // nothing yet
}

// Adds the products of one k to a thread's sums. The result is the same in any
// order. But the compiler assigns other registers for each order, and the speed
// depends on these.
template <int ORDER, int TM, int TN>
__device__ void multiply_add(float (&sum)[TM][TN], const float (&a)[TM],
                             const float (&b)[TN]) {
  if constexpr (ORDER == 1) {  // row by row, alternately right and left
    for (int i = 0; i < TM; ++i) {
      for (int n = 0; n < TN; ++n) {
        const int j = i % 2 == 0 ? n : TN - 1 - n;
        sum[i][j] += a[i] * b[j];
      }
    }
    // column by column, alternately down and up
  } else if constexpr (ORDER == 2) {
    for (int j = 0; j < TN; ++j) {
      for (int n = 0; n < TM; ++n) {
        const int i = j % 2 == 0 ? n : TM - 1 - n;
        sum[i][j] += a[i] * b[j];
      }
    }
  } else {  // even columns, then odd ones, alternately down and up
    for (int odd = 0; odd < 2; ++odd) {
      for (int j = odd; j < TN; j += 2) {
        for (int n = 0; n < TM; ++n) {
          const int i = j / 2 % 2 == 0 ? n : TM - 1 - n;
          sum[i][j] += a[i] * b[j];
        }
      }
    }
  }
}

// An SM has registers for 512 threads, or for 256 with more than 64 sums each.
template <int BM, int BN, int TM, int TN>
constexpr int BLOCKS_PER_SM = (TM * TN > 64 ? 256 : 512) /
                              ((BM / TM) * (BN / TN));

template <int BM, int BN, int BK, int WM, int WN, int TM, int TN, int STAGES,
          int GROUP, int BLOCKS, int ORDER, bool inside = false,
          bool wide = false>
__global__ void __launch_bounds__((BM / TM) * (BN / TN),
                                  BLOCKS_PER_SM<BM, BN, TM, TN>)
    beyond_cublas(const float* A, const float* B, float* C, int M, int N, int K,
                  float* partial) {
  __shared__ alignas(16) float a_tile[STAGES][BK][BM + 4];
  __shared__ alignas(16) float b_tile[STAGES][BK][BN];
  constexpr int threads = (BM / TM) * (BN / TN), step = STAGES * BK;
  const int thread = threadIdx.x, warp = thread / 32, lane = thread % 32;

  // Where this thread's sums are in the tile, as in lesson 11.
  constexpr int lanes_m = WM / TM, lanes_n = WN / TN;
  constexpr int row_of_squares = 2 * lanes_n;  // its lanes: squares of 2×2
  const int lane_m = lane / row_of_squares * 2 + lane / 2 % 2;
  const int lane_n = lane % row_of_squares / 4 * 2 + lane % 2;
  const int m0 = warp / (BN / WN) * WM + lane_m * 4,
            n0 = warp % (BN / WN) * WN + lane_n * 4;
  alignas(16) float sum[TM][TN], a[2][TM], b[2][TN];

  // What this thread copies: single floats of A's tile, a_rows rows apart, and
  // one or four floats at a time of B's tile, b_ks rows apart.
  constexpr int at_once = wide ? 4 : 1;
  constexpr int a_rows = threads / BK, b_ks = at_once * threads / BN;
  const int a_row = thread / BK, a_k = thread % BK;
  const int b_k = at_once * thread / BN, b_column = at_once * thread % BN;
  // this thread's first floats of the next stage
  const float *a_from = A, *b_from = B;
  // the first row of the tile, and of this thread's copies
  int row0, a_row0;

  // counted from a_row0; at most A's last row
  const auto a_row_at = [&](int row) {
    return inside ? row : min(row, M - 1 - a_row0);
  };
  const auto load = [&](int stage) {
    for (int row = 0; row < BM; row += a_rows)
      copy<1>(a_tile[stage][a_k][a_row + row], a_from + a_row_at(row) * K);
    for (int k = 0; k < BK; k += b_ks)
      copy<at_once>(b_tile[stage][b_k + k][b_column], b_from + k * N);
    a_from += BK;
    b_from += BK * N;
  };
  // writes zeros from k = `rest` on
  const auto load_rest = [&](int stage, int rest) {
    for (int row = 0; row < BM; row += a_rows)
      copy_if<1>(a_k < rest, a_tile[stage][a_k][a_row + row],
                 a_from + a_row_at(row) * K);
    for (int k = 0; k < BK; k += b_ks)
      copy_if<at_once>(b_k + k < rest, b_tile[stage][b_k + k][b_column],
                       b_from + k * N);
    a_from += BK;
    b_from += BK * N;
  };
  const auto next_stage_is_full = [&] {
    wait_for_all_but<STAGES - 2>();
    __syncthreads();
  };
  // from the tiles to registers
  const auto fragments = [&](int f, int stage, int k) {
    for (int j = 0; j < TN; j += 4)
      as_float4(b[f][j]) = as_float4(b_tile[stage][k][n0 + j * lanes_n]);
    for (int i = 0; i < TM; i += 4)
      as_float4(a[f][i]) = as_float4(a_tile[stage][k][m0 + i * lanes_m]);
  };
  const auto compute = [&](int stage, bool more) {
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      if (k + 1 < BK) {
        fragments((k + 1) % 2, stage, k + 1);
      } else {
        next_stage_is_full();
        fragments(0, (stage + 1) % STAGES, 0);
      }
      multiply_add<ORDER>(sum, a[k % 2], b[k % 2]);
      if (k == 1) {
        if (more) load((stage + STAGES - 1) % STAGES);
        end_group();
      }
    }
  };
  // each computes from every stage once
  const auto compute_steps = [&](int steps) {
#pragma unroll
    for (int stage = 0; stage < STAGES - 1; ++stage) {
      load(stage);
      end_group();
    }
    next_stage_is_full();
    fragments(0, 0, 0);
    for (; steps > 1; --steps) {
#pragma unroll
      for (int stage = 0; stage < STAGES; ++stage) compute(stage, true);
    }
#pragma unroll
    // only stage 0 loads
    for (int stage = 0; stage < STAGES; ++stage) compute(stage, stage == 0);
  };
  // the leftover values of k, with slower code
  const auto compute_rest = [&](int rest) {
    __syncthreads();
    for (int stage = 0; stage < STAGES; ++stage)
      load_rest(stage, rest - stage * BK);
    end_group();
    wait_for_all_but<0>();
    __syncthreads();
#pragma unroll 1
    for (int k = 0; k < rest; ++k) {
      fragments(0, k / BK, k % BK);
      multiply_add<ORDER>(sum, a[0], b[0]);
    }
  };
  const auto row_of = [&](int i) { return m0 + i / 4 * 4 * lanes_m + i % 4; };
  const auto store_part = [&](float* to) {
    for (int i = 0; i < TM; ++i)
      for (int j = 0; j < TN; j += 4)
        as_float4(to[row_of(i) * BN + n0 + j * lanes_n]) = as_float4(sum[i][j]);
  };
  const auto store_tile = [&](const Tile& tile) {
    for (int i = 0; i < TM; ++i)
      for (int j = 0; j < TN; j += 4)
        store4<wide>(C, M, N, tile, row0 + row_of(i),
                     tile.column0 + n0 + j * lanes_n, as_float4(sum[i][j]));
  };

  const int tiles = ceil_div(M, BM) * ceil_div(N, BN),
            tile_steps = ceil_div(K, step);
  int parts = 0;  // stored in `partial`
  for (int round = 0; round < tiles / BLOCKS + 2; ++round) {
    const Piece piece = piece_of<BLOCKS>(blockIdx.x, round, tiles, tile_steps);
    if (piece.steps == 0) break;
    const Tile tile = tile_with<BM, BN, GROUP, inside>(piece.tile, M, N);
    const int k0 = piece.first_step * step,
              whole_steps = min(piece.steps, (K - k0) / step);
    const int column0 = tile.column0 + b_column;
    row0 = tile.row0;
    a_row0 = inside ? row0 + a_row : min(row0 + a_row, M - 1);
    a_from = A + a_row0 * K + k0 + a_k;
    b_from = B + (k0 + b_k) * N + (inside ? column0 : min(column0, N - 1));
    for (int i = 0; i < TM; ++i)
      for (int j = 0; j < TN; ++j) sum[i][j] = 0;

    // all threads have read the previous piece's tiles
    if (round > 0) __syncthreads();
    if (whole_steps > 0) compute_steps(whole_steps);
    if (whole_steps < piece.steps) compute_rest(K - k0 - whole_steps * step);
    if (piece.steps < tile_steps) {
      store_part(partial + (2 * blockIdx.x + parts++) * BM * BN);
    } else {
      store_tile(tile);
    }
  }
}

// The second pass: it adds the pieces of each shared tile, in the order of K.
// Each block adds 1,024 elements of a tile; blockIdx.y counts the tiles.
template <int BM, int BN, int BK, int WM, int WN, int TM, int TN, int STAGES,
          int GROUP, int BLOCKS, int ORDER, bool inside = false,
          bool wide = false>
__global__ void add_partial_tiles(const float* A, const float* B, float* C,
                                  int M, int N, int K, const float* partial) {
  const int tiles = ceil_div(M, BM) * ceil_div(N, BN),
            tile_steps = ceil_div(K, STAGES * BK);
  const long long steps =
      // shared by the blocks
      static_cast<long long>(tiles % BLOCKS) * tile_steps;
  // this tile's steps
  const int begin = blockIdx.y * tile_steps, end = begin + tile_steps;
  const int element = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  float4 sum = {};
  for (int block = 1LL * begin * BLOCKS / steps; block < BLOCKS; ++block) {
    const int from = block * steps / BLOCKS, to = (block + 1) * steps / BLOCKS;
    // one block computed the whole tile and stored it
    if (from <= begin && to >= end) return;
    if (from >= end) break;
    if (to <= begin || from == to) continue;
    // GAP 4: `block` may also have computed a part of the previous tile, before
    // this one. Which of its two places in `partial` holds this tile's part?
    // Load the four floats from `element` on.
    const float4 part = {};  // nothing yet
    sum.x += part.x;
    sum.y += part.y;
    sum.z += part.z;
    sum.w += part.w;
  }
  const Tile tile = tile_with<BM, BN, GROUP, inside>(
      tiles / BLOCKS * BLOCKS + blockIdx.y, M, N);
  store4<wide>(C, M, N, tile, tile.row0 + element / BN,
               tile.column0 + element % BN, sum);
}
