// Sums of a block in shared memory.
#define SIGNATURE const float *A, const float *B, float *C, int M, int N, int K

// run: --entry block_reduction_one_barrier --block 128 --tile 1x1 --m 2 --n 2 --k 128
// wrong: the barrier is missing in the loop of the tree
__global__ void block_reduction_one_barrier(SIGNATURE) {
  __shared__ float part[128];
  int t = threadIdx.x, row = blockIdx.y, col = blockIdx.x;
  part[t] = A[row * K + t] * B[t * N + col];
  __syncthreads();
  for (int step = 64; step > 0; step >>= 1) {
    if (t < step) part[t] += part[t + step];  // finds: race
  }
  if (t == 0) C[row * N + col] = part[0];
}

// run: --entry block_reduction_barrier_in_the_branch --block 128 --tile 1x1 --m 2 --n 2 --k 128
// wrong: threads that have no more to add do not reach the barrier
__global__ void block_reduction_barrier_in_the_branch(SIGNATURE) {
  __shared__ float part[128];
  int t = threadIdx.x, row = blockIdx.y, col = blockIdx.x;
  part[t] = A[row * K + t] * B[t * N + col];
  __syncthreads();
  for (int step = 64; step > 0; step >>= 1) {
    if (t < step) {
      part[t] += part[t + step];
      __syncthreads();  // finds: barrier
    }
  }
  if (t == 0) C[row * N + col] = part[0];
}

// run: --entry partial_sums_of_warps --block 128 --tile 1x1 --m 2 --n 2 --k 128
// wrong: warp 0 reads the sums of the other warps without a barrier
__global__ void partial_sums_of_warps(SIGNATURE) {
  __shared__ float of_warp[4];
  int t = threadIdx.x, lane = t % 32, warp = t / 32, row = blockIdx.y, col = blockIdx.x;
  float sum = A[row * K + t] * B[t * N + col];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffff, sum, step);
  if (lane == 0) of_warp[warp] = sum;
  if (t == 0) {
    sum = 0;
    for (int w = 0; w < 4; ++w) sum += of_warp[w];  // finds: race
    C[row * N + col] = sum;
  }
}

// run: --entry reduction_used_again --block 64 --tile 1x2 --m 2 --n 4 --k 64
// wrong: the second sum is stored while a thread may still read the first
__global__ void reduction_used_again(SIGNATURE) {
  __shared__ float of_warp[2];
  int t = threadIdx.x, lane = t & 31, warp = t >> 5, row = blockIdx.y;
#pragma unroll 1
  for (int col = blockIdx.x * 2; col < blockIdx.x * 2 + 2; ++col) {
    float sum = A[row * K + t] * B[t * N + col];
    for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
    if (lane == 0) of_warp[warp] = sum;  // finds: race
    __syncthreads();
    if (t == 0) C[row * N + col] = of_warp[0] + of_warp[1];
  }
}
