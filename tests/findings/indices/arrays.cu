// Shared and local arrays of which elements are read that nothing has written.
#define SIGNATURE const float *A, const float *B, float *C, int M, int N, int K

// run: --entry half_a_tile_is_loaded --block 16x8 --tile 8x16 --m 8 --n 16 --k 16
// wrong: 16×8 threads load one element each of a tile of 16×16
__global__ void half_a_tile_is_loaded(SIGNATURE) {
  __shared__ float b[16][16];
  int tx = threadIdx.x, ty = threadIdx.y;
  b[ty][tx] = B[ty * N + tx];
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < 16; ++k) sum += A[ty * K + k] * b[k][tx];  // finds: uninitialised
  C[ty * N + tx] = sum;
}

// run: --entry gaps_in_the_load --block 32 --tile 1x32 --m 2 --n 32 --k 8
// wrong: 32 threads load in steps of 64
__global__ void gaps_in_the_load(SIGNATURE) {
  __shared__ float b[8 * 32];
  int t = threadIdx.x, row = blockIdx.y;
  for (int i = t; i < 8 * 32; i += 64) b[i] = B[i];
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * b[k * 32 + t];  // finds: uninitialised
  C[row * N + t] = sum;
}

// run: --entry transposed_twice --block 32x8 --tile 8x32 --m 8 --n 32 --k 32
// wrong: A's tile is stored as [column][row], and read as [row][column] of an array that is not square
__global__ void transposed_twice(SIGNATURE) {
  __shared__ float a[32][32];
  int tx = threadIdx.x, ty = threadIdx.y;
  a[tx][ty] = A[ty * K + tx];
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < 32; ++k) sum += a[ty][k] * B[k * N + tx];  // finds: uninitialised
  C[ty * N + tx] = sum;
}

// run: --entry padding_is_read --block 16x16 --tile 16x16 --size 16
// wrong: the loop goes one element into the padding, which is added up
__global__ void padding_is_read(SIGNATURE) {
  __shared__ float a[16][17];
  int tx = threadIdx.x, ty = threadIdx.y;
  a[ty][tx] = A[ty * K + tx];
  __syncthreads();
  float sum = 0;
  for (int k = 1; k <= 16; ++k) sum += a[ty][k] * B[(k - 1) * N + tx];  // finds: uninitialised
  C[ty * N + tx] = sum;
}

// run: --entry shared_sum_begins_with_anything --block 64 --tile 1x1 --m 2 --n 2 --k 64
// wrong: the array for the sums is not set to zero
__global__ void shared_sum_begins_with_anything(SIGNATURE) {
  __shared__ float part[64];
  int t = threadIdx.x, row = blockIdx.y, col = blockIdx.x;
  for (int k = t; k < K; k += 64) part[t] += A[row * K + k] * B[k * N + col];  // finds: uninitialised
  __syncthreads();
  if (t == 0) {
    float sum = 0;
    for (int i = 0; i < 64; ++i) sum += part[i];
    C[row * N + col] = sum;
  }
}

// run: --entry shared_atomic_sum_begins_with_anything --block 64 --tile 1x1 --m 2 --n 2 --k 64
// wrong: additions to a shared variable that nobody has set to zero
__global__ void shared_atomic_sum_begins_with_anything(SIGNATURE) {
  __shared__ float sum;
  int t = threadIdx.x, row = blockIdx.y, col = blockIdx.x;
  atomicAdd(&sum, A[row * K + t] * B[t * N + col]);  // finds: uninitialised
  __syncthreads();
  if (t == 0) C[row * N + col] = sum;
}

// run: --entry no_zeros_for_the_tail --block 16x16 --tile 16x16 --m 16 --n 16 --k 12
// wrong: elements beyond K are neither loaded nor set to zero
__global__ void no_zeros_for_the_tail(SIGNATURE) {
  __shared__ float a[16][16], b[16][16];
  int tx = threadIdx.x, ty = threadIdx.y;
  if (tx < K) a[ty][tx] = A[ty * K + tx];
  if (ty < K) b[ty][tx] = B[ty * N + tx];
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < 16; ++k) sum += a[ty][k] * b[k][tx];  // finds: uninitialised
  C[ty * N + tx] = sum;
}

// run: --entry tile_used_before_the_first_load --block 16x16 --tile 16x16 --m 16 --n 16 --k 32
// wrong: the sums of an iteration come before its loads
__global__ void tile_used_before_the_first_load(SIGNATURE) {
  __shared__ float b[16][16];
  int tx = threadIdx.x, ty = threadIdx.y;
  float sum = 0;
#pragma unroll 1
  for (int k0 = 0; k0 < K; k0 += 16) {
    for (int k = 0; k < 16; ++k) sum += A[ty * K + k0 + k] * b[k][tx];  // finds: uninitialised
    __syncthreads();
    b[ty][tx] = B[(k0 + ty) * N + tx];
    __syncthreads();
  }
  C[ty * N + tx] = sum;
}

// run: --entry results_begin_with_anything --block 16 --tile 4x16 --m 4 --n 16 --k 8
// wrong: the array of results has no zeros to begin with
__global__ void results_begin_with_anything(SIGNATURE) {
  float results[4];
  int col = threadIdx.x;
  for (int k = 0; k < K; ++k)
#pragma unroll 1
    for (int r = 0; r < M; ++r) results[r] += A[r * K + k] * B[k * N + col];  // finds: uninitialised
#pragma unroll 1
  for (int r = 0; r < M; ++r) C[r * N + col] = results[r];
}

// run: --entry half_of_the_results_are_zeroed --block 16 --tile 8x16 --m 8 --n 16 --k 8
// wrong: the loop that sets results to zero is for an array half as long
__global__ void half_of_the_results_are_zeroed(SIGNATURE) {
  float results[8];
  int col = threadIdx.x;
#pragma unroll 1
  for (int r = 0; r < M / 2; ++r) results[r] = 0;
#pragma unroll 1
  for (int r = 0; r < M; ++r) {
    float sum = results[r];  // finds: uninitialised
    for (int k = 0; k < K; ++k) sum += A[r * K + k] * B[k * N + col];
    C[r * N + col] = sum;
  }
}

// run: --entry row_cache_of_guarded_rows --block 16 --tile 8x16 --m 6 --n 16 --k 8
// wrong: elements of rows beyond M are not kept, but added up
__global__ void row_cache_of_guarded_rows(SIGNATURE) {
  float a[8];
  int col = threadIdx.x;
  float largest = 0;
#pragma unroll 1
  for (int r = 0; r < 8; ++r)
    if (r < M) a[r] = A[r * K];
#pragma unroll 1
  for (int r = 0; r < 8; ++r) largest = fmaxf(largest, fabsf(a[7 - r]));  // finds: uninitialised
#pragma unroll 1
  for (int r = 0; r < M; ++r) {
    float sum = largest > 1e30f ? 1 : 0;
    for (int k = 0; k < K; ++k) sum += A[r * K + k] * B[k * N + col];
    C[r * N + col] = sum;
  }
}
