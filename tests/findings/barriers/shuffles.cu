// Shuffles and votes that not all lanes of their mask reach.
#define SIGNATURE const float *A, const float *B, float *C, int M, int N, int K

// run: --entry shuffle_in_a_branch --block 32 --tile 1x1 --m 4 --n 4 --k 20
// wrong: the full mask names lanes that are not in the branch
__global__ void shuffle_in_a_branch(SIGNATURE) {
  int lane = threadIdx.x, row = blockIdx.y, col = blockIdx.x;
  if (lane < K) {
    float sum = A[row * K + lane] * B[lane * N + col];
    for (int step = 16; step > 0; step /= 2)
      sum += __shfl_down_sync(0xffffffff, sum, step);  // finds: barrier
    if (lane == 0) C[row * N + col] = sum;
  }
}

// run: --entry shuffle_after_a_return --block 32 --tile 1x1 --m 4 --n 4 --k 20
// wrong: a shuffle takes the values of lanes that have returned
__global__ void shuffle_after_a_return(SIGNATURE) {
  int lane = threadIdx.x, row = blockIdx.y, col = blockIdx.x;
  if (lane >= K) return;
  float sum = A[row * K + lane] * B[lane * N + col];
#pragma unroll
  for (int step = 16; step > 0; step >>= 1)
    sum += __shfl_down_sync(0xffffffff, sum, step);  // finds: barrier
  if (lane == 0) C[row * N + col] = sum;
}

// run: --entry shuffle_mask_without_the_caller --block 32 --tile 1x1 --m 4 --n 4 --k 32
// wrong: the upper half gives a mask that does not name it
__global__ void shuffle_mask_without_the_caller(SIGNATURE) {
  int lane = threadIdx.x, row = blockIdx.y, col = blockIdx.x;
  float sum = A[row * K + lane] * B[lane * N + col];
  sum += __shfl_xor_sync(0xffffffff, sum, 16);
  for (int step = 8; step > 0; step /= 2)
    sum += __shfl_xor_sync(0x0000ffff, sum, step);  // finds: barrier
  if (lane == 0) C[row * N + col] = sum;
}

// run: --entry shuffle_in_an_uneven_loop --block 32 --tile 1x32 --m 4 --n 32 --k 40
// wrong: lanes take a different number of iterations through a loop with a shuffle of all lanes
__global__ void shuffle_in_an_uneven_loop(SIGNATURE) {
  int lane = threadIdx.x, row = blockIdx.y;
  float sum = 0;
  for (int k0 = 0; k0 + lane < K; k0 += 32) {
    float a = A[row * K + k0 + lane];
    for (int k = 0; k < 8; ++k)
      sum += __shfl_sync(0xffffffff, a, k) * B[(k0 + k) * N + lane];  // finds: barrier
  }
  C[row * N + lane] = sum;
}

// run: --entry vote_in_a_branch --block 32 --tile 1x32 --m 4 --n 20 --k 16
// wrong: a vote of all lanes in a branch of some
__global__ void vote_in_a_branch(SIGNATURE) {
  int lane = threadIdx.x, row = blockIdx.y;
  float sum = 0;
  if (lane < N) {
    for (int k = 0; k < K; ++k) {
      float a = A[row * K + k];
      if (__any_sync(0xffffffff, a != 0)) sum += a * B[k * N + lane];  // finds: barrier
    }
  }
  __syncthreads();
  if (lane < N) C[row * N + lane] = sum;
}
