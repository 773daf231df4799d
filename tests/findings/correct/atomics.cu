// Right: atomic operations, fences and flags.
#define SIGNATURE const float *A, const float *B, float *C, int M, int N, int K

__device__ float part_of(const float* A, const float* B, int row, int col, int N, int K, int part, int parts) {
  float sum = 0;
  for (int k = part * (K / parts); k < (part + 1) * (K / parts); ++k) sum += A[row * K + k] * B[k * N + col];
  return sum;
}

// run: --entry split_k_in_a_block --block 32x4 --tile 1x32 --m 2 --n 32 --k 16 --c zero
// right: four threads add to each element of a C that begins with zeros
__global__ void split_k_in_a_block(SIGNATURE) {
  int row = blockIdx.y, col = threadIdx.x;
  atomicAdd(&C[row * N + col], part_of(A, B, row, col, N, K, threadIdx.y, 4));
}

// run: --entry split_k_over_blocks --block 32 --tile 1x8 --m 2 --n 32 --k 32 --c zero
// right: four blocks add to each element
__global__ void split_k_over_blocks(SIGNATURE) {
  int row = blockIdx.y, col = threadIdx.x;
  atomicAdd(C + row * N + col, part_of(A, B, row, col, N, K, blockIdx.x, gridDim.x));
}

// run: --entry sum_in_c_of_one_thread --block 32 --tile 1x32 --m 2 --n 32 --k 16 --c zero
// right: one thread adds to its element in memory again and again
__global__ void sum_in_c_of_one_thread(SIGNATURE) {
  int row = blockIdx.y, col = threadIdx.x;
  for (int k = 0; k < K; ++k) C[row * N + col] += A[row * K + k] * B[k * N + col];
}

// run: --entry zeroed_then_added --block 32x4 --tile 1x32 --m 2 --n 32 --k 16
// right: a barrier between the store of zeros and the additions
__global__ void zeroed_then_added(SIGNATURE) {
  int row = blockIdx.y, col = threadIdx.x;
  if (threadIdx.y == 0) C[row * N + col] = 0;
  __syncthreads();
  atomicAdd(&C[row * N + col], part_of(A, B, row, col, N, K, threadIdx.y, 4));
}

// run: --entry parts_one_after_the_other --block 32x4 --tile 1x32 --m 2 --n 32 --k 16
// right: plain additions to C, with a barrier between the threads' turns
__global__ void parts_one_after_the_other(SIGNATURE) {
  int row = blockIdx.y, col = threadIdx.x;
  float sum = part_of(A, B, row, col, N, K, threadIdx.y, 4);
  for (int part = 0; part < 4; ++part) {
    if (part == 0 && threadIdx.y == 0) C[row * N + col] = sum;
    if (part > 0 && threadIdx.y == part) C[row * N + col] += sum;
    __syncthreads();
  }
}

// run: --entry shared_atomic_sum --block 64 --tile 1x1 --m 2 --n 2 --k 64
// right: barriers before and after the additions to shared memory
__global__ void shared_atomic_sum(SIGNATURE) {
  __shared__ float sum;
  int t = threadIdx.x, row = blockIdx.y, col = blockIdx.x;
  if (t == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, A[row * K + t] * B[t * N + col]);
  __syncthreads();
  if (t == 0) C[row * N + col] = sum;
}

// run: --entry shared_bins --block 64 --tile 1x8 --m 2 --n 8 --k 8
// right: eight threads add to each bin
__global__ void shared_bins(SIGNATURE) {
  __shared__ float sums[8];
  int t = threadIdx.x, row = blockIdx.y, col = t % 8, k = t / 8;
  if (t < 8) sums[t] = 0;
  __syncthreads();
  atomicAdd(&sums[col], A[row * K + k] * B[k * N + col]);
  __syncthreads();
  if (t < 8) C[row * N + t] = sums[t];
}

// run: --entry next_column_by_a_counter --block 64 --tile 1x8 --m 2 --n 8 --k 8
// right: warps take columns from a shared counter
__global__ void next_column_by_a_counter(SIGNATURE) {
  __shared__ int next;
  int lane = threadIdx.x % 32, row = blockIdx.y;
  if (threadIdx.x == 0) next = 0;
  __syncthreads();
  for (;;) {
    int col = lane == 0 ? atomicAdd(&next, 1) : 0;
    col = __shfl_sync(~0u, col, 0);
    if (col >= N) break;
    float sum = lane < K ? A[row * K + lane] * B[lane * N + col] : 0;
    for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
    if (lane == 0) C[row * N + col] = sum;
  }
}

__device__ unsigned blocks_done;

// run: --entry last_block_of_all --block 32 --tile 1x32 --m 4 --n 32 --k 32
// right: fence, counter, fence: the last block reads what all others have stored
__global__ void last_block_of_all(SIGNATURE) {
  __shared__ bool is_last;
  int lane = threadIdx.x, row = blockIdx.y;
  ((volatile float*)C)[row * N + lane] = part_of(A, B, row, lane, N, K, 0, 1);
  __threadfence();
  __syncthreads();
  if (lane == 0) is_last = atomicAdd(&blocks_done, 1) == gridDim.x * gridDim.y - 1;
  __syncthreads();
  if (!is_last) return;
  __threadfence();
  float largest = 0;
  for (int r = 0; r < M; ++r) largest = fmaxf(largest, fabsf(((volatile float*)C)[r * N + lane]));
  if (largest > 1e30f) C[lane] = 0;
}

// run: --entry flag_of_another_warp --block 64 --tile 1x32 --m 2 --n 32 --k 32
// right: stores, __syncwarp(), fence, an atomic flag; a wait for the flag, fence, reads
__global__ void flag_of_another_warp(SIGNATURE) {
  __shared__ float a[32];
  __shared__ int ready;
  int lane = threadIdx.x % 32, row = blockIdx.y;
  if (threadIdx.x == 0) ready = 0;
  __syncthreads();
  if (threadIdx.x >= 32) {
    a[lane] = A[row * K + lane];
    __threadfence_block();
    __syncwarp();
    if (lane == 0) atomicExch(&ready, 1);
  } else {
    while (atomicAdd(&ready, 0) == 0) {
    }
    __threadfence_block();
    float sum = 0;
    for (int k = 0; k < K; ++k) sum += a[k] * B[k * N + lane];
    C[row * N + lane] = sum;
  }
}

// run: --entry lock_of_an_element --block 64 --tile 1x1 --m 2 --n 2 --k 64
// right: one lane of each warp takes the lock, adds and gives it back
__global__ void lock_of_an_element(SIGNATURE) {
  __shared__ int lock;
  __shared__ float total;
  int t = threadIdx.x, row = blockIdx.y, col = blockIdx.x;
  if (t == 0) lock = 0, total = 0;
  __syncthreads();
  float sum = A[row * K + t] * B[t * N + col];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
  if (t % 32 == 0) {
    while (atomicCAS(&lock, 0, 1) != 0) {
    }
    __threadfence_block();
    total += sum;
    __threadfence_block();
    atomicExch(&lock, 0);
  }
  __syncthreads();
  if (t == 0) C[row * N + col] = total;
}

__device__ float scratch[4][64];

// run: --entry scratch_of_each_block --block 64 --tile 1x64 --m 4 --n 64 --k 64
// right: each block has a row of its own in global memory, and a barrier before others read it
__global__ void scratch_of_each_block(SIGNATURE) {
  int t = threadIdx.x, row = blockIdx.y;
  scratch[row][t] = A[row * K + t];
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += scratch[row][k] * B[k * N + t];
  C[row * N + t] = sum;
}
