// Shared arrays that are too small for what they are asked.
#define SIGNATURE const float *A, const float *B, float *C, int M, int N, int K
#define TILE 16

// run: --entry one_column_too_many --block 16x16 --tile 16x16 --size 32
// wrong: k <= TILE reads the next row, and after the last row past the array
__global__ void one_column_too_many(SIGNATURE) {
  __shared__ float a[TILE][TILE], b[TILE][TILE];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
  float sum = 0;
  for (int k0 = 0; k0 < K; k0 += TILE) {
    a[ty][tx] = A[row * K + k0 + tx];
    b[ty][tx] = B[(k0 + ty) * N + col];
    __syncthreads();
    for (int k = 0; k <= TILE; ++k) sum += a[ty][k] * b[k][tx];  // finds: bounds
    __syncthreads();
  }
  C[row * N + col] = sum;
}

// run: --entry array_for_15_rows --block 16x16 --tile 16x16 --size 32
// wrong: the array for B's tile has one row too few
__global__ void array_for_15_rows(SIGNATURE) {
  __shared__ float a[TILE][TILE], b[TILE - 1][TILE];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
  float sum = 0;
  for (int k0 = 0; k0 < K; k0 += TILE) {
    a[ty][tx] = A[row * K + k0 + tx];
    b[ty][tx] = B[(k0 + ty) * N + col];  // finds: bounds
    __syncthreads();
    for (int k = 0; k < TILE; ++k) sum += a[ty][k] * b[k][tx];  // finds: bounds
    __syncthreads();
  }
  C[row * N + col] = sum;
}

// run: --entry too_little_dynamic_memory --block 16x16 --tile 16x16 --size 32 --shared 1024
// wrong: the launch gives memory for one of the two tiles
__global__ void too_little_dynamic_memory(SIGNATURE) {
  extern __shared__ float memory[];
  float *a = memory, *b = memory + TILE * TILE;
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
  float sum = 0;
  for (int k0 = 0; k0 < K; k0 += TILE) {
    a[ty * TILE + tx] = A[row * K + k0 + tx];
    b[ty * TILE + tx] = B[(k0 + ty) * N + col];  // finds: bounds
    __syncthreads();
    for (int k = 0; k < TILE; ++k)
      sum += a[ty * TILE + k] * b[k * TILE + tx];  // finds: bounds
    __syncthreads();
  }
  C[row * N + col] = sum;
}

// run: --entry pitch_of_the_padded_array --block 16x16 --tile 16x16 --size 16
// wrong: indices with a pitch of 17 in an array of 16×16
__global__ void pitch_of_the_padded_array(SIGNATURE) {
  __shared__ float a[TILE * TILE], b[TILE * TILE];
  int tx = threadIdx.x, ty = threadIdx.y;
  a[ty * (TILE + 1) + tx] = A[ty * K + tx];  // finds: bounds
  b[ty * TILE + tx] = B[ty * N + tx];
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < TILE; ++k)
    sum += a[ty * (TILE + 1) + k] * b[k * TILE + tx];  // finds: bounds
  C[ty * N + tx] = sum;
}

// run: --entry row_above_the_array --block 16x16 --tile 16x16 --size 16
// wrong: the row index is one too small
__global__ void row_above_the_array(SIGNATURE) {
  __shared__ float a[TILE][TILE];
  int tx = threadIdx.x, ty = threadIdx.y;
  a[ty - 1][tx] = A[ty * K + tx];  // finds: bounds
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < TILE; ++k) sum += a[ty - 1][k] * B[k * N + tx];  // finds: bounds
  C[ty * N + tx] = sum;
}

// run: --entry a_tile_for_32x8 --block 32x8 --tile 8x32 --m 8 --n 32 --k 32
// wrong: 32 threads along x store into rows of 16
__global__ void a_tile_for_32x8(SIGNATURE) {
  __shared__ float a[8 * TILE];
  int tx = threadIdx.x, ty = threadIdx.y;
  a[ty * 32 + tx] = A[ty * K + tx];  // finds: bounds
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += a[ty * 32 + k] * B[k * N + tx];  // finds: bounds
  C[ty * N + tx] = sum;
}

// run: --entry load_loop_one_too_many --block 64 --tile 8x8 --m 8 --n 8 --k 32
// wrong: index <= 256 stores one element too many
__global__ void load_loop_one_too_many(SIGNATURE) {
  __shared__ float a[256];
  int t = threadIdx.x;
  for (int index = t; index <= 256; index += 64) a[index] = A[index];  // finds: bounds
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += a[t / 8 * 32 + k] * B[k * N + t % 8];
  C[t] = sum;
}
