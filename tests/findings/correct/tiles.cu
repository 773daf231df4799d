// Right: tiles in shared memory, in the styles in which learners write them.
#define SIGNATURE const float *A, const float *B, float *C, int M, int N, int K
#define TILE 16

// run: --entry ragged_tiles --block 16x16 --tile 16x16 --m 20 --n 37 --k 25
// right: all threads go through the loop, and zeros take the place of what is outside
__global__ void ragged_tiles(SIGNATURE) {
  __shared__ float a[TILE][TILE], b[TILE][TILE];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
  float sum = 0;
  for (int k0 = 0; k0 < K; k0 += TILE) {
    a[ty][tx] = row < M && k0 + tx < K ? A[row * K + k0 + tx] : 0.0f;
    b[ty][tx] = k0 + ty < K && col < N ? B[(k0 + ty) * N + col] : 0.0f;
    __syncthreads();
    for (int k = 0; k < TILE; ++k) sum += a[ty][k] * b[k][tx];
    __syncthreads();
  }
  if (row < M && col < N) C[row * N + col] = sum;
}

// run: --entry block_leaves_as_a_whole --block 16x16 --tile 8x16 --size 32
// right: twice as many blocks as there are tiles, and the others return before the barriers
__global__ void block_leaves_as_a_whole(SIGNATURE) {
  __shared__ float b[TILE][TILE];
  int tx = threadIdx.x, ty = threadIdx.y;
  if (blockIdx.y * TILE >= M) return;
  int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
  float sum = 0;
  for (int k0 = 0; k0 < K; k0 += TILE) {
    b[ty][tx] = B[(k0 + ty) * N + col];
    __syncthreads();
    for (int k = 0; k < TILE; ++k) sum += A[row * K + k0 + k] * b[k][tx];
    __syncthreads();
  }
  C[row * N + col] = sum;
}

// run: --entry ping_pong --block 16x16 --tile 16x16 --size 48
// right: two buffers and one barrier per iteration
__global__ void ping_pong(SIGNATURE) {
  __shared__ float b[2][TILE][TILE];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
  float sum = 0;
  b[0][ty][tx] = B[ty * N + col];
  for (int t = 0; t < K / TILE; ++t) {
    __syncthreads();
    if (t + 1 < K / TILE) b[(t + 1) & 1][ty][tx] = B[((t + 1) * TILE + ty) * N + col];
    for (int k = 0; k < TILE; ++k) sum += A[row * K + t * TILE + k] * b[t & 1][k][tx];
  }
  C[row * N + col] = sum;
}

// run: --entry next_tile_in_a_register --block 16x16 --tile 16x16 --size 48
// right: the next element waits in a register until all have read the tile
__global__ void next_tile_in_a_register(SIGNATURE) {
  __shared__ float b[TILE][TILE];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
  float sum = 0, next = B[ty * N + col];
  for (int t = 0; t < K / TILE; ++t) {
    b[ty][tx] = next;
    __syncthreads();
    if (t + 1 < K / TILE) next = B[((t + 1) * TILE + ty) * N + col];
    for (int k = 0; k < TILE; ++k) sum += A[row * K + t * TILE + k] * b[k][tx];
    __syncthreads();
  }
  C[row * N + col] = sum;
}

// run: --entry pointers_are_exchanged --block 16x16 --tile 16x16 --size 48
// right: two pointers change places after the barrier
__global__ void pointers_are_exchanged(SIGNATURE) {
  __shared__ float memory[2][TILE * TILE];
  int t = threadIdx.y * TILE + threadIdx.x;
  int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
  float *now = memory[0], *next = memory[1], sum = 0;
  now[t] = B[threadIdx.y * N + col];
  __syncthreads();
  for (int i = 0; i < K / TILE; ++i) {
    if (i + 1 < K / TILE) next[t] = B[((i + 1) * TILE + threadIdx.y) * N + col];
    for (int k = 0; k < TILE; ++k) sum += A[row * K + i * TILE + k] * now[k * TILE + threadIdx.x];
    __syncthreads();
    float* other = now;
    now = next, next = other;
  }
  C[row * N + col] = sum;
}

// run: --entry tile_memory_for_the_result --block 16x16 --tile 16x16 --size 32
// right: a barrier before A's tile is used again for the result
__global__ void tile_memory_for_the_result(SIGNATURE) {
  __shared__ float a[TILE][TILE + 1], b[TILE][TILE];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
  float sum = 0;
  for (int k0 = 0; k0 < K; k0 += TILE) {
    a[ty][tx] = A[row * K + k0 + tx];
    b[ty][tx] = B[(k0 + ty) * N + col];
    __syncthreads();
    for (int k = 0; k < TILE; ++k) sum += a[ty][k] * b[k][tx];
    __syncthreads();
  }
  a[tx][ty] = sum;
  __syncthreads();
  C[row * N + col] = a[tx][ty];
}

// run: --entry union_of_tiles_and_result --block 16x16 --tile 16x16 --size 32
// right: a union of the tiles and of the result, with barriers between their uses
__global__ void union_of_tiles_and_result(SIGNATURE) {
  union Memory {
    struct {
      float a[TILE][TILE], b[TILE][TILE];
    } tiles;
    float c[TILE][TILE + 1];
  };
  __shared__ Memory memory;
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
  float sum = 0;
  for (int k0 = 0; k0 < K; k0 += TILE) {
    memory.tiles.a[ty][tx] = A[row * K + k0 + tx];
    memory.tiles.b[ty][tx] = B[(k0 + ty) * N + col];
    __syncthreads();
    for (int k = 0; k < TILE; ++k) sum += memory.tiles.a[ty][k] * memory.tiles.b[k][tx];
    __syncthreads();
  }
  memory.c[ty][tx] = sum;
  __syncthreads();
  C[row * N + col] = memory.c[ty][tx];
}

// run: --entry same_barrier_in_a_uniform_branch --block 16x16 --tile 16x16 --size 32
// right: the branch with the barrier depends on the block and on the iteration alone
__global__ void same_barrier_in_a_uniform_branch(SIGNATURE) {
  __shared__ float b[TILE][TILE];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
  float sum = 0;
  for (int k0 = 0; k0 < K; k0 += TILE) {
    if (k0 > 0) __syncthreads();
    b[ty][tx] = B[(k0 + ty) * N + col];
    if (blockIdx.x == 0) {
      __syncthreads();
    } else {
      __syncthreads();
    }
    for (int k = 0; k < TILE; ++k) sum += A[row * K + k0 + k] * b[k][tx];
  }
  C[row * N + col] = sum;
}

// run: --entry count_of_those_inside --block 16x16 --tile 16x16 --m 20 --n 20 --k 24
// right: __syncthreads_count() by all threads of the block
__global__ void count_of_those_inside(SIGNATURE) {
  __shared__ float b[TILE][TILE];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
  bool inside = row < M && col < N;
  if (__syncthreads_count(inside) == 0) return;
  float sum = 0;
  for (int k0 = 0; k0 < K; k0 += TILE) {
    b[ty][tx] = k0 + ty < K && col < N ? B[(k0 + ty) * N + col] : 0;
    __syncthreads();
    if (inside)
      for (int k = 0; k < min(TILE, K - k0); ++k) sum += A[row * K + k0 + k] * b[k][tx];
    __syncthreads();
  }
  if (inside) C[row * N + col] = sum;
}

template <int BM, int BN, int BK, int TM, int TN>
struct Tiles {
  static constexpr int threads_x = BN / TN, threads_y = BM / TM, threads = threads_x * threads_y;
};

// run: --entry 'register_tiles<32, 32, 8, 4, 4>' --block 64 --tile 32x32 --m 40 --n 36 --k 20
// right: a register tile of 4×4, ragged in all directions
template <int BM, int BN, int BK, int TM, int TN>
__global__ void register_tiles(SIGNATURE) {
  using T = Tiles<BM, BN, BK, TM, TN>;
  __shared__ float a[BK][BM + 1], b[BK][BN];
  int t = threadIdx.x, first_row = blockIdx.y * BM, first_col = blockIdx.x * BN;
  int ty = t / T::threads_x * TM, tx = t % T::threads_x * TN;
  float sum[TM][TN] = {};
  for (int k0 = 0; k0 < K; k0 += BK) {
    for (int i = t; i < BM * BK; i += T::threads) {
      int r = i / BK, k = i % BK;
      a[k][r] = first_row + r < M && k0 + k < K ? A[(first_row + r) * K + k0 + k] : 0;
    }
    for (int i = t; i < BK * BN; i += T::threads) {
      int k = i / BN, c = i % BN;
      b[k][c] = k0 + k < K && first_col + c < N ? B[(k0 + k) * N + first_col + c] : 0;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      float x[TM], y[TN];
      for (int r = 0; r < TM; ++r) x[r] = a[k][ty + r];
      for (int c = 0; c < TN; ++c) y[c] = b[k][tx + c];
      for (int r = 0; r < TM; ++r)
        for (int c = 0; c < TN; ++c) sum[r][c] = fmaf(x[r], y[c], sum[r][c]);
    }
    __syncthreads();
  }
  for (int r = 0; r < TM; ++r)
    for (int c = 0; c < TN; ++c)
      if (first_row + ty + r < M && first_col + tx + c < N)
        C[(first_row + ty + r) * N + first_col + tx + c] = sum[r][c];
}

// run: --entry warp_tiles --block 128 --tile 32x32 --size 32
// right: four warps, each with 16×16 of the tile
__global__ void warp_tiles(SIGNATURE) {
  __shared__ float a[32][8], b[8][32];
  int t = threadIdx.x, warp = t / 32, lane = t % 32;
  int row = warp / 2 * 16 + lane / 4 * 2, col = warp % 2 * 16 + lane % 4 * 4;
  float sum[2][4] = {};
  for (int k0 = 0; k0 < K; k0 += 8) {
    for (int i = t; i < 256; i += 128) {
      a[i / 8][i % 8] = A[i / 8 * K + k0 + i % 8];
      b[i / 32][i % 32] = B[(k0 + i / 32) * N + i % 32];
    }
    __syncthreads();
    for (int k = 0; k < 8; ++k)
      for (int r = 0; r < 2; ++r)
        for (int c = 0; c < 4; ++c) sum[r][c] += a[row + r][k] * b[k][col + c];
    __syncthreads();
  }
  for (int r = 0; r < 2; ++r)
    for (int c = 0; c < 4; ++c) C[(row + r) * N + col + c] = sum[r][c];
}

// run: --entry swizzled_tile --block 16x16 --tile 16x16 --size 32
// right: columns are permuted by XOR on the way in and on the way out
__global__ void swizzled_tile(SIGNATURE) {
  __shared__ float a[TILE][TILE], b[TILE][TILE];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
  float sum = 0;
  for (int k0 = 0; k0 < K; k0 += TILE) {
    a[tx][ty ^ tx] = A[row * K + k0 + tx];
    b[ty][tx] = B[(k0 + ty) * N + col];
    __syncthreads();
    for (int k = 0; k < TILE; ++k) sum += a[k][ty ^ k] * b[k][tx];
    __syncthreads();
  }
  C[row * N + col] = sum;
}

// run: --entry stride_loop --block 32 --tile 8x32 --m 8 --n 32 --k 16
// right: a block goes over its tile in steps of its size
__global__ void stride_loop(SIGNATURE) {
  for (int i = threadIdx.x; i < 8 * 32; i += blockDim.x) {
    int row = blockIdx.y * 8 + i / 32, col = blockIdx.x * 32 + i % 32;
    float sum = 0;
    for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];
    C[row * N + col] = sum;
  }
}

// run: --entry two_lanes_store_the_same --block 32 --tile 1x32 --m 2 --n 32 --k 16
// right: both halves of the warp store the same values to the same places
__global__ void two_lanes_store_the_same(SIGNATURE) {
  __shared__ float a[16];
  int t = threadIdx.x, row = blockIdx.y;
  a[t % 16] = A[row * K + t % 16];
  __syncwarp();
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += a[k] * B[k * N + t];
  C[row * N + t] = sum;
}

// run: --entry all_lanes_store_the_same --block 32 --tile 1x32 --m 2 --n 32 --k 16
// right: all lanes store one value to one place
__global__ void all_lanes_store_the_same(SIGNATURE) {
  __shared__ float element;
  int t = threadIdx.x, row = blockIdx.y;
  float sum = 0;
  for (int k = 0; k < K; ++k) {
    element = A[row * K + k];
    __syncwarp();
    sum += element * B[k * N + t];
    __syncwarp();
  }
  C[row * N + t] = sum;
}

// run: --entry local_array_by_index --block 16 --tile 4x16 --m 4 --n 16 --k 8
// right: an array in local memory that is set to zero first
__global__ void local_array_by_index(SIGNATURE) {
  float sums[4];
  int col = threadIdx.x;
#pragma unroll 1
  for (int r = 0; r < M; ++r) sums[r] = 0;
  for (int k = 0; k < K; ++k)
#pragma unroll 1
    for (int r = 0; r < M; ++r) sums[r] += A[r * K + k] * B[k * N + col];
#pragma unroll 1
  for (int r = 0; r < M; ++r) C[r * N + col] = sums[r];
}

// run: --entry every_warp_for_itself --block 32x4 --tile 4x32 --m 8 --n 32 --k 64
// right: warps are at different places of the loop, and share nothing
__global__ void every_warp_for_itself(SIGNATURE) {
  __shared__ float a[4][32];
  int warp = threadIdx.y, lane = threadIdx.x, row = blockIdx.y * 4 + warp;
  float sum = 0;
  for (int k0 = 0; k0 < K; k0 += 32) {
    a[warp][lane] = A[row * K + k0 + lane];
    __syncwarp();
    for (int k = 0; k < 32; ++k) sum += a[warp][k] * B[(k0 + k) * N + lane];
    __syncwarp();
  }
  C[row * N + lane] = sum;
}

// run: --entry barriers_of_two_branches --block 64 --tile 1x64 --m 4 --n 64 --k 64
// right: each warp waits at a barrier of its own branch, and all are there
__global__ void barriers_of_two_branches(SIGNATURE) {
  __shared__ float a[64];
  int t = threadIdx.x, row = blockIdx.y;
  float sum = 0;
  if (t < 32) {
    a[t] = A[row * K + t];
    __syncthreads();
    for (int k = 0; k < 64; ++k) sum += a[k] * B[k * N + t];
  } else {
    a[t] = A[row * K + t];
    __syncthreads();
    for (int k = 63; k >= 0; --k) sum += a[k] * B[k * N + t];
  }
  C[row * N + t] = sum;
}

// run: --entry all_threads_say_how_much --block 64 --tile 1x64 --m 4 --n 64 --k 64
// right: threads of several warps store the same value
__global__ void all_threads_say_how_much(SIGNATURE) {
  __shared__ float a[64];
  __shared__ int steps;
  int t = threadIdx.x, row = blockIdx.y;
  a[t] = A[row * K + t];
  steps = K;
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < steps; ++k) sum += a[k] * B[k * N + t];
  C[row * N + t] = sum;
}

// run: --entry own_element_of_another --block 64 --tile 1x64 --m 2 --n 64 --k 64
// right: an element is written by two threads, t and t + 16, with the same value
__global__ void own_element_of_another(SIGNATURE) {
  __shared__ float a[64];
  int t = threadIdx.x, row = blockIdx.y;
  a[t] = A[row * K + t];
  if (t < 48) a[t + 16] = A[row * K + t + 16];
  float mine = a[t];
  __syncthreads();
  float sum = mine > 1e30f ? 1 : 0;
  for (int k = 0; k < K; ++k) sum += a[k] * B[k * N + t];
  C[row * N + t] = sum;
}

// run: --entry barrier_in_either_branch --block 16x16 --tile 16x16 --size 32
// right: half of the warps wait at one barrier, half at another, and all are there
__global__ void barrier_in_either_branch(SIGNATURE) {
  __shared__ float a[TILE][TILE], b[TILE][TILE];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
  float sum = 0;
  for (int k0 = 0; k0 < K; k0 += TILE) {
    if (ty < 8) {
      for (int y = ty; y < TILE; y += 8) a[y][tx] = A[(blockIdx.y * TILE + y) * K + k0 + tx];
      __syncthreads();
    } else {
      for (int y = ty - 8; y < TILE; y += 8) b[y][tx] = B[(k0 + y) * N + col];
      __syncthreads();
    }
    for (int k = 0; k < TILE; ++k) sum += a[ty][k] * b[k][tx];
    __syncthreads();
  }
  C[row * N + col] = sum;
}

// run: --entry barrier_in_a_switch --block 8x8 --tile 8x8 --size 16
// right: each case of the switch has a barrier of its own, and each warp comes to one of them
__global__ void barrier_in_a_switch(SIGNATURE) {
  __shared__ float b[8][8];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * 8 + ty, col = blockIdx.x * 8 + tx;
  float sum = 0;
  for (int k0 = 0; k0 < K; k0 += 8) {
    switch (ty / 4) {
      case 0:
        b[ty][tx] = B[(k0 + ty) * N + col];
        __syncthreads();
        break;
      default:
        b[ty][tx] = __ldg(&B[(k0 + ty) * N + col]);
        __syncthreads();
        break;
    }
    for (int k = 0; k < 8; ++k) sum += A[row * K + k0 + k] * b[k][tx];
    __syncthreads();
  }
  C[row * N + col] = sum;
}
