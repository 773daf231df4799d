// Lanes of one mask of which some never come, or come too late.
#define SIGNATURE const float *A, const float *B, float *C, int M, int N, int K

// run: --entry shuffle_in_one_branch --block 32 --tile 1x32 --m 4 --n 32 --k 8
// wrong: one branch exchanges values with lanes that are in the other, which does not
__global__ void shuffle_in_one_branch(SIGNATURE) {
  int lane = threadIdx.x, row = blockIdx.y;
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + lane];
  if (lane < 16)
    sum += 0 * __shfl_xor_sync(~0u, sum, 16);  // finds: barrier
  else
    sum *= 1.0f;
  C[row * N + lane] = sum;
}

// run: --entry one_shuffle_more --block 32 --tile 1x32 --m 4 --n 32 --k 8
// wrong: lanes below 16 shuffle once more than the others
__global__ void one_shuffle_more(SIGNATURE) {
  int lane = threadIdx.x, row = blockIdx.y;
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + lane];
  int times = lane < 16 ? M : M - 1;
#pragma unroll 1
  for (int i = 0; i < times; ++i) sum += 0 * __shfl_xor_sync(~0u, sum, 16);  // finds: barrier
  C[row * N + lane] = sum;
}

// run: --entry stores_after_they_have_met --block 32 --tile 1x32 --m 4 --n 32 --k 8
// wrong: the upper half stores after the __syncwarp() at which the lower half waits for it
__global__ void stores_after_they_have_met(SIGNATURE) {
  __shared__ float sums[32];
  int lane = threadIdx.x, row = blockIdx.y;
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + lane];
  if (lane < 16) {
    sums[lane] = sum;
    __syncwarp();
    sum += 0 * sums[lane + 16];  // finds: race
  } else {
    __syncwarp();
    sums[lane] = sum;
  }
  C[row * N + lane] = sum;
}

// run: --entry value_of_a_lane_that_returned --block 32 --tile 1x32 --m 4 --n 20 --k 32
// wrong: the last lanes have returned, and the elements of A that they held are asked for
__global__ void value_of_a_lane_that_returned(SIGNATURE) {
  int lane = threadIdx.x, row = blockIdx.y;
  if (lane >= N) return;
  float a = A[row * K + lane], sum = 0;
  for (int k = 0; k < K; ++k) sum += __shfl_sync(~0u, a, k) * B[k * N + lane];  // finds: barrier
  C[row * N + lane] = sum;
}
