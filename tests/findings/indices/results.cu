// Elements of C, and of scratch memory, that several threads or blocks touch.
#define SIGNATURE const float *A, const float *B, float *C, int M, int N, int K

__device__ float dot(const float* A, const float* B, int row, int col, int N, int K) {
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];
  return sum;
}

// run: --entry blocks_overlap --block 16x16 --tile 16x16 --m 16 --n 32 --k 8
// wrong: the blocks are 15 columns apart, not 16
// finds: unwritten
// also: race
__global__ void blocks_overlap(SIGNATURE) {
  int row = threadIdx.y, col = blockIdx.x * 15 + threadIdx.x;
  if (col < N) C[row * N + col] = dot(A, B, row, col, N, K);
}

// run: --entry tile_of_half_the_block --block 16x16 --tile 16x16 --m 16 --n 32 --k 8
// wrong: 16 threads along x, and blocks that are 8 apart
// finds: unwritten
// also: race
__global__ void tile_of_half_the_block(SIGNATURE) {
  const int TILE = 8;
  int row = threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
  C[row * N + col] = dot(A, B, row, col, N, K);
}

// run: --entry thread_row_forgotten --block 16x8 --tile 8x16 --m 8 --n 16 --k 8
// wrong: the row lacks threadIdx.y, so eight threads write each element of the first row
// finds: unwritten
// also: race
__global__ void thread_row_forgotten(SIGNATURE) {
  int row = blockIdx.y * blockDim.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  C[row * N + col] = dot(A, B, row, col, N, K);
}

// run: --entry block_size_forgotten --block 8x8 --tile 8x8 --m 16 --n 16 --k 8
// wrong: blockIdx is not multiplied by the block's size
// finds: unwritten
// also: race
__global__ void block_size_forgotten(SIGNATURE) {
  int row = blockIdx.y + threadIdx.y, col = blockIdx.x + threadIdx.x;
  C[row * N + col] = dot(A, B, row, col, N, K);
}

// run: --entry sizes_of_the_block_exchanged --block 16x4 --tile 4x16 --m 16 --n 16 --k 8
// wrong: blockDim.x and blockDim.y are exchanged
// finds: unwritten
__global__ void sizes_of_the_block_exchanged(SIGNATURE) {
  int row = blockIdx.y * blockDim.x + threadIdx.y;
  int col = blockIdx.x * blockDim.y + threadIdx.x;
  if (row < M && col < N) C[row * N + col] = dot(A, B, row, col, N, K);
}

// run: --entry four_columns_three_apart --block 8x8 --tile 8x32 --m 8 --n 32 --k 8
// wrong: each thread has four columns, and the threads are three apart
// finds: unwritten
// also: race
__global__ void four_columns_three_apart(SIGNATURE) {
  int row = threadIdx.y, first = threadIdx.x * 3;
#pragma unroll
  for (int j = 0; j < 4; ++j)
    C[row * N + first + j] = dot(A, B, row, first + j, N, K);
}

// run: --entry warps_half_a_tile_apart --block 64 --tile 1x128 --m 2 --n 128 --k 8
// wrong: each warp has 64 columns, and the warps are 32 apart
// finds: unwritten
// also: race
__global__ void warps_half_a_tile_apart(SIGNATURE) {
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32, row = blockIdx.y;
  for (int j = 0; j < 2; ++j) {
    int col = warp * 32 + j * 32 + lane;
    C[row * N + col] = dot(A, B, row, col, N, K);
  }
}

// run: --entry two_threads_a_column --block 32 --tile 1x32 --m 2 --n 32 --k 8
// wrong: pairs of threads compute the same column
// finds: unwritten
__global__ void two_threads_a_column(SIGNATURE) {
  int row = blockIdx.y, col = threadIdx.x / 2;
  float half = 0;
  for (int k = threadIdx.x % 2; k < K; k += 2) half += A[row * K + k] * B[k * N + col];
  C[row * N + col] = half;  // finds: race
}

// run: --entry columns_are_wrapped --block 32 --tile 1x32 --m 2 --n 20 --k 8
// wrong: threads beyond N are wrapped to the first columns, and lack the first k
__global__ void columns_are_wrapped(SIGNATURE) {
  int row = blockIdx.y, col = threadIdx.x % N;
  float sum = 0;
  for (int k = threadIdx.x / N; k < K; ++k) sum += A[row * K + k] * B[k * N + col];
  C[row * N + col] = sum;  // finds: race
}

// run: --entry neighbours_result --block 32 --tile 1x32 --m 2 --n 64 --k 8
// wrong: the last column of the block to the left is read, with no order between blocks
__global__ void neighbours_result(SIGNATURE) {
  int row = blockIdx.y, col = blockIdx.x * 32 + threadIdx.x;
  float sum = dot(A, B, row, col, N, K);
  C[row * N + col] = sum;
  if (threadIdx.x == 0 && blockIdx.x > 0 && C[row * N + col - 1] > 1e30f)  // finds: race
    C[row * N + col] = 0;
}

// run: --entry neighbours_result_in_the_block --block 64 --tile 1x64 --m 2 --n 64 --k 8
// wrong: the element that the thread to the right writes is read without a barrier
__global__ void neighbours_result_in_the_block(SIGNATURE) {
  int row = blockIdx.y, col = threadIdx.x;
  float sum = dot(A, B, row, col, N, K);
  C[row * N + col] = sum;
  float right = col + 1 < N ? C[row * N + col + 1] : 0;  // finds: race
  if (right > 1e30f) C[row * N + col] = 0;
}

// run: --entry block_0_adds_up --block 32 --tile 1x32 --m 4 --n 32 --k 32
// wrong: block 0 reads the rows of other blocks, which may not have been written
__global__ void block_0_adds_up(SIGNATURE) {
  int row = blockIdx.y, col = threadIdx.x;
  C[row * N + col] = dot(A, B, row, col, N, K);
  __syncthreads();
  if (row == 0) {
    float total = 0;
    for (int r = 0; r < M; ++r) total += C[r * N + col];  // finds: race
    if (total > 1e30f) C[col] = total;
  }
}

// run: --entry both_triangles --block 16x16 --tile 16x16 --size 16
// wrong: each thread writes its element and the mirrored one, as if C were symmetric
__global__ void both_triangles(SIGNATURE) {
  int row = threadIdx.y, col = threadIdx.x;
  float sum = dot(A, B, row, col, N, K);
  C[row * N + col] = sum;
  C[col * N + row] = sum;  // finds: race
}

// run: --entry read_only_load_of_a_result --block 32x2 --tile 1x32 --m 2 --n 32 --k 8
// wrong: __ldg() is for memory that the kernel does not write: it may return what was there before
__global__ void read_only_load_of_a_result(SIGNATURE) {
  int row = blockIdx.y, col = threadIdx.x;
  if (threadIdx.y == 0) C[row * N + col] = dot(A, B, row, col, N, K);
  __syncthreads();
  if (threadIdx.y == 1 && __ldg(&C[row * N + col]) > 1e30f) C[row * N + col] = 0;  // finds: race
}

__device__ float scratch[64];

// run: --entry scratch_of_all_blocks --block 64 --tile 1x64 --m 4 --n 64 --k 64
// wrong: all blocks keep their row in the same global memory
__global__ void scratch_of_all_blocks(SIGNATURE) {
  int t = threadIdx.x, row = blockIdx.y;
  scratch[t] = A[row * K + t];  // finds: race
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += scratch[k] * B[k * N + t];
  C[row * N + t] = sum;
}

// run: --entry scratch_without_a_barrier --block 64 --tile 1x64 --m 1 --n 64 --k 64
// wrong: threads of one block read in global memory what others store, with no barrier between
__global__ void scratch_without_a_barrier(SIGNATURE) {
  int t = threadIdx.x, row = blockIdx.y;
  scratch[t] = A[row * K + t];
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += scratch[k] * B[k * N + t];  // finds: race
  C[row * N + t] = sum;
}
