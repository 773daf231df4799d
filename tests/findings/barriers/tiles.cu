// Tiles of 16×16 in shared memory, with a barrier that is missing or in the wrong place.
#define TILE 16
#define SIGNATURE const float *A, const float *B, float *C, int M, int N, int K

// run: --entry no_barrier_after_load --block 16x16 --tile 16x16 --size 32
// wrong: no barrier between the stores to the tiles and the loads of them
__global__ void no_barrier_after_load(SIGNATURE) {
  __shared__ float a[TILE][TILE], b[TILE][TILE];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
  float sum = 0;
  for (int k0 = 0; k0 < K; k0 += TILE) {
    a[ty][tx] = A[row * K + k0 + tx];
    b[ty][tx] = B[(k0 + ty) * N + col];
    for (int k = 0; k < TILE; ++k) sum += a[ty][k] * b[k][tx];  // finds: race
    __syncthreads();
  }
  C[row * N + col] = sum;
}

// run: --entry no_barrier_before_next_load --block 16x16 --tile 16x16 --size 32
// wrong: a fast warp stores the next tiles while a slow one still reads these
__global__ void no_barrier_before_next_load(SIGNATURE) {
  __shared__ float a[TILE][TILE], b[TILE][TILE];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
  float sum = 0;
  for (int k0 = 0; k0 < K; k0 += TILE) {
    a[ty][tx] = A[row * K + k0 + tx];
    b[ty][tx] = B[(k0 + ty) * N + col];  // finds: race
    __syncthreads();
    for (int k = 0; k < TILE; ++k) sum += a[ty][k] * b[k][tx];
  }
  C[row * N + col] = sum;
}

// run: --entry barrier_before_the_load --block 16x16 --tile 16x16 --size 32
// wrong: both barriers are before the stores, not after them
__global__ void barrier_before_the_load(SIGNATURE) {
  __shared__ float a[TILE][TILE], b[TILE][TILE];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const float* from_a = A + (blockIdx.y * TILE + ty) * K + tx;
  const float* from_b = B + ty * N + blockIdx.x * TILE + tx;
  float sum = 0;
  for (int k0 = 0; k0 < K; k0 += TILE, from_a += TILE, from_b += TILE * N) {
    __syncthreads();
    a[ty][tx] = *from_a;
    __syncthreads();
    b[ty][tx] = *from_b;
#pragma unroll
    for (int k = 0; k < TILE; ++k) sum += a[ty][k] * b[k][tx];  // finds: race
  }
  C[(blockIdx.y * TILE + ty) * N + blockIdx.x * TILE + tx] = sum;
}

// run: --entry barrier_after_the_loop_only --block 16x16 --tile 16x16 --size 32
// wrong: the barriers are outside of the loop over the tiles
__global__ void barrier_after_the_loop_only(SIGNATURE) {
  __shared__ float a[TILE][TILE], b[TILE][TILE];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
  float sum = 0;
  __syncthreads();
  for (int t = 0; t < K / TILE; ++t) {
    a[ty][tx] = A[row * K + t * TILE + tx];
    b[ty][tx] = B[(t * TILE + ty) * N + col];
    for (int k = 0; k < TILE; ++k)
      sum += a[ty][k] * b[k][tx];  // finds: race
  }
  __syncthreads();
  C[row * N + col] = sum;
}

// run: --entry two_loads_one_barrier_between --block 16x16 --tile 16x16 --size 32
// wrong: the barrier is between the loads of A and of B, so that nobody waits for B
__global__ void two_loads_one_barrier_between(SIGNATURE) {
  __shared__ float a[TILE][TILE + 1], b[TILE][TILE + 1];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
  float sum = 0;
  for (int k0 = 0; k0 < K; k0 += TILE) {
    a[tx][ty] = A[row * K + k0 + tx];
    __syncthreads();
    b[ty][tx] = B[(k0 + ty) * N + col];
    for (int k = 0; k < TILE; ++k) sum += a[k][ty] * b[k][tx];  // finds: race
    __syncthreads();
  }
  C[row * N + col] = sum;
}

// run: --entry epilogue_over_the_tile --block 16x16 --tile 16x16 --size 32
// wrong: the result goes into the memory of A's tile, which others may still read
__global__ void epilogue_over_the_tile(SIGNATURE) {
  __shared__ float a[TILE][TILE], b[TILE][TILE];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
  float sum = 0;
  for (int k0 = 0; k0 < K; k0 += TILE) {
    __syncthreads();
    a[ty][tx] = A[row * K + k0 + tx];
    b[ty][tx] = B[(k0 + ty) * N + col];
    __syncthreads();
    for (int k = 0; k < TILE; ++k) sum += a[ty][k] * b[k][tx];
  }
  a[tx][ty] = sum;  // finds: race
  __syncthreads();
  C[row * N + col] = a[tx][ty];
}
