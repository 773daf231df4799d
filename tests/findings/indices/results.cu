// Elements of C that several threads or blocks write, and such that none writes.
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

// run: --entry split_k_last_one_stays --block 32x4 --tile 1x32 --m 2 --n 32 --k 16
// wrong: four threads have a quarter of K each, and each stores its part
__global__ void split_k_last_one_stays(SIGNATURE) {
  int row = blockIdx.y, col = threadIdx.x, part = K / 4;
  float sum = 0;
  for (int k = threadIdx.y * part; k < (threadIdx.y + 1) * part; ++k)
    sum += A[row * K + k] * B[k * N + col];
  C[row * N + col] = sum;  // finds: race
}

// run: --entry split_k_plain_addition --block 32x4 --tile 1x32 --m 2 --n 32 --k 16 --c zero
// wrong: the parts are added to C without atomic additions
__global__ void split_k_plain_addition(SIGNATURE) {
  int row = blockIdx.y, col = threadIdx.x, part = K / 4;
  float sum = 0;
  for (int k = threadIdx.y * part; k < (threadIdx.y + 1) * part; ++k)
    sum += A[row * K + k] * B[k * N + col];
  C[row * N + col] += sum;  // finds: race
}

// run: --entry split_k_over_blocks --block 32 --tile 1x8 --m 2 --n 32 --k 32 --c zero
// wrong: four blocks have a quarter of K each, and add to C without atomic additions
__global__ void split_k_over_blocks(SIGNATURE) {
  int row = blockIdx.y, col = threadIdx.x, part = K / gridDim.x;
  float sum = 0;
  for (int k = blockIdx.x * part; k < (blockIdx.x + 1) * part; ++k)
    sum += A[row * K + k] * B[k * N + col];
  C[row * N + col] += sum;  // finds: race
}

// run: --entry split_k_one_plain_store --block 32x4 --tile 1x32 --m 2 --n 32 --k 16
// wrong: the first part is stored, the others are added, with no barrier between
__global__ void split_k_one_plain_store(SIGNATURE) {
  int row = blockIdx.y, col = threadIdx.x, part = K / 4;
  float sum = 0;
  for (int k = threadIdx.y * part; k < (threadIdx.y + 1) * part; ++k)
    sum += A[row * K + k] * B[k * N + col];
  if (threadIdx.y == 0)
    C[row * N + col] = sum;
  else
    atomicAdd(&C[row * N + col], sum);  // finds: race
}

// run: --entry zeroed_by_every_block --block 32 --tile 1x8 --m 2 --n 32 --k 32
// wrong: a block sets C to zero after another one may have added its part
__global__ void zeroed_by_every_block(SIGNATURE) {
  int row = blockIdx.y, col = threadIdx.x, part = K / gridDim.x;
  if (blockIdx.x == 0) C[row * N + col] = 0;
  __syncthreads();
  float sum = 0;
  for (int k = blockIdx.x * part; k < (blockIdx.x + 1) * part; ++k)
    sum += A[row * K + k] * B[k * N + col];
  atomicAdd(&C[row * N + col], sum);  // finds: race
}

// run: --entry read_of_what_others_add --block 32x4 --tile 1x32 --m 2 --n 32 --k 16 --c zero
// wrong: the sum is read while others still add to it
__global__ void read_of_what_others_add(SIGNATURE) {
  int row = blockIdx.y, col = threadIdx.x, part = K / 4;
  float sum = 0;
  for (int k = threadIdx.y * part; k < (threadIdx.y + 1) * part; ++k)
    sum += A[row * K + k] * B[k * N + col];
  atomicAdd(&C[row * N + col], sum);
  if (threadIdx.y == 3 && C[row * N + col] < -1000.0f) atomicAdd(&C[row * N + col], 1000.0f);  // finds: race
}

// run: --entry steps_of_k_in_memory --block 8x8 --tile 1x8 --m 2 --n 8 --k 8 --c zero
// wrong: each of eight threads adds its step of K to the same element
__global__ void steps_of_k_in_memory(SIGNATURE) {
  int row = blockIdx.y, col = threadIdx.x, k = threadIdx.y;
  C[row * N + col] += A[row * K + k] * B[k * N + col];  // finds: race
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

// run: --entry one_result_of_a_column --block 32x8 --tile 32x32 --size 32
// wrong: a block of 32×8 threads has a tile of 32×32, and each thread one element of it
// finds: unwritten
__global__ void one_result_of_a_column(SIGNATURE) {
  int row = blockIdx.y * 32 + threadIdx.y, col = blockIdx.x * 32 + threadIdx.x;
  if (row < M && col < N) C[row * N + col] = dot(A, B, row, col, N, K);
}

// run: --entry guard_one_too_few --block 16x16 --tile 16x16 --size 32
// wrong: the last row and column are left out
// finds: unwritten
__global__ void guard_one_too_few(SIGNATURE) {
  int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
  if (row >= M - 1 || col >= N - 1) return;
  C[row * N + col] = dot(A, B, row, col, N, K);
}

// run: --entry stride_twice_as_wide --block 32 --tile 4x32 --m 4 --n 32 --k 8
// wrong: the loop over the block's elements goes in steps of two blocks
// finds: unwritten
__global__ void stride_twice_as_wide(SIGNATURE) {
  for (int i = threadIdx.x; i < M * N; i += 2 * blockDim.x)
    C[i] = dot(A, B, i / N, i % N, N, K);
}

// run: --entry small_sums_left_out --block 16x16 --tile 16x16 --size 16
// wrong: elements are written only where the sum is positive
// finds: unwritten
__global__ void small_sums_left_out(SIGNATURE) {
  int row = threadIdx.y, col = threadIdx.x;
  float sum = dot(A, B, row, col, N, K);
  if (sum > 0) C[row * N + col] = sum;
}

// run: --entry c_is_never_zeroed --block 16x16 --tile 16x16 --size 16
// wrong: the sum begins with what is in C, and nothing has been stored there
__global__ void c_is_never_zeroed(SIGNATURE) {
  int row = threadIdx.y, col = threadIdx.x;
  float sum = C[row * N + col];  // finds: uninitialised
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];
  C[row * N + col] = sum;
}

// run: --entry added_to_nothing --block 32x4 --tile 1x32 --m 2 --n 32 --k 16
// wrong: atomic additions to a C that nobody has set to zero
__global__ void added_to_nothing(SIGNATURE) {
  int row = blockIdx.y, col = threadIdx.x, part = K / 4;
  float sum = 0;
  for (int k = threadIdx.y * part; k < (threadIdx.y + 1) * part; ++k)
    sum += A[row * K + k] * B[k * N + col];
  atomicAdd(&C[row * N + col], sum);  // finds: uninitialised
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
