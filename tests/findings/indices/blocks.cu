// Blocks that read and write the same global memory, in no order.
#define SIGNATURE const float *A, const float *B, float *C, int M, int N, int K

__device__ float dot(const float* A, const float* B, int row, int col, int N, int K) {
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];
  return sum;
}

__device__ float partial[4][64], total_of_a_row;
__device__ int blocks_done;

// run: --entry parts_of_other_blocks --block 64 --tile 1x16 --m 1 --n 64 --k 64 --c zero
// wrong: each block leaves its part of K in scratch memory, and the last in the grid adds up without waiting
__global__ void parts_of_other_blocks(SIGNATURE) {
  int col = threadIdx.x, part = K / gridDim.x, first = blockIdx.x * part;
  partial[blockIdx.x][col] = dot(A + first, B + first * N, 0, col, N, part);  // finds: race
  __syncthreads();
  if (blockIdx.x != gridDim.x - 1) return;
  float sum = 0;
  for (int p = 0; p < gridDim.x; ++p) sum += partial[p][col];  // finds: race
  C[col] = sum;
}

// run: --entry counter_without_a_fence --block 64 --tile 1x16 --m 1 --n 64 --k 64 --c zero
// wrong: the last block is found by a counter, but nothing orders the parts before the counter
__global__ void counter_without_a_fence(SIGNATURE) {
  __shared__ bool is_last;
  int col = threadIdx.x, part = K / gridDim.x, first = blockIdx.x * part;
  partial[blockIdx.x][col] = dot(A + first, B + first * N, 0, col, N, part);
  if (col == 0) is_last = atomicAdd(&blocks_done, 1) == gridDim.x - 1;
  __syncthreads();
  if (!is_last) return;
  float sum = 0;
  for (int p = 0; p < gridDim.x; ++p) sum += partial[p][col];  // finds: race
  C[col] = sum;
}

// run: --entry one_sum_for_all_rows --block 32 --tile 1x32 --m 4 --n 32 --k 32
// wrong: blocks of different rows keep the row's sum in one variable
__global__ void one_sum_for_all_rows(SIGNATURE) {
  int row = blockIdx.y, col = threadIdx.x;
  if (col == 0) {
    float sum = 0;
    for (int k = 0; k < K; ++k) sum += A[row * K + k];
    total_of_a_row = sum;  // finds: race
  }
  __syncthreads();
  C[row * N + col] = dot(A, B, row, col, N, K) + 0 * total_of_a_row;
}

// run: --entry row_above --block 32 --tile 1x32 --m 4 --n 32 --k 32 --c zero
// wrong: each row adds nothing of the row above, which another block may be writing
__global__ void row_above(SIGNATURE) {
  int row = blockIdx.y, col = threadIdx.x;
  float above = row > 0 ? C[(row - 1) * N + col] : 0;  // finds: race
  C[row * N + col] = dot(A, B, row, col, N, K) + 0 * above;
}

// run: --entry row_below --block 32 --tile 1x32 --m 4 --n 32 --k 32 --c zero
// wrong: the row below is read before or after its block writes it
__global__ void row_below(SIGNATURE) {
  int row = blockIdx.y, col = threadIdx.x;
  float below = row + 1 < M ? C[(row + 1) * N + col] : 0;  // finds: race
  C[row * N + col] = dot(A, B, row, col, N, K) + 0 * below;
}

// run: --entry plain_reset_of_a_sum --block 32 --tile 1x8 --m 2 --n 32 --k 32 --c zero
// wrong: a block that finds its sum negative resets it while others add to it
__global__ void plain_reset_of_a_sum(SIGNATURE) {
  int row = blockIdx.y, col = threadIdx.x, part = K / gridDim.x, first = blockIdx.x * part;
  float sum = dot(A + first, B + first * N, row, col, N, part);
  float before = atomicAdd(&C[row * N + col], sum);  // finds: race
  if (before < -1e30f || blockIdx.x == 3) C[row * N + col] = before + sum;  // finds: race
}
