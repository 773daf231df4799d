// Right: barriers with a number and a count of threads.
#define SIGNATURE const float *A, const float *B, float *C, int M, int N, int K

__device__ void wait_at(int number, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(number), "r"(threads) : "memory");
}
__device__ void arrive_at(int number, int threads) {
  asm volatile("bar.arrive %0, %1;" ::"r"(number), "r"(threads) : "memory");
}

// run: --entry barrier_of_each_half --block 128 --tile 2x64 --m 4 --n 64 --k 64
// right: each half of the block has a row and a barrier of its own
__global__ void barrier_of_each_half(SIGNATURE) {
  __shared__ float row_of_a[2][64];
  int half = threadIdx.x / 64, t = threadIdx.x % 64, row = blockIdx.y * 2 + half;
  row_of_a[half][t] = A[row * K + t];
  wait_at(1 + half, 64);
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += row_of_a[half][k] * B[k * N + t];
  C[row * N + t] = sum;
}

// run: --entry whole_block_by_count --block 128 --tile 1x128 --m 2 --n 128 --k 128
// right: bar.sync 0 with the count of the block is __syncthreads()
__global__ void whole_block_by_count(SIGNATURE) {
  __shared__ float row_of_a[128];
  int t = threadIdx.x, row = blockIdx.y;
  row_of_a[t] = A[row * K + t];
  asm volatile("bar.sync 0, 128;" ::: "memory");
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += row_of_a[k] * B[k * N + t];
  C[row * N + t] = sum;
}

// run: --entry whole_block_at_barrier_15 --block 64 --tile 1x64 --m 2 --n 64 --k 64
// right: any number from 0 to 15 may be the block's barrier
__global__ void whole_block_at_barrier_15(SIGNATURE) {
  __shared__ float row_of_a[64];
  int t = threadIdx.x, row = blockIdx.y;
  row_of_a[t] = A[row * K + t];
  asm volatile("barrier.sync.aligned 15;" ::: "memory");
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += row_of_a[k] * B[k * N + t];
  C[row * N + t] = sum;
}

// run: --entry full_and_empty --block 64 --tile 1x32 --m 2 --n 32 --k 128
// right: the producer arrives at "full" and waits at "empty", the consumer the other way round
__global__ void full_and_empty(SIGNATURE) {
  __shared__ float piece[32];
  int lane = threadIdx.x % 32, row = blockIdx.y;
  if (threadIdx.x < 32) {
    for (int k0 = 0; k0 < K; k0 += 32) {
      if (k0 > 0) wait_at(2, 64);
      piece[lane] = A[row * K + k0 + lane];
      arrive_at(1, 64);
    }
  } else {
    float sum = 0;
    for (int k0 = 0; k0 < K; k0 += 32) {
      wait_at(1, 64);
      for (int k = 0; k < 32; ++k) sum += piece[k] * B[(k0 + k) * N + lane];
      if (k0 + 32 < K) arrive_at(2, 64);
    }
    C[row * N + lane] = sum;
  }
}

// run: --entry two_stages_of_named_barriers --block 64 --tile 1x32 --m 2 --n 32 --k 128
// right: barriers 1 and 2 are "full" of two stages, 3 and 4 are "empty"
__global__ void two_stages_of_named_barriers(SIGNATURE) {
  __shared__ float piece[2][32];
  int lane = threadIdx.x % 32, row = blockIdx.y, pieces = K / 32;
  if (threadIdx.x < 32) {
    for (int i = 0; i < pieces; ++i) {
      int s = i & 1;
      if (i >= 2) wait_at(3 + s, 64);
      piece[s][lane] = A[row * K + i * 32 + lane];
      arrive_at(1 + s, 64);
    }
  } else {
    float sum = 0;
    for (int i = 0; i < pieces; ++i) {
      int s = i & 1;
      wait_at(1 + s, 64);
      for (int k = 0; k < 32; ++k) sum += piece[s][k] * B[(i * 32 + k) * N + lane];
      if (i + 2 < pieces) arrive_at(3 + s, 64);
    }
    C[row * N + lane] = sum;
  }
}

// run: --entry two_consumers_of_one_producer --block 96 --tile 1x64 --m 2 --n 64 --k 64
// right: a producer warp and two consumer warps: 96 threads at each barrier
__global__ void two_consumers_of_one_producer(SIGNATURE) {
  __shared__ float piece[32];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, row = blockIdx.y, col = threadIdx.x - 32;
  if (warp == 0) {
    for (int k0 = 0; k0 < K; k0 += 32) {
      if (k0 > 0) wait_at(2, 96);
      piece[lane] = A[row * K + k0 + lane];
      arrive_at(1, 96);
    }
  } else {
    float sum = 0;
    for (int k0 = 0; k0 < K; k0 += 32) {
      wait_at(1, 96);
      for (int k = 0; k < 32; ++k) sum += piece[k] * B[(k0 + k) * N + col];
      if (k0 + 32 < K) arrive_at(2, 96);
    }
    C[row * N + col] = sum;
  }
}

// run: --entry halves_then_block --block 128 --tile 2x64 --m 4 --n 64 --k 64
// right: two halves wait for themselves, then all for each other, in turn
__global__ void halves_then_block(SIGNATURE) {
  __shared__ float row_of_a[2][64], scale[2];
  int half = threadIdx.x / 64, t = threadIdx.x % 64, row = blockIdx.y * 2 + half;
  row_of_a[half][t] = A[row * K + t];
  wait_at(1 + half, 64);
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += row_of_a[half][k] * B[k * N + t];
  if (t == 0) scale[half] = 0.5f;
  __syncthreads();
  C[row * N + t] = sum * (scale[0] + scale[1]);
}
