// Right: threads of a warp that exchange values in all ways in which they may.
#define SIGNATURE const float *A, const float *B, float *C, int M, int N, int K

// run: --entry reduction_with_syncwarp --block 32 --tile 1x1 --m 4 --n 4 --k 64
// right: reads and stores of each step are separated by __syncwarp()
__global__ void reduction_with_syncwarp(SIGNATURE) {
  __shared__ float part[32];
  int lane = threadIdx.x, row = blockIdx.y, col = blockIdx.x;
  float sum = 0;
  for (int k = lane; k < K; k += 32) sum += A[row * K + k] * B[k * N + col];
  part[lane] = sum;
  __syncwarp();
  for (int step = 16; step > 0; step /= 2) {
    float other = lane < step ? part[lane + step] : 0;
    __syncwarp();
    part[lane] += other;
    __syncwarp();
  }
  if (lane == 0) C[row * N + col] = part[0];
}

// run: --entry lower_half_adds --block 32 --tile 1x1 --m 4 --n 4 --k 32
// right: lanes below step read what lanes above it stored before __syncwarp()
__global__ void lower_half_adds(SIGNATURE) {
  __shared__ volatile float part[32];
  int lane = threadIdx.x, row = blockIdx.y, col = blockIdx.x;
  part[lane] = A[row * K + lane] * B[lane * N + col];
  __syncwarp();
#pragma unroll
  for (int step = 16; step > 0; step >>= 1) {
    if (lane < step) part[lane] = part[lane] + part[lane + step];
    __syncwarp();
  }
  if (lane == 0) C[row * N + col] = part[0];
}

// run: --entry mask_of_the_half_that_needs_it --block 32 --tile 2x16 --m 4 --n 16 --k 16
// right: each half of a warp has a row of its own and waits for itself
__global__ void mask_of_the_half_that_needs_it(SIGNATURE) {
  __shared__ float a[2][16];
  int half = threadIdx.x / 16, t = threadIdx.x % 16, row = blockIdx.y * 2 + half;
  a[half][t] = A[row * K + t];
  __syncwarp(half == 0 ? 0x0000ffff : 0xffff0000);
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += a[half][k] * B[k * N + t];
  C[row * N + t] = sum;
}

// run: --entry halves_in_their_branches --block 32 --tile 2x16 --m 4 --n 16 --k 16
// right: the halves wait in different branches, each with its own mask
__global__ void halves_in_their_branches(SIGNATURE) {
  __shared__ float a[2][16];
  int half = threadIdx.x / 16, t = threadIdx.x % 16, row = blockIdx.y * 2 + half;
  float sum = 0;
  if (half == 0) {
    a[0][t] = A[row * K + t];
    __syncwarp(0x0000ffff);
    for (int k = 0; k < K; ++k) sum += a[0][k] * B[k * N + t];
  } else {
    a[1][15 - t] = A[row * K + t];
    __syncwarp(0xffff0000);
    for (int k = 0; k < K; ++k) sum += a[1][15 - k] * B[k * N + t];
  }
  C[row * N + t] = sum;
}

// run: --entry syncwarp_in_both_branches --block 32 --tile 1x32 --m 4 --n 32 --k 32
// right: the lanes of the full mask come to __syncwarp() by two ways, and wait for each other
__global__ void syncwarp_in_both_branches(SIGNATURE) {
  __shared__ float a[32];
  int lane = threadIdx.x, row = blockIdx.y;
  if (lane < 16) {
    a[lane] = A[row * K + lane];
    __syncwarp();
  } else {
    a[lane] = __ldg(A + row * K + lane);
    __syncwarp();
  }
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += a[k] * B[k * N + lane];
  C[row * N + lane] = sum;
}

// run: --entry shuffle_among_those_inside --block 32 --tile 1x1 --m 4 --n 4 --k 20
// right: the mask is of the lanes that are in the branch, and values come from these alone
__global__ void shuffle_among_those_inside(SIGNATURE) {
  int lane = threadIdx.x, row = blockIdx.y, col = blockIdx.x;
  unsigned inside = __ballot_sync(0xffffffff, lane < K);
  if (lane < K) {
    float product = A[row * K + lane] * B[lane * N + col], sum = 0;
    for (int k = 0; k < K; ++k) sum += __shfl_sync(inside, product, k);
    if (lane == 0) C[row * N + col] = sum;
  }
}

// run: --entry shuffles_in_both_branches --block 32 --tile 1x2 --m 4 --n 4 --k 16
// right: each half adds up its own products, in a branch of its own
__global__ void shuffles_in_both_branches(SIGNATURE) {
  int lane = threadIdx.x, t = lane % 16, row = blockIdx.y;
  if (lane < 16) {
    int col = blockIdx.x * 2;
    float sum = A[row * K + t] * B[t * N + col];
    for (int step = 8; step > 0; step /= 2) sum += __shfl_down_sync(0x0000ffff, sum, step, 16);
    if (t == 0) C[row * N + col] = sum;
  } else {
    int col = blockIdx.x * 2 + 1;
    float sum = A[row * K + t] * B[t * N + col];
    for (int step = 8; step > 0; step /= 2) sum += __shfl_xor_sync(0xffff0000, sum, step, 16);
    if (t == 0) C[row * N + col] = sum;
  }
}

// run: --entry one_shuffle_by_two_ways --block 32 --tile 1x32 --m 2 --n 32 --k 8
// right: lanes of one mask come to one shuffle from both branches, and wait for each other
__global__ void one_shuffle_by_two_ways(SIGNATURE) {
  int lane = threadIdx.x, row = blockIdx.y;
  float a = 0, sum = 0;
  if (lane < K)
    a = A[row * K + lane];
  else
    a = __int_as_float(lane);
  for (int k = 0; k < K; ++k) sum += __shfl_sync(~0u, a, k) * B[k * N + lane];
  C[row * N + lane] = sum;
}

// run: --entry warps_leave_together --block 32x4 --tile 4x32 --m 6 --n 32 --k 32
// right: whole warps return, and the others use __syncwarp() alone
__global__ void warps_leave_together(SIGNATURE) {
  __shared__ float a[4][32];
  int lane = threadIdx.x, row = blockIdx.y * 4 + threadIdx.y;
  if (row >= M) return;
  a[threadIdx.y][lane] = A[row * K + lane];
  __syncwarp();
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += a[threadIdx.y][k] * B[k * N + lane];
  C[row * N + lane] = sum;
}

// run: --entry sums_of_warps --block 128 --tile 1x1 --m 2 --n 2 --k 128
// right: sums of warps by shuffles, then of the block through shared memory
__global__ void sums_of_warps(SIGNATURE) {
  __shared__ float of_warp[4];
  int t = threadIdx.x, lane = t % 32, warp = t / 32, row = blockIdx.y, col = blockIdx.x;
  float sum = A[row * K + t] * B[t * N + col];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffff, sum, step);
  if (lane == 0) of_warp[warp] = sum;
  __syncthreads();
  if (warp == 0) {
    sum = lane < 4 ? of_warp[lane] : 0;
    for (int step = 2; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffff, sum, step);
    if (lane == 0) C[row * N + col] = sum;
  }
}

// run: --entry tree_of_the_block --block 128 --tile 1x1 --m 2 --n 2 --k 128
// right: the barrier is outside of the condition
__global__ void tree_of_the_block(SIGNATURE) {
  __shared__ float part[128];
  int t = threadIdx.x, row = blockIdx.y, col = blockIdx.x;
  part[t] = A[row * K + t] * B[t * N + col];
  for (int step = 64; step > 0; step >>= 1) {
    __syncthreads();
    if (t < step) part[t] += part[t + step];
  }
  if (t == 0) C[row * N + col] = part[0];
}

// run: --entry last_warp_with_syncwarp --block 128 --tile 1x1 --m 2 --n 2 --k 128
// right: barriers of the block as long as several warps add, then __syncwarp()
__global__ void last_warp_with_syncwarp(SIGNATURE) {
  __shared__ float part[128];
  int t = threadIdx.x, row = blockIdx.y, col = blockIdx.x;
  part[t] = A[row * K + t] * B[t * N + col];
  __syncthreads();
  if (t < 64) part[t] += part[t + 64];
  __syncthreads();
  if (t < 32) {
    float sum = part[t] + part[t + 32];
    for (int step = 16; step > 0; step /= 2) {
      __syncwarp();
      part[t] = sum;
      __syncwarp();
      sum += part[t ^ step];
    }
    if (t == 0) C[row * N + col] = sum;
  }
}

// run: --entry broadcast_with_two_syncwarps --block 32 --tile 1x32 --m 4 --n 32 --k 32
// right: one __syncwarp() before the reads, one after them
__global__ void broadcast_with_two_syncwarps(SIGNATURE) {
  __shared__ float element;
  int lane = threadIdx.x, row = blockIdx.y;
  float sum = 0;
  for (int k = 0; k < K; ++k) {
    if (lane == k % 32) element = A[row * K + k];
    __syncwarp();
    sum += element * B[k * N + lane];
    __syncwarp();
  }
  C[row * N + lane] = sum;
}

// run: --entry own_element_needs_no_barrier --block 64 --tile 1x64 --m 4 --n 64 --k 8
// right: each thread reads only what it has stored itself
__global__ void own_element_needs_no_barrier(SIGNATURE) {
  __shared__ float sums[64];
  int t = threadIdx.x, row = blockIdx.y;
  sums[t] = 0;
  for (int k = 0; k < K; ++k) sums[t] += A[row * K + k] * B[k * N + t];
  C[row * N + t] = sums[t];
}

// run: --entry exchange_in_one_instruction --block 32 --tile 1x1 --m 4 --n 4 --k 32
// right: a scan by shuffles, in which lanes below the step keep their value
__global__ void exchange_in_one_instruction(SIGNATURE) {
  int lane = threadIdx.x, row = blockIdx.y, col = blockIdx.x;
  float sum = A[row * K + lane] * B[lane * N + col];
  for (int d = 1; d < 32; d *= 2) {
    float below = __shfl_up_sync(~0u, sum, d);
    if (lane >= d) sum += below;
  }
  if (lane == 31) C[row * N + col] = sum;
}

// run: --entry vote_in_a_uniform_loop --block 32 --tile 1x32 --m 4 --n 20 --k 16
// right: the loop ends for all lanes at once, by a vote
__global__ void vote_in_a_uniform_loop(SIGNATURE) {
  int lane = threadIdx.x, row = blockIdx.y, k = lane % 2 ? 1 : 0;
  float sum = lane % 2 && lane < N ? A[row * K] * B[lane] : 0;
  while (__any_sync(~0u, k < K)) {
    if (k < K && lane < N) sum += A[row * K + k] * B[k * N + lane];
    ++k;
  }
  if (lane < N) C[row * N + lane] = sum;
}

// run: --entry groups_of_8_and_some_leave --block 32 --tile 1x4 --m 4 --n 3 --k 32
// right: a whole group of 8 has returned, and the others shuffle among themselves
__global__ void groups_of_8_and_some_leave(SIGNATURE) {
  int row = blockIdx.y, col = threadIdx.x / 8, t = threadIdx.x % 8;
  if (col >= N) return;
  unsigned mask = 0xffu << (threadIdx.x / 8 * 8);
  float sum = 0;
  for (int k = t; k < K; k += 8) sum += A[row * K + k] * B[k * N + col];
  for (int step = 4; step > 0; step /= 2) sum += __shfl_xor_sync(mask, sum, step, 8);
  if (t == 0) C[row * N + col] = sum;
}

// run: --entry active_columns_wait --block 32 --tile 1x32 --m 4 --n 40 --k 32
// right: the lanes that have a column read what all of them wrote; the mask names just them
__global__ void active_columns_wait(SIGNATURE) {
  __shared__ float a[32];
  int lane = threadIdx.x, col = blockIdx.x * 32 + lane, row = blockIdx.y;
  unsigned act = __ballot_sync(~0u, col < N);
  if (col < N) {
    float sum = 0;
    int width = __popc(act);
    for (int k0 = 0; k0 < K; k0 += width) {
      a[lane] = A[row * K + k0 + lane];
      __syncwarp(act);
      for (int k = 0; k < width; ++k) sum += a[k] * B[(k0 + k) * N + col];
      __syncwarp(act);
    }
    C[row * N + col] = sum;
  }
}
