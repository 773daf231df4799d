// Right: asynchronous copies (cp.async) with one to four stages. One block of 64 threads computes a row of 64 elements
// of C; tiles of B have 4 rows.
#define SIGNATURE const float *A, const float *B, float *C, int M, int N, int K
#define ROWS 4
#define TILE (ROWS * 64)

__device__ void copy16(float* to, const float* from) {
  unsigned address = (unsigned)__cvta_generic_to_shared(to);
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address), "l"(from) : "memory");
}
__device__ void copy4(float* to, const float* from) {
  unsigned address = (unsigned)__cvta_generic_to_shared(to);
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(address), "l"(from) : "memory");
}
__device__ void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int GROUPS>
__device__ void wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(GROUPS) : "memory");
}
__device__ void wait_all() { asm volatile("cp.async.wait_all;" ::: "memory"); }


// run: --entry one_stage --block 64 --tile 1x64 --m 2 --n 64 --k 16
// right: wait for one's own copies, then a barrier for those of all
__global__ void one_stage(SIGNATURE) {
  __shared__ alignas(16) float b[TILE];
  int t = threadIdx.x, row = blockIdx.y;
  float sum = 0;
  for (int k0 = 0; k0 < K; k0 += ROWS) {
    copy16(b + t * 4, B + k0 * N + t * 4);
    commit();
    wait<0>();
    __syncthreads();
    for (int k = 0; k < ROWS; ++k) sum += A[row * K + k0 + k] * b[k * 64 + t];
    __syncthreads();
  }
  C[row * N + t] = sum;
}

// run: --entry wait_for_all --block 64 --tile 1x64 --m 2 --n 64 --k 16
// right: wait_all needs no commit
__global__ void wait_for_all(SIGNATURE) {
  __shared__ alignas(16) float b[TILE];
  int t = threadIdx.x, row = blockIdx.y;
  float sum = 0;
  for (int k0 = 0; k0 < K; k0 += ROWS) {
    copy16(b + t * 4, B + k0 * N + t * 4);
    wait_all();
    __syncthreads();
    for (int k = 0; k < ROWS; ++k) sum += A[row * K + k0 + k] * b[k * 64 + t];
    __syncthreads();
  }
  C[row * N + t] = sum;
}

// run: --entry two_stages --block 64 --tile 1x64 --m 2 --n 64 --k 24
// right: the next tile is copied while this one is multiplied
__global__ void two_stages(SIGNATURE) {
  __shared__ alignas(16) float b[2][TILE];
  int t = threadIdx.x, row = blockIdx.y, tiles = K / ROWS;
  float sum = 0;
  copy16(b[0] + t * 4, B + t * 4);
  commit();
  for (int i = 0; i < tiles; ++i) {
    if (i + 1 < tiles) copy16(b[(i + 1) & 1] + t * 4, B + (i + 1) * ROWS * N + t * 4);
    commit();
    wait<1>();
    __syncthreads();
    for (int k = 0; k < ROWS; ++k) sum += A[row * K + i * ROWS + k] * b[i & 1][k * 64 + t];
    __syncthreads();
  }
  C[row * N + t] = sum;
}

// run: --entry two_stages_and_a_last_tile --block 64 --tile 1x64 --m 2 --n 64 --k 24
// right: the last tile is waited for with wait_group 0
__global__ void two_stages_and_a_last_tile(SIGNATURE) {
  __shared__ alignas(16) float b[2][TILE];
  int t = threadIdx.x, row = blockIdx.y, tiles = K / ROWS;
  float sum = 0;
  copy16(b[0] + t * 4, B + t * 4);
  commit();
#pragma unroll 1
  for (int i = 0; i < tiles; ++i) {
    if (i + 1 < tiles) {
      copy16(b[(i + 1) & 1] + t * 4, B + (i + 1) * ROWS * N + t * 4);
      commit();
      wait<1>();
    } else {
      wait<0>();
    }
    __syncthreads();
    for (int k = 0; k < ROWS; ++k) sum += A[row * K + i * ROWS + k] * b[i & 1][k * 64 + t];
    __syncthreads();
  }
  C[row * N + t] = sum;
}

// run: --entry two_stages_one_barrier --block 64 --tile 1x64 --m 2 --n 64 --k 24
// right: one barrier per iteration, as the next copy starts after it
__global__ void two_stages_one_barrier(SIGNATURE) {
  __shared__ alignas(16) float b[2][TILE];
  int t = threadIdx.x, row = blockIdx.y, tiles = K / ROWS;
  float sum = 0;
  copy16(b[0] + t * 4, B + t * 4);
  commit();
  for (int i = 0; i < tiles; ++i) {
    wait<0>();
    __syncthreads();
    if (i + 1 < tiles) copy16(b[(i + 1) & 1] + t * 4, B + (i + 1) * ROWS * N + t * 4);
    commit();
    for (int k = 0; k < ROWS; ++k) sum += A[row * K + i * ROWS + k] * b[i & 1][k * 64 + t];
  }
  C[row * N + t] = sum;
}

// run: --entry three_stages --block 64 --tile 1x64 --m 2 --n 64 --k 32
// right: two tiles are on their way, one barrier per iteration, and empty groups at the end
__global__ void three_stages(SIGNATURE) {
  __shared__ alignas(16) float b[3][TILE];
  int t = threadIdx.x, row = blockIdx.y, tiles = K / ROWS;
  float sum = 0;
  for (int s = 0; s < 2; ++s) {
    copy16(b[s] + t * 4, B + s * ROWS * N + t * 4);
    commit();
  }
  for (int i = 0; i < tiles; ++i) {
    wait<1>();
    __syncthreads();
    for (int k = 0; k < ROWS; ++k) sum += A[row * K + i * ROWS + k] * b[i % 3][k * 64 + t];
    if (i + 2 < tiles) copy16(b[(i + 2) % 3] + t * 4, B + (i + 2) * ROWS * N + t * 4);
    commit();
  }
  C[row * N + t] = sum;
}

// run: --entry 'stages<4>' --block 64 --tile 1x64 --m 2 --n 64 --k 36 --shared 4096
// right: any number of stages in dynamic shared memory
template <int STAGES>
__global__ void stages(SIGNATURE) {
  extern __shared__ __align__(16) float memory[];
  int t = threadIdx.x, row = blockIdx.y, tiles = K / ROWS;
  float sum = 0;
#pragma unroll
  for (int s = 0; s < STAGES - 1; ++s) {
    if (s < tiles) copy16(memory + s * TILE + t * 4, B + s * ROWS * N + t * 4);
    commit();
  }
  for (int i = 0; i < tiles; ++i) {
    wait<STAGES - 2>();
    __syncthreads();
    int next = i + STAGES - 1;
    if (next < tiles) copy16(memory + next % STAGES * TILE + t * 4, B + next * ROWS * N + t * 4);
    commit();
    const float* b = memory + i % STAGES * TILE;
#pragma unroll
    for (int k = 0; k < ROWS; ++k) sum += A[row * K + i * ROWS + k] * b[k * 64 + t];
  }
  C[row * N + t] = sum;
}

// run: --entry own_copies_alone --block 64 --tile 1x64 --m 2 --n 64 --k 16
// right: a thread that reads only what it copied itself needs no barrier
__global__ void own_copies_alone(SIGNATURE) {
  __shared__ float b[2][64];
  int t = threadIdx.x, row = blockIdx.y;
  float sum = 0;
  copy4(&b[0][t], B + t);
  commit();
  for (int k = 0; k < K; ++k) {
    if (k + 1 < K) copy4(&b[(k + 1) & 1][t], B + (k + 1) * N + t);
    commit();
    wait<1>();
    sum += A[row * K + k] * b[k & 1][t];
  }
  C[row * N + t] = sum;
}

// run: --entry copies_of_a_warp --block 64 --tile 2x32 --m 4 --n 32 --k 32
// right: each warp copies a row for itself, and __syncwarp() follows the wait
__global__ void copies_of_a_warp(SIGNATURE) {
  __shared__ alignas(16) float a[2][32];
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32, row = blockIdx.y * 2 + warp;
  if (lane < 8) copy16(&a[warp][lane * 4], A + row * K + lane * 4);
  wait_all();
  __syncwarp();
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += a[warp][k] * B[k * N + lane];
  C[row * N + lane] = sum;
}

// run: --entry zeros_instead_of_copies --block 64 --tile 1x64 --m 2 --n 64 --k 14
// right: where the tile reaches beyond K, zeros are stored in place of a copy
__global__ void zeros_instead_of_copies(SIGNATURE) {
  __shared__ float b[TILE];
  int t = threadIdx.x, row = blockIdx.y;
  float sum = 0;
  for (int k0 = 0; k0 < K; k0 += ROWS) {
    for (int k = 0; k < ROWS; ++k) {
      if (k0 + k < K)
        copy4(b + k * 64 + t, B + (k0 + k) * N + t);
      else
        b[k * 64 + t] = 0;
    }
    wait_all();
    __syncthreads();
    for (int k = 0; k < ROWS; ++k)
      sum += (k0 + k < K ? A[row * K + k0 + k] : 0) * b[k * 64 + t];
    __syncthreads();
  }
  C[row * N + t] = sum;
}

// run: --entry zeros_by_the_copy --block 64 --tile 1x64 --m 2 --n 64 --k 14
// right: a copy that reads 0 bytes fills its target with zeros, whatever its source
__global__ void zeros_by_the_copy(SIGNATURE) {
  __shared__ float b[TILE];
  int t = threadIdx.x, row = blockIdx.y;
  float sum = 0;
  for (int k0 = 0; k0 < K; k0 += ROWS) {
    for (int k = 0; k < ROWS; ++k) {
      unsigned to = (unsigned)__cvta_generic_to_shared(b + k * 64 + t);
      int bytes = k0 + k < K ? 4 : 0;
      asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(B + (k0 + k) * N + t),
                   "r"(bytes)
                   : "memory");
    }
    commit();
    wait<0>();
    __syncthreads();
    for (int k = 0; k < ROWS; ++k)
      sum += (k0 + k < K ? A[row * K + k0 + k] : 0) * b[k * 64 + t];
    __syncthreads();
  }
  C[row * N + t] = sum;
}

// run: --entry copies_then_epilogue --block 64 --tile 1x64 --m 2 --n 64 --k 16
// right: all copies are waited for before their memory holds the result
__global__ void copies_then_epilogue(SIGNATURE) {
  __shared__ alignas(16) float b[2][TILE];
  int t = threadIdx.x, row = blockIdx.y, tiles = K / ROWS;
  float sum = 0;
  copy16(b[0] + t * 4, B + t * 4);
  commit();
  for (int i = 0; i < tiles; ++i) {
    copy16(b[(i + 1) & 1] + t * 4, B + (i + 1) % tiles * ROWS * N + t * 4);
    commit();
    wait<1>();
    __syncthreads();
    for (int k = 0; k < ROWS; ++k) sum += A[row * K + i * ROWS + k] * b[i & 1][k * 64 + t];
    __syncthreads();
  }
  wait_all();
  __syncthreads();
  b[0][t ^ 1] = sum;
  __syncthreads();
  C[row * N + (t ^ 1)] = b[0][t];
}

// run: --entry a_and_b_in_one_group --block 64 --tile 1x64 --m 2 --n 64 --k 64
// right: the first group has the row of A and the first tile of B
__global__ void a_and_b_in_one_group(SIGNATURE) {
  __shared__ alignas(16) float a[64], b[2][TILE];
  int t = threadIdx.x, row = blockIdx.y, tiles = K / ROWS;
  float sum = 0;
  if (t < 16) copy16(a + t * 4, A + row * K + t * 4);
  copy16(b[0] + t * 4, B + t * 4);
  commit();
  for (int i = 0; i < tiles; ++i) {
    wait<0>();
    __syncthreads();
    if (i + 1 < tiles) copy16(b[(i + 1) & 1] + t * 4, B + (i + 1) * ROWS * N + t * 4);
    commit();
    for (int k = 0; k < ROWS; ++k) sum += a[i * ROWS + k] * b[i & 1][k * 64 + t];
  }
  C[row * N + t] = sum;
}
