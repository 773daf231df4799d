// Right: lanes of one mask that come to .sync instructions by different paths.
#define SIGNATURE const float *A, const float *B, float *C, int M, int N, int K

// run: --entry vote_after_a_return --block 32 --tile 1x32 --m 4 --n 20 --k 16
// right: lanes that have returned are waited for by nobody, though the mask names them
__global__ void vote_after_a_return(SIGNATURE) {
  int lane = threadIdx.x, row = blockIdx.y;
  if (lane >= N) return;
  float sum = 0;
  for (int k = 0; k < K; ++k) {
    float a = A[row * K + k];
    if (__any_sync(~0u, a != 0)) sum += a * B[k * N + lane];
  }
  C[row * N + lane] = sum;
}

// run: --entry broadcast_after_a_return --block 32 --tile 1x32 --m 4 --n 20 --k 32
// right: the lanes that stay take values of each other alone
__global__ void broadcast_after_a_return(SIGNATURE) {
  int lane = threadIdx.x, row = blockIdx.y;
  if (lane >= N) return;
  float sum = 0;
  for (int k = 0; k < K; ++k) {
    float a = lane == 0 ? A[row * K + k] : 0;
    sum += __shfl_sync(~0u, a, 0) * B[k * N + lane];
  }
  C[row * N + lane] = sum;
}

// run: --entry one_exchange_in_both_branches --block 32 --tile 1x32 --m 4 --n 32 --k 8
// right: each branch has its own shuffle, and the halves exchange values by them
__global__ void one_exchange_in_both_branches(SIGNATURE) {
  int lane = threadIdx.x, row = blockIdx.y;
  float sum = 0, other;
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + (lane ^ 16)];
  if (lane < 16)
    other = __shfl_xor_sync(~0u, sum, 16);
  else
    other = __shfl_xor_sync(~0u, sum + 0.0f, 16);
  C[row * N + lane] = other;
}

// run: --entry exchange_through_memory_in_both_branches --block 32 --tile 1x32 --m 4 --n 32 --k 8
// right: both branches store, wait with the full mask, and read what the other half has stored
__global__ void exchange_through_memory_in_both_branches(SIGNATURE) {
  __shared__ float sums[32];
  int lane = threadIdx.x, row = blockIdx.y;
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + (lane ^ 16)];
  if (lane < 16) {
    sums[lane] = sum;
    __syncwarp();
    C[row * N + lane] = sums[lane + 16];
  } else {
    sums[lane] = sum + 0.0f;
    __syncwarp();
    C[row * N + lane] = sums[lane - 16];
  }
}

// run: --entry halves_in_loops_of_their_own --block 32 --tile 2x16 --m 4 --n 16 --k 48
// right: each half goes through its own part of K, as often as that takes, with its own mask
__global__ void halves_in_loops_of_their_own(SIGNATURE) {
  int lane = threadIdx.x, half = lane / 16, t = lane % 16, row = blockIdx.y * 2 + half;
  unsigned mask = half == 0 ? 0x0000ffff : 0xffff0000;
  int step = half == 0 ? 8 : 16;
  float sum = 0;
  for (int k0 = 0; k0 < K; k0 += step) {
    float a = t < step ? A[row * K + k0 + t] : 0;
    for (int k = 0; k < step; ++k) sum += __shfl_sync(mask, a, k, 16) * B[(k0 + k) * N + t];
  }
  C[row * N + t] = sum;
}

// run: --entry mask_of_those_that_are_here --block 32 --tile 1x32 --m 4 --n 32 --k 32
// right: lanes with a zero of A leave the branch out, and the others exchange among themselves
__global__ void mask_of_those_that_are_here(SIGNATURE) {
  int lane = threadIdx.x, row = blockIdx.y;
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + lane];
  if (sum < 0) {
    unsigned here = __activemask();
    sum = __shfl_sync(here, sum, lane);
  }
  C[row * N + lane] = sum;
}
