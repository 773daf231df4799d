// Double buffering with plain loads and stores: one tile is multiplied while the next is stored.
#define SIGNATURE const float *A, const float *B, float *C, int M, int N, int K
#define TILE 16

// run: --entry stores_into_the_tile_in_use --block 16x16 --tile 16x16 --size 48
// wrong: the next tile goes into the buffer that is being read
__global__ void stores_into_the_tile_in_use(SIGNATURE) {
  __shared__ float b[2][TILE][TILE];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
  float sum = 0;
  b[0][ty][tx] = B[ty * N + col];
  __syncthreads();
#pragma unroll 1
  for (int t = 0; t < K / TILE; ++t) {
    int now = 0;
    if (t + 1 < K / TILE) b[now][ty][tx] = B[((t + 1) * TILE + ty) * N + col];
    for (int k = 0; k < TILE; ++k) sum += A[row * K + t * TILE + k] * b[now][k][tx];  // finds: race
    __syncthreads();
  }
  C[row * N + col] = sum;
}

// run: --entry reads_the_next_buffer --block 16x16 --tile 16x16 --size 48
// wrong: the buffer that is being filled is read
__global__ void reads_the_next_buffer(SIGNATURE) {
  __shared__ float b[2][TILE][TILE];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
  float sum = 0;
  b[0][ty][tx] = B[ty * N + col];
  __syncthreads();
#pragma unroll 1
  for (int t = 0; t < K / TILE; ++t) {
    int next = (t + 1) & 1;
    if (t + 1 < K / TILE) b[next][ty][tx] = B[((t + 1) * TILE + ty) * N + col];
    for (int k = 0; k < TILE; ++k) sum += A[row * K + t * TILE + k] * b[next][k][tx];  // finds: race
    __syncthreads();
  }
  C[row * N + col] = sum;
}

// run: --entry no_barrier_in_the_loop --block 16x16 --tile 16x16 --size 48
// wrong: two buffers, and no barrier at all in the loop
__global__ void no_barrier_in_the_loop(SIGNATURE) {
  __shared__ float b[2][TILE][TILE];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
  float sum = 0;
  b[0][ty][tx] = B[ty * N + col];
  __syncthreads();
#pragma unroll 1
  for (int t = 0; t < K / TILE; ++t) {
    int now = t & 1;
    if (t + 1 < K / TILE) b[now ^ 1][ty][tx] = B[((t + 1) * TILE + ty) * N + col];
    for (int k = 0; k < TILE; ++k) sum += A[row * K + t * TILE + k] * b[now][k][tx];  // finds: race
  }
  C[row * N + col] = sum;
}

// run: --entry barrier_every_other_iteration --block 16x16 --tile 16x16 --m 16 --n 16 --k 64
// wrong: the barrier is left out in odd iterations
__global__ void barrier_every_other_iteration(SIGNATURE) {
  __shared__ float b[2][TILE][TILE];
  int tx = threadIdx.x, ty = threadIdx.y;
  float sum = 0;
  b[0][ty][tx] = B[ty * N + tx];
  __syncthreads();
#pragma unroll 1
  for (int t = 0; t < K / TILE; ++t) {
    int now = t % 2;
    if (t + 1 < K / TILE) b[1 - now][ty][tx] = B[((t + 1) * TILE + ty) * N + tx];
    for (int k = 0; k < TILE; ++k) sum += A[ty * K + t * TILE + k] * b[now][k][tx];  // finds: race
    if (now == 0) __syncthreads();
  }
  C[ty * N + tx] = sum;
}

// run: --entry first_tile_without_a_barrier --block 16x16 --tile 16x16 --size 32
// wrong: nobody waits for the first tile
__global__ void first_tile_without_a_barrier(SIGNATURE) {
  __shared__ float a[2][TILE][TILE];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
  float sum = 0;
  a[0][tx][ty] = A[row * K + tx];
  for (int t = 0; t < K / TILE; ++t) {
    if (t + 1 < K / TILE) a[(t + 1) & 1][tx][ty] = A[row * K + (t + 1) * TILE + tx];
    for (int k = 0; k < TILE; ++k) sum += a[t & 1][k][ty] * B[(t * TILE + k) * N + col];  // finds: race
    __syncthreads();
  }
  C[row * N + col] = sum;
}

// run: --entry barrier_before_the_sums_only --block 16x16 --tile 16x16 --m 16 --n 16 --k 64
// wrong: one buffer has been made of two, and the single barrier of two was kept
__global__ void barrier_before_the_sums_only(SIGNATURE) {
  __shared__ float b[TILE][TILE];
  int tx = threadIdx.x, ty = threadIdx.y;
  float sum = 0, next = B[ty * N + tx];
#pragma unroll 1
  for (int t = 0; t < K / TILE; ++t) {
    b[ty][tx] = next;  // finds: race
    __syncthreads();
    if (t + 1 < K / TILE) next = B[((t + 1) * TILE + ty) * N + tx];
    for (int k = 0; k < TILE; ++k) sum += A[ty * K + t * TILE + k] * b[k][tx];
  }
  C[ty * N + tx] = sum;
}

// run: --entry three_buffers_modulo_two --block 16x16 --tile 16x16 --m 16 --n 16 --k 64
// wrong: the tile after the next is stored over the one in use: modulo 2 where there are three buffers
__global__ void three_buffers_modulo_two(SIGNATURE) {
  __shared__ float b[3][TILE][TILE];
  int tx = threadIdx.x, ty = threadIdx.y, tiles = K / TILE;
  float sum = 0;
  for (int t = 0; t < 2; ++t) b[t][ty][tx] = B[(t * TILE + ty) * N + tx];
  __syncthreads();
#pragma unroll 1
  for (int t = 0; t < tiles; ++t) {
    if (t + 2 < tiles) b[(t + 2) % 2][ty][tx] = B[((t + 2) * TILE + ty) * N + tx];
    for (int k = 0; k < TILE; ++k) sum += A[ty * K + t * TILE + k] * b[t % 2][k][tx];  // finds: race
    __syncthreads();
  }
  C[ty * N + tx] = sum;
}

// run: --entry last_tile_never_stored --block 16x16 --tile 16x16 --m 16 --n 16 --k 32
// wrong: the condition leaves out the last tile, and its buffer is read all the same
__global__ void last_tile_never_stored(SIGNATURE) {
  __shared__ float b[2][TILE][TILE];
  int tx = threadIdx.x, ty = threadIdx.y, tiles = K / TILE;
  float sum = 0;
  b[0][ty][tx] = B[ty * N + tx];
  __syncthreads();
  for (int t = 0; t < tiles; ++t) {
    if (t + 2 < tiles) b[(t + 1) % 2][ty][tx] = B[((t + 1) * TILE + ty) * N + tx];
    for (int k = 0; k < TILE; ++k)
      sum += A[ty * K + t * TILE + k] * b[t % 2][k][tx];  // finds: uninitialised
    __syncthreads();
  }
  C[ty * N + tx] = sum;
}

template <int BUFFERS>
__device__ float* buffer(float* memory, int t) {
  return memory + t % BUFFERS * TILE * TILE;
}

// run: --entry 'buffers_of_a_template<1>' --block 16x16 --tile 16x16 --m 16 --n 16 --k 48 --shared 1024
// wrong: written for two buffers, instantiated with one
template <int BUFFERS>
__global__ void buffers_of_a_template(SIGNATURE) {
  extern __shared__ float memory[];
  int t = threadIdx.y * TILE + threadIdx.x;
  float sum = 0;
  buffer<BUFFERS>(memory, 0)[t] = B[threadIdx.y * N + threadIdx.x];
  __syncthreads();
#pragma unroll 1
  for (int i = 0; i < K / TILE; ++i) {
    if (i + 1 < K / TILE)
      buffer<BUFFERS>(memory, i + 1)[t] = B[((i + 1) * TILE + threadIdx.y) * N + threadIdx.x];
    const float* b = buffer<BUFFERS>(memory, i);
    for (int k = 0; k < TILE; ++k)
      sum += A[threadIdx.y * K + i * TILE + k] * b[k * TILE + threadIdx.x];  // finds: race
    __syncthreads();
  }
  C[threadIdx.y * N + threadIdx.x] = sum;
}

// run: --entry pointers_exchanged_too_early --block 16x16 --tile 16x16 --m 16 --n 16 --k 48
// wrong: the pointers are exchanged before the barrier that should come first, and before the sums
__global__ void pointers_exchanged_too_early(SIGNATURE) {
  __shared__ float memory[2][TILE * TILE];
  int t = threadIdx.y * TILE + threadIdx.x;
  float *now = memory[0], *next = memory[1], sum = 0;
  now[t] = B[threadIdx.y * N + threadIdx.x];
  __syncthreads();
#pragma unroll 1
  for (int i = 0; i < K / TILE; ++i) {
    if (i + 1 < K / TILE) next[t] = B[((i + 1) * TILE + threadIdx.y) * N + threadIdx.x];
    float* other = now;
    now = next;
    next = other;
    for (int k = 0; k < TILE; ++k)
      sum += A[threadIdx.y * K + i * TILE + k] * now[k * TILE + threadIdx.x];  // finds: race
    __syncthreads();
  }
  C[threadIdx.y * N + threadIdx.x] = sum;
}
