// Asynchronous copies (cp.async) that are waited for too late, too little, or by the wrong threads. One block of 64
// threads computes a row of 64 elements of C; tiles of B have 4 rows.
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

// run: --entry no_wait --block 64 --tile 1x64 --m 2 --n 64 --k 16
// wrong: a barrier, but nobody waits for the copies
__global__ void no_wait(SIGNATURE) {
  __shared__ alignas(16) float b[TILE];
  int t = threadIdx.x, row = blockIdx.y;
  float sum = 0;
  for (int k0 = 0; k0 < K; k0 += ROWS) {
    copy16(b + t * 4, B + k0 * N + t * 4);
    commit();
    __syncthreads();
    for (int k = 0; k < ROWS; ++k) sum += A[row * K + k0 + k] * b[k * 64 + t];  // finds: race
    __syncthreads();
  }
  C[row * N + t] = sum;
}

// run: --entry no_commit --block 64 --tile 1x64 --m 2 --n 64 --k 16
// wrong: wait_group waits for committed groups, and none is committed
__global__ void no_commit(SIGNATURE) {
  __shared__ alignas(16) float b[TILE];
  int t = threadIdx.x, row = blockIdx.y;
  float sum = 0;
  for (int k0 = 0; k0 < K; k0 += ROWS) {
    copy16(b + t * 4, B + k0 * N + t * 4);
    wait<0>();
    __syncthreads();
    for (int k = 0; k < ROWS; ++k) sum += A[row * K + k0 + k] * b[k * 64 + t];  // finds: race
    __syncthreads();
  }
  C[row * N + t] = sum;
}

// run: --entry wait_without_a_barrier --block 64 --tile 1x64 --m 2 --n 64 --k 16
// wrong: each thread waits for its own copies, and reads those of others
__global__ void wait_without_a_barrier(SIGNATURE) {
  __shared__ alignas(16) float b[TILE];
  int t = threadIdx.x, row = blockIdx.y;
  float sum = 0;
  for (int k0 = 0; k0 < K; k0 += ROWS) {
    copy16(b + t * 4, B + k0 * N + t * 4);
    commit();
    wait<0>();
    for (int k = 0; k < ROWS; ++k) sum += A[row * K + k0 + k] * b[k * 64 + t];  // finds: race
    __syncthreads();
  }
  C[row * N + t] = sum;
}

// run: --entry barrier_before_the_wait --block 64 --tile 1x64 --m 2 --n 64 --k 16
// wrong: the barrier comes first, the wait afterwards
__global__ void barrier_before_the_wait(SIGNATURE) {
  __shared__ alignas(16) float b[TILE];
  int t = threadIdx.x, row = blockIdx.y;
  float sum = 0;
  for (int k0 = 0; k0 < K; k0 += ROWS) {
    copy16(b + t * 4, B + k0 * N + t * 4);
    commit();
    __syncthreads();
    wait<0>();
    for (int k = 0; k < ROWS; ++k) sum += A[row * K + k0 + k] * b[k * 64 + t];  // finds: race
    __syncthreads();
  }
  C[row * N + t] = sum;
}

// run: --entry syncwarp_after_the_wait --block 64 --tile 1x64 --m 2 --n 64 --k 16
// wrong: two warps copy, and each waits for itself
__global__ void syncwarp_after_the_wait(SIGNATURE) {
  __shared__ alignas(16) float b[TILE];
  int t = threadIdx.x, row = blockIdx.y;
  float sum = 0;
  for (int k0 = 0; k0 < K; k0 += ROWS) {
    copy16(b + t * 4, B + k0 * N + t * 4);
    wait_all();
    __syncwarp();
    for (int k = 0; k < ROWS; ++k) sum += A[row * K + k0 + k] * b[k * 64 + t];  // finds: race
    __syncthreads();
  }
  C[row * N + t] = sum;
}

// run: --entry wait_group_off_by_one --block 64 --tile 1x64 --m 2 --n 64 --k 24
// wrong: two stages, and wait_group 1 before the next copy is started leaves the one that is needed
__global__ void wait_group_off_by_one(SIGNATURE) {
  __shared__ alignas(16) float b[2][TILE];
  int t = threadIdx.x, row = blockIdx.y, tiles = K / ROWS;
  float sum = 0;
  copy16(b[0] + t * 4, B + t * 4);
  commit();
  for (int i = 0; i < tiles; ++i) {
    wait<1>();
    __syncthreads();
    if (i + 1 < tiles) copy16(b[(i + 1) & 1] + t * 4, B + (i + 1) * ROWS * N + t * 4);
    commit();
    for (int k = 0; k < ROWS; ++k) sum += A[row * K + i * ROWS + k] * b[i & 1][k * 64 + t];  // finds: race
    __syncthreads();
  }
  C[row * N + t] = sum;
}

// run: --entry last_group_not_waited_for --block 64 --tile 1x64 --m 2 --n 64 --k 24
// wrong: no empty groups are committed at the end, so wait_group 1 does not wait for the last tile
__global__ void last_group_not_waited_for(SIGNATURE) {
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
    }
    wait<1>();
    __syncthreads();
    for (int k = 0; k < ROWS; ++k) sum += A[row * K + i * ROWS + k] * b[i & 1][k * 64 + t];  // finds: race
    __syncthreads();
  }
  C[row * N + t] = sum;
}

// run: --entry three_stages_wait_2 --block 64 --tile 1x64 --m 2 --n 64 --k 24
// wrong: with two tiles ahead at most one group may be left, not two
__global__ void three_stages_wait_2(SIGNATURE) {
  __shared__ alignas(16) float b[3][TILE];
  int t = threadIdx.x, row = blockIdx.y, tiles = K / ROWS;
  float sum = 0;
  for (int s = 0; s < 2; ++s) {
    copy16(b[s] + t * 4, B + s * ROWS * N + t * 4);
    commit();
  }
  for (int i = 0; i < tiles; ++i) {
    wait<2>();
    __syncthreads();
    for (int k = 0; k < ROWS; ++k) sum += A[row * K + i * ROWS + k] * b[i % 3][k * 64 + t];  // finds: race
    if (i + 2 < tiles) copy16(b[(i + 2) % 3] + t * 4, B + (i + 2) * ROWS * N + t * 4);
    commit();
  }
  C[row * N + t] = sum;
}

// run: --entry copy_into_the_tile_in_use --block 64 --tile 1x64 --m 2 --n 64 --k 24
// wrong: two stages for which one barrier per iteration is not enough, as the copy starts before it
__global__ void copy_into_the_tile_in_use(SIGNATURE) {
  __shared__ alignas(16) float b[2][TILE];
  int t = threadIdx.x, row = blockIdx.y, tiles = K / ROWS;
  float sum = 0;
  copy16(b[0] + t * 4, B + t * 4);
  commit();
#pragma unroll 1
  for (int i = 0; i < tiles; ++i) {
    if (i + 1 < tiles)
      copy16(b[(i + 1) & 1] + (63 - t) * 4, B + (i + 1) * ROWS * N + (63 - t) * 4);
    commit();
    wait<1>();
    __syncthreads();
    for (int k = 0; k < ROWS; ++k)
      sum += A[row * K + i * ROWS + k] * b[i & 1][k * 64 + t];  // finds: race
  }
  C[row * N + t] = sum;
}

// run: --entry plain_store_over_a_copy --block 64 --tile 1x64 --m 2 --n 64 --k 14
// wrong: zeros for the tail of K are stored without waiting for the copy to the same place
__global__ void plain_store_over_a_copy(SIGNATURE) {
  __shared__ float b[TILE];
  int t = threadIdx.x, row = blockIdx.y;
  float sum = 0;
  for (int k0 = 0; k0 < K; k0 += ROWS) {
    for (int k = 0; k < ROWS; ++k) {
      copy4(b + k * 64 + t, B + min(k0 + k, K - 1) * N + t);
      if (k0 + k >= K) b[k * 64 + t] = 0;  // finds: race
    }
    wait_all();
    __syncthreads();
    for (int k = 0; k < ROWS; ++k)
      sum += (k0 + k < K ? A[row * K + k0 + k] : 0) * b[k * 64 + t];
    __syncthreads();
  }
  C[row * N + t] = sum;
}

// run: --entry own_copy_read_at_once --block 64 --tile 1x64 --m 2 --n 64 --k 16
// wrong: also a thread's own copy must be waited for
__global__ void own_copy_read_at_once(SIGNATURE) {
  __shared__ float b[64];
  int t = threadIdx.x, row = blockIdx.y;
  float sum = 0;
  for (int k = 0; k < K; ++k) {
    copy4(b + t, B + k * N + t);
    commit();
    sum += A[row * K + k] * b[t];  // finds: race
    wait<0>();
  }
  C[row * N + t] = sum;
}

// run: --entry waits_by_one_warp --block 64 --tile 1x64 --m 2 --n 64 --k 16
// wrong: only the first warp waits, for its own copies
__global__ void waits_by_one_warp(SIGNATURE) {
  __shared__ alignas(16) float b[TILE];
  int t = threadIdx.x, row = blockIdx.y;
  float sum = 0;
  for (int k0 = 0; k0 < K; k0 += ROWS) {
    copy16(b + t * 4, B + k0 * N + t * 4);
    commit();
    if (t < 32) wait<0>();
    __syncthreads();
    for (int k = 0; k < ROWS; ++k) sum += A[row * K + k0 + k] * b[k * 64 + t];  // finds: race
    __syncthreads();
  }
  C[row * N + t] = sum;
}

// run: --entry one_group_for_a_and_b --block 64 --tile 1x64 --m 2 --n 64 --k 64
// wrong: the row of A and the tile of B are two groups, and wait_group 1 leaves the second one
__global__ void one_group_for_a_and_b(SIGNATURE) {
  __shared__ alignas(16) float a[64], b[TILE];
  int t = threadIdx.x, row = blockIdx.y;
  float sum = 0;
  copy4(a + t, A + row * K + t);
  commit();
#pragma unroll 1
  for (int k0 = 0; k0 < K; k0 += ROWS) {
    copy16(b + t * 4, B + k0 * N + t * 4);
    commit();
    wait<1>();
    __syncthreads();
    for (int k = 0; k < ROWS; ++k) sum += a[k0 + k] * b[k * 64 + t];  // finds: race
    __syncthreads();
  }
  C[row * N + t] = sum;
}

// run: --entry epilogue_before_the_last_copy --block 64 --tile 1x64 --m 2 --n 64 --k 16
// wrong: a copy that was started for nothing is still on its way when its memory is used for the result
__global__ void epilogue_before_the_last_copy(SIGNATURE) {
  __shared__ alignas(16) float b[2][TILE];
  int t = threadIdx.x, row = blockIdx.y, tiles = K / ROWS;
  float sum = 0;
  copy16(b[0] + t * 4, B + t * 4);
  commit();
#pragma unroll 1
  for (int i = 0; i < tiles; ++i) {
    copy16(b[(i + 1) & 1] + t * 4, B + (i + 1) % tiles * ROWS * N + t * 4);
    commit();
    wait<1>();
    __syncthreads();
    for (int k = 0; k < ROWS; ++k) sum += A[row * K + i * ROWS + k] * b[i & 1][k * 64 + t];
    __syncthreads();
  }
  b[0][t ^ 1] = sum;  // finds: race
  __syncthreads();
  C[row * N + (t ^ 1)] = b[0][t];
}

// run: --entry zero_fill_forgotten --block 64 --tile 1x64 --m 2 --n 64 --k 14
// wrong: no copy is started for rows of the tile beyond K, and they are read
__global__ void zero_fill_forgotten(SIGNATURE) {
  __shared__ float b[16][64];
  int t = threadIdx.x, row = blockIdx.y;
  float sum = 0;
  for (int k = 0; k < 16; ++k)
    if (k < K) copy4(&b[k][t], B + k * N + t);
  wait_all();
  __syncthreads();
  for (int k = 0; k < 16; ++k) sum += (k < K ? A[row * K + k] : 0) * b[k][t];  // finds: uninitialised
  C[row * N + t] = sum;
}
