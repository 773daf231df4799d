// Barriers with a number and a count of threads, through inline assembly.
#define SIGNATURE const float *A, const float *B, float *C, int M, int N, int K

__device__ void wait_at(int number, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(number), "r"(threads) : "memory");
}
__device__ void arrive_at(int number, int threads) {
  asm volatile("bar.arrive %0, %1;" ::"r"(number), "r"(threads) : "memory");
}

// Each half of the block, of 64 threads, computes rows of C with a row of A of its own.

// run: --entry one_number_for_both_halves --block 128 --tile 2x64 --m 4 --n 64 --k 64
// wrong: both halves wait at barrier 1, and any two warps complete it
__global__ void one_number_for_both_halves(SIGNATURE) {
  __shared__ float row_of_a[2][64];
  int half = threadIdx.x / 64, t = threadIdx.x % 64, row = blockIdx.y * 2 + half;
  row_of_a[half][t] = A[row * K + t];
  asm volatile("bar.sync 1, 64;" ::: "memory");  // finds: barrier
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += row_of_a[half][k] * B[k * N + t];
  C[row * N + t] = sum;
}

// run: --entry count_of_one_warp --block 128 --tile 2x64 --m 4 --n 64 --k 64
// wrong: the count is that of one warp, so nobody waits for the other
__global__ void count_of_one_warp(SIGNATURE) {
  __shared__ float row_of_a[2][64];
  int half = threadIdx.x / 64, t = threadIdx.x % 64, row = blockIdx.y * 2 + half;
  row_of_a[half][t] = A[row * K + t];
  wait_at(1 + half, 32);
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += row_of_a[half][k] * B[k * N + t];  // finds: race
  C[row * N + t] = sum;
}

// run: --entry count_of_more_than_come --block 128 --tile 2x64 --m 4 --n 64 --k 64
// wrong: each half waits for 128 threads at a barrier to which 64 come
__global__ void count_of_more_than_come(SIGNATURE) {
  __shared__ float row_of_a[2][64];
  int half = threadIdx.x / 64, t = threadIdx.x % 64, row = blockIdx.y * 2 + half;
  row_of_a[half][t] = A[row * K + t];
  if (half == 0)
    asm volatile("bar.sync 1, 128;" ::: "memory");  // finds: barrier
  else
    asm volatile("bar.sync 2, 128;" ::: "memory");
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += row_of_a[half][k] * B[k * N + t];
  C[row * N + t] = sum;
}

// run: --entry half_of_the_block_by_count --block 128 --tile 1x128 --m 4 --n 128 --k 128
// wrong: bar.sync 0, 64 in a block of 128 threads, all of which share the row
// also: barrier
__global__ void half_of_the_block_by_count(SIGNATURE) {
  __shared__ float row_of_a[128];
  int t = threadIdx.x, row = blockIdx.y;
  row_of_a[t] = A[row * K + t];
  asm volatile("bar.sync 0, 64;" ::: "memory");
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += row_of_a[k] * B[k * N + t];  // finds: race
  C[row * N + t] = sum;
}

// run: --entry count_of_no_whole_warps --block 64 --tile 1x64 --m 4 --n 64 --k 64
// wrong: the count is not a multiple of 32
__global__ void count_of_no_whole_warps(SIGNATURE) {
  __shared__ float row_of_a[64];
  int t = threadIdx.x, row = blockIdx.y;
  row_of_a[t] = A[row * K + t];
  wait_at(1, 48);  // finds: barrier
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += row_of_a[k] * B[k * N + t];
  C[row * N + t] = sum;
}

// Warp 0 produces rows of A, one at a time; warp 1 multiplies. Barrier 1: the row is full, barrier 2: it is empty.

// run: --entry producer_never_arrives --block 64 --tile 1x32 --m 2 --n 32 --k 32
// wrong: the producer stores the row, and does not arrive at the barrier that the consumer waits at
__global__ void producer_never_arrives(SIGNATURE) {
  __shared__ float row_of_a[32];
  int lane = threadIdx.x % 32, row = blockIdx.y;
  if (threadIdx.x < 32) {
    row_of_a[lane] = A[row * K + lane];
    __threadfence_block();
  } else {
    asm volatile("bar.sync 1, 64;" ::: "memory");  // finds: barrier
    float sum = 0;
    for (int k = 0; k < K; ++k) sum += row_of_a[k] * B[k * N + lane];
    C[row * N + lane] = sum;
  }
}

// run: --entry numbers_exchanged --block 64 --tile 1x32 --m 2 --n 32 --k 32
// wrong: the producer arrives at barrier 2, the consumer waits at barrier 1
__global__ void numbers_exchanged(SIGNATURE) {
  __shared__ float row_of_a[32];
  int lane = threadIdx.x % 32, row = blockIdx.y;
  if (threadIdx.x < 32) {
    row_of_a[lane] = A[row * K + lane];
    asm volatile("bar.arrive 2, 64;" ::: "memory");
  } else {
    asm volatile("bar.sync 1, 64;" ::: "memory");  // finds: barrier
    float sum = 0;
    for (int k = 0; k < K; ++k) sum += row_of_a[k] * B[k * N + lane];
    C[row * N + lane] = sum;
  }
}

// run: --entry consumer_arrives_only --block 64 --tile 1x32 --m 2 --n 32 --k 32
// wrong: the consumer arrives where it should wait
__global__ void consumer_arrives_only(SIGNATURE) {
  __shared__ float row_of_a[32];
  int lane = threadIdx.x % 32, row = blockIdx.y;
  if (threadIdx.x < 32) {
    row_of_a[lane] = A[row * K + lane];
    asm volatile("bar.sync 1, 64;" ::: "memory");
  } else {
    asm volatile("bar.arrive 1, 64;" ::: "memory");
    float sum = 0;
    for (int k = 0; k < K; ++k) sum += row_of_a[k] * B[k * N + lane];  // finds: race
    C[row * N + lane] = sum;
  }
}

// run: --entry arrives_before_it_stores --block 64 --tile 1x32 --m 2 --n 32 --k 32
// wrong: the producer arrives first and stores the row afterwards
__global__ void arrives_before_it_stores(SIGNATURE) {
  __shared__ float row_of_a[32];
  int lane = threadIdx.x % 32, row = blockIdx.y;
  if (threadIdx.x < 32) {
    arrive_at(1, 64);
    row_of_a[lane] = A[row * K + lane];
  } else {
    wait_at(1, 64);
    float sum = 0;
    for (int k = 0; k < K; ++k) sum += row_of_a[k] * B[k * N + lane];  // finds: race
    C[row * N + lane] = sum;
  }
}

// run: --entry no_wait_until_empty --block 64 --tile 1x32 --m 2 --n 32 --k 64
// wrong: the producer stores the second piece of the row over the first without waiting
__global__ void no_wait_until_empty(SIGNATURE) {
  __shared__ float piece[32];
  int lane = threadIdx.x % 32, row = blockIdx.y;
  float sum = 0;
#pragma unroll 1
  for (int k0 = 0; k0 < K; k0 += 32) {
    if (threadIdx.x < 32) {
      piece[lane] = A[row * K + k0 + lane];  // finds: race
      asm volatile("bar.sync 1, 64;" ::: "memory");
    } else {
      asm volatile("bar.sync 1, 64;" ::: "memory");
      for (int k = 0; k < 32; ++k) sum += piece[k] * B[(k0 + k) * N + lane];
    }
  }
  if (threadIdx.x >= 32) C[row * N + lane] = sum;
}

// run: --entry empty_is_signalled_too_early --block 64 --tile 1x32 --m 2 --n 32 --k 64
// wrong: the consumer says that the piece is empty before it has read it
__global__ void empty_is_signalled_too_early(SIGNATURE) {
  __shared__ float piece[32];
  int lane = threadIdx.x % 32, row = blockIdx.y;
  float sum = 0;
#pragma unroll 1
  for (int k0 = 0; k0 < K; k0 += 32) {
    if (threadIdx.x < 32) {
      if (k0 > 0) wait_at(2, 64);
      piece[lane] = A[row * K + k0 + lane];  // finds: race
      arrive_at(1, 64);
    } else {
      wait_at(1, 64);
      if (k0 + 32 < K) arrive_at(2, 64);
      for (int k = 0; k < 32; ++k) sum += piece[k] * B[(k0 + k) * N + lane];
    }
  }
  if (threadIdx.x >= 32) C[row * N + lane] = sum;
}

// run: --entry one_number_for_full_and_empty --block 96 --tile 1x64 --m 2 --n 64 --k 64
// wrong: barrier 1 is "full" and "empty", so that the producer goes on when one consumer has come for the full piece
// also: race
__global__ void one_number_for_full_and_empty(SIGNATURE) {
  __shared__ float piece[32];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, row = blockIdx.y;
  float sum = 0;
#pragma unroll 1
  for (int k0 = 0; k0 < K; k0 += 32) {
    if (warp == 0) {
      piece[lane] = A[row * K + k0 + lane];
      wait_at(1, 64);
      wait_at(1, 64);
    } else {
      wait_at(1, 64);  // finds: barrier
      for (int k = 0; k < 32; ++k) sum += piece[k] * B[(k0 + k) * N + threadIdx.x - 32];
    }
  }
  if (warp > 0) C[row * N + threadIdx.x - 32] = sum;
}

// run: --entry number_of_another_stage --block 64 --tile 1x32 --m 2 --n 32 --k 64
// wrong: in the second iteration the consumer waits at the first stage's barrier again
__global__ void number_of_another_stage(SIGNATURE) {
  __shared__ float piece[2][32];
  int lane = threadIdx.x % 32, row = blockIdx.y;
  float sum = 0;
  if (threadIdx.x < 32) {
    for (int s = 0; s < 2; ++s) {
      piece[s][lane] = A[row * K + s * 32 + lane];
      arrive_at(1 + s, 64);
    }
  } else {
    for (int s = 0; s < 2; ++s) {
      wait_at(1, 64);  // finds: barrier
      for (int k = 0; k < 32; ++k) sum += piece[s][k] * B[(s * 32 + k) * N + lane];
    }
    C[row * N + lane] = sum;
  }
}

// run: --entry named_barrier_in_half_a_warp --block 64 --tile 1x64 --m 2 --n 64 --k 64
// wrong: bar.sync is executed by half of the threads of each warp
__global__ void named_barrier_in_half_a_warp(SIGNATURE) {
  __shared__ float row_of_a[64];
  int t = threadIdx.x, row = blockIdx.y;
  row_of_a[t] = A[row * K + t];
  if (t % 32 < 16) asm volatile("bar.sync 3, 64;" ::: "memory");  // finds: barrier
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += row_of_a[k] * B[k * N + t];
  C[row * N + t] = sum;
}
