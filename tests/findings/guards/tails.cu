// Tiles that reach beyond the matrices.
#define SIGNATURE const float *A, const float *B, float *C, int M, int N, int K
#define TILE 16

// run: --entry tail_of_k_unguarded --block 16x16 --tile 16x16 --m 16 --n 16 --k 20
// wrong: the second tile reaches beyond K
__global__ void tail_of_k_unguarded(SIGNATURE) {
  __shared__ float a[TILE][TILE], b[TILE][TILE];
  int tx = threadIdx.x, ty = threadIdx.y;
  float sum = 0;
  for (int k0 = 0; k0 < K; k0 += TILE) {
    a[ty][tx] = A[ty * K + k0 + tx];    // finds: bounds
    b[ty][tx] = B[(k0 + ty) * N + tx];  // finds: bounds
    __syncthreads();
    for (int k = 0; k < TILE; ++k) sum += a[ty][k] * b[k][tx];
    __syncthreads();
  }
  C[ty * N + tx] = sum;
}

// run: --entry guard_of_a_but_not_of_b --block 16x16 --tile 16x16 --m 16 --n 16 --k 20
// wrong: A's tail is filled with zeros, B's is read from outside
__global__ void guard_of_a_but_not_of_b(SIGNATURE) {
  __shared__ float a[TILE][TILE], b[TILE][TILE];
  int tx = threadIdx.x, ty = threadIdx.y;
  float sum = 0;
  for (int k0 = 0; k0 < K; k0 += TILE) {
    a[ty][tx] = k0 + tx < K ? A[ty * K + k0 + tx] : 0.0f;
    b[ty][tx] = B[(k0 + ty) * N + tx];  // finds: bounds
    __syncthreads();
    for (int k = 0; k < TILE; ++k) sum += a[ty][k] * b[k][tx];
    __syncthreads();
  }
  C[ty * N + tx] = sum;
}

// run: --entry tile_after_the_last --block 16x16 --tile 16x16 --m 16 --n 16 --k 32
// wrong: the tile for the next iteration is loaded in the last one, too
__global__ void tile_after_the_last(SIGNATURE) {
  __shared__ float b[2][TILE][TILE];
  int tx = threadIdx.x, ty = threadIdx.y;
  float sum = 0;
  b[0][ty][tx] = B[ty * N + tx];
  __syncthreads();
  for (int t = 0; t < K / TILE; ++t) {
    float next = B[((t + 1) * TILE + ty) * N + tx];  // finds: bounds
    for (int k = 0; k < TILE; ++k) sum += A[ty * K + t * TILE + k] * b[t & 1][k][tx];
    b[(t + 1) & 1][ty][tx] = next;
    __syncthreads();
  }
  C[ty * N + tx] = sum;
}

// run: --entry coarse_columns --block 16x8 --tile 8x32 --m 8 --n 24 --k 16
// wrong: each thread has two columns, and the guard is of the first
__global__ void coarse_columns(SIGNATURE) {
  int row = threadIdx.y, col = threadIdx.x;
  float sum[2] = {};
  for (int k = 0; k < K; ++k)
    for (int i = 0; i < 2; ++i)
      sum[i] += A[row * K + k] * B[k * N + col + i * 16];  // finds: bounds
  if (row < M && col < N)
    for (int i = 0; i < 2; ++i) C[row * N + col + i * 16] = sum[i];  // finds: bounds race
}

// run: --entry 'register_tile<4, 4>' --block 8x8 --tile 32x32 --m 30 --n 30 --k 8
// wrong: the guard of the results looks at the first of each thread's 16
template <int ROWS, int COLUMNS>
__device__ void store(float* C, int row, int col, int M, int N, const float (&sum)[ROWS][COLUMNS]) {
  if (row >= M || col >= N) return;
  for (int r = 0; r < ROWS; ++r)
    for (int c = 0; c < COLUMNS; ++c)
      C[(row + r) * N + col + c] = sum[r][c];  // finds: bounds race
}

template <int ROWS, int COLUMNS>
__global__ void register_tile(SIGNATURE) {
  int row = threadIdx.y * ROWS, col = threadIdx.x * COLUMNS;
  float sum[ROWS][COLUMNS] = {};
  for (int k = 0; k < K; ++k) {
    float a[ROWS], b[COLUMNS];
    for (int r = 0; r < ROWS; ++r) a[r] = row + r < M ? A[(row + r) * K + k] : 0;
    for (int c = 0; c < COLUMNS; ++c) b[c] = col + c < N ? B[k * N + col + c] : 0;
    for (int r = 0; r < ROWS; ++r)
      for (int c = 0; c < COLUMNS; ++c) sum[r][c] += a[r] * b[c];
  }
  store(C, row, col, M, N, sum);
}

// run: --entry copy_beyond_the_matrix --block 64 --tile 4x16 --m 4 --n 16 --k 20
// wrong: the asynchronous copy of the last piece reads past B
__global__ void copy_beyond_the_matrix(SIGNATURE) {
  __shared__ alignas(16) float b[TILE * TILE];
  int t = threadIdx.x;
  float sum = 0;
  for (int k0 = 0; k0 < K; k0 += TILE) {
    unsigned to = (unsigned)__cvta_generic_to_shared(b + t * 4);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(B + k0 * N + t * 4));  // finds: bounds
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    for (int k = 0; k < min(TILE, K - k0); ++k) sum += A[t / 16 * K + k0 + k] * b[k * 16 + t % 16];
    __syncthreads();
  }
  C[t] = sum;
}

// run: --entry copy_of_16_unaligned_bytes --block 32 --tile 1x32 --m 2 --n 33 --k 8
// wrong: rows of 33 floats are not aligned to the 16 bytes of a copy
// finds: unwritten
__global__ void copy_of_16_unaligned_bytes(SIGNATURE) {
  __shared__ alignas(16) float row_of_b[32];
  int t = threadIdx.x, row = blockIdx.y;
  if (blockIdx.x > 0) return;
  float sum = 0;
  for (int k = 0; k < K; ++k) {
    unsigned to = (unsigned)__cvta_generic_to_shared(row_of_b + t * 4);
    const float* from = B + k * N + t * 4;
    if (t < 8) asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from));  // finds: alignment
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    sum += A[row * K + k] * row_of_b[t];
    __syncthreads();
  }
  C[row * N + t] = sum;
}

// run: --entry rows_of_the_epilogue --block 32x4 --tile 16x32 --m 10 --n 32 --k 8
// wrong: the loop over the rows of C does not look at M
__global__ void rows_of_the_epilogue(SIGNATURE) {
  __shared__ float c[16][32];
  int tx = threadIdx.x;
  for (int r = threadIdx.y; r < 16; r += 4) {
    float sum = 0;
    for (int k = 0; k < K; ++k) sum += r < M ? A[r * K + k] * B[k * N + tx] : 0;
    c[r][tx] = sum;
  }
  __syncthreads();
  for (int r = threadIdx.y; r < 16; r += 4) C[r * N + tx] = c[r][tx];  // finds: bounds
}

// run: --entry warp_tile_of_five_rows --block 64 --tile 8x32 --m 8 --n 32 --k 8
// wrong: two warps take five rows each of a tile of eight
__global__ void warp_tile_of_five_rows(SIGNATURE) {
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (int r = warp * 5; r < warp * 5 + 5; ++r) {
    float sum = 0;
    for (int k = 0; k < K; ++k) sum += A[r * K + k] * B[k * N + lane];  // finds: bounds
    C[r * N + lane] = sum;                                              // finds: bounds
  }
}

// run: --entry constant_tile_larger_than_k --block 32 --tile 1x32 --m 4 --n 32 --k 10
// wrong: the unrolled loop over 16 steps ignores that K is 10
__global__ void constant_tile_larger_than_k(SIGNATURE) {
  int row = blockIdx.y, col = threadIdx.x;
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 16; ++k) sum += A[row * K + k] * B[k * N + col];  // finds: bounds
  C[row * N + col] = sum;
}
