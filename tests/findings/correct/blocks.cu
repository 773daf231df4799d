// Right: blocks that share global memory, and wait for each other, or need not.
#define SIGNATURE const float *A, const float *B, float *C, int M, int N, int K

__device__ float dot(const float* A, const float* B, int row, int col, int N, int K) {
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];
  return sum;
}

__device__ float partial[4][64], table[32];
__device__ int blocks_done, ready;

// run: --entry last_block_adds_up --block 64 --tile 1x16 --m 1 --n 64 --k 64
// right: the last block, by a counter after a fence, adds up what all have left
__global__ void last_block_adds_up(SIGNATURE) {
  __shared__ bool is_last;
  int col = threadIdx.x, part = K / gridDim.x, first = blockIdx.x * part;
  partial[blockIdx.x][col] = dot(A + first, B + first * N, 0, col, N, part);
  __threadfence();
  __syncthreads();
  if (col == 0) is_last = atomicAdd(&blocks_done, 1) == gridDim.x - 1;
  __syncthreads();
  if (!is_last) return;
  __threadfence();
  float sum = 0;
  for (int p = 0; p < gridDim.x; ++p) sum += partial[p][col];
  C[col] = sum;
}

// run: --entry table_of_all_blocks --block 32 --tile 1x32 --m 4 --n 32 --k 32
// right: all blocks read a table in global memory that none of them writes
__global__ void table_of_all_blocks(SIGNATURE) {
  int row = blockIdx.y, col = threadIdx.x;
  C[row * N + col] = dot(A, B, row, col, N, K) + 0 * table[col];
}

// run: --entry one_value_by_all_lanes --block 32 --tile 1x1 --m 2 --n 2 --k 32
// right: all lanes have the sum, and all of them store it to the one element
__global__ void one_value_by_all_lanes(SIGNATURE) {
  int lane = threadIdx.x, row = blockIdx.y, col = blockIdx.x;
  float sum = A[row * K + lane] * B[lane * N + col];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
  C[row * N + col] = sum;
}

// run: --entry one_value_in_shared_memory --block 32 --tile 1x32 --m 2 --n 32 --k 32
// right: all lanes store the same element of A to one word, and wait before they read it
__global__ void one_value_in_shared_memory(SIGNATURE) {
  __shared__ float element;
  int lane = threadIdx.x, row = blockIdx.y;
  float sum = 0;
  for (int k = 0; k < K; ++k) {
    element = A[row * K + k];
    __syncwarp();
    sum += element * B[k * N + lane];
    __syncwarp();
  }
  C[row * N + lane] = sum;
}

// run: --entry largest_of_all_blocks --block 32 --tile 1x32 --m 4 --n 32 --k 32
// right: every block takes part in a maximum, which nobody reads
__global__ void largest_of_all_blocks(SIGNATURE) {
  int row = blockIdx.y, col = threadIdx.x;
  float sum = dot(A, B, row, col, N, K);
  atomicMax(&ready, __float_as_int(fabsf(sum)));
  C[row * N + col] = sum;
}

// run: --entry scratch_read_again --block 64 --tile 1x64 --m 4 --n 64 --k 64
// right: a row of scratch memory for each block, filled and read twice with barriers between
__global__ void scratch_read_again(SIGNATURE) {
  int t = threadIdx.x, row = blockIdx.y, half = K / 2;
  float sum = 0;
  for (int h = 0; h < 2; ++h) {
    if (t < half) partial[row][t] = A[row * K + h * half + t];
    __syncthreads();
    for (int k = 0; k < half; ++k) sum += partial[row][k] * B[(h * half + k) * N + t];
    __syncthreads();
  }
  C[row * N + t] = sum;
}

// run: --entry all_blocks_write_the_border --block 32 --tile 1x32 --m 2 --n 80 --k 8
// right: every block computes the columns past the last whole block, with the same values
__global__ void all_blocks_write_the_border(SIGNATURE) {
  int row = blockIdx.y, col = blockIdx.x * 32 + threadIdx.x, whole = N / 32 * 32;
  if (col < whole) C[row * N + col] = dot(A, B, row, col, N, K);
  int border = whole + threadIdx.x;
  if (border < N) C[row * N + border] = dot(A, B, row, border, N, K);
}
