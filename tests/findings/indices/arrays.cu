// Shared and local arrays of which elements are read that nothing has written, or to which several threads write.
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

// run: --entry two_lanes_a_word --block 32 --tile 1x32 --m 2 --n 32 --k 32
// wrong: pairs of lanes store different elements to one place
__global__ void two_lanes_a_word(SIGNATURE) {
  __shared__ float a[32];
  int t = threadIdx.x, row = blockIdx.y;
  a[t / 2] = A[row * K + t];       // finds: race
  a[16 + t / 2] = A[row * K + t];  // finds: race
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += a[k] * B[k * N + t];
  C[row * N + t] = sum;
}

// run: --entry all_lanes_one_word --block 32 --tile 1x32 --m 2 --n 32 --k 32
// wrong: every lane stores its own element as the one that all use
__global__ void all_lanes_one_word(SIGNATURE) {
  __shared__ float element;
  int t = threadIdx.x, row = blockIdx.y;
  float sum = 0;
  for (int k = 0; k < K; ++k) {
    element = A[row * K + (k + t) % K];  // finds: race
    __syncwarp();
    sum += element * B[k * N + t];
    __syncwarp();
  }
  C[row * N + t] = sum;
}

// run: --entry all_warps_one_word --block 64 --tile 1x2 --m 2 --n 2 --k 32
// wrong: each of two warps leaves its sum in the same variable
__global__ void all_warps_one_word(SIGNATURE) {
  __shared__ float result;
  int lane = threadIdx.x % 32, col = threadIdx.x / 32, row = blockIdx.y;
  float sum = A[row * K + lane] * B[lane * N + col];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
  if (lane == 0) result = sum;  // finds: race
  __syncthreads();
  if (lane == 0) C[row * N + col] = result;
}

// run: --entry bins_without_atomics --block 64 --tile 1x8 --m 2 --n 8 --k 8
// wrong: eight threads add to each sum without atomic additions
__global__ void bins_without_atomics(SIGNATURE) {
  __shared__ float sums[8];
  int t = threadIdx.x, row = blockIdx.y, col = t % 8, k = t / 8;
  if (t < 8) sums[t] = 0;
  __syncthreads();
  sums[col] += A[row * K + k] * B[k * N + col];  // finds: race
  __syncthreads();
  if (t < 8) C[row * N + t] = sums[t];
}

// run: --entry sum_zeroed_without_a_barrier --block 64 --tile 1x1 --m 2 --n 2 --k 64
// wrong: thread 0 sets the sum to zero while others may already add to it
__global__ void sum_zeroed_without_a_barrier(SIGNATURE) {
  __shared__ float sum;
  int t = threadIdx.x, row = blockIdx.y, col = blockIdx.x;
  if (t == 0) sum = 0;
  atomicAdd(&sum, A[row * K + t] * B[t * N + col]);  // finds: race
  __syncthreads();
  if (t == 0) C[row * N + col] = sum;
}

// run: --entry sum_read_without_a_barrier --block 64 --tile 1x1 --m 2 --n 2 --k 64
// wrong: thread 0 reads the sum while others still add to it
__global__ void sum_read_without_a_barrier(SIGNATURE) {
  __shared__ float sum;
  int t = threadIdx.x, row = blockIdx.y, col = blockIdx.x;
  if (t == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, A[row * K + t] * B[t * N + col]);
  if (t == 0) C[row * N + col] = sum;  // finds: race
}

// run: --entry vectors_that_overlap --block 16 --tile 1x16 --m 2 --n 16 --k 32
// wrong: float4 are stored two floats apart
__global__ void vectors_that_overlap(SIGNATURE) {
  __shared__ alignas(16) float a[64];
  int t = threadIdx.x, row = blockIdx.y;
  float2* to = (float2*)(a + t * 2);
  const float2* from = (const float2*)(A + row * K + t % 8 * 4);
  to[0] = from[0];
  to[1] = from[1];  // finds: race
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += a[k] * B[k * N + t];
  C[row * N + t] = sum;
}

// run: --entry pitch_of_a_row_too_small --block 16x16 --tile 16x16 --size 16
// wrong: rows of 16 elements are stored 15 apart
__global__ void pitch_of_a_row_too_small(SIGNATURE) {
  __shared__ float a[256];
  int tx = threadIdx.x, ty = threadIdx.y;
  a[ty * 15 + tx] = A[ty * K + tx];  // finds: race
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < 16; ++k) sum += a[ty * 15 + k] * B[k * N + tx];
  C[ty * N + tx] = sum;
}

// run: --entry scratch_of_the_other_warp --block 64 --tile 2x32 --m 4 --n 32 --k 32
// wrong: both warps use the first warp's row of the array
__global__ void scratch_of_the_other_warp(SIGNATURE) {
  __shared__ float a[2][32];
  int warp = threadIdx.x >> 6, lane = threadIdx.x & 31;
  int row = blockIdx.y * 2 + (threadIdx.x >> 5);
  a[warp][lane] = A[row * K + lane];  // finds: race
  __syncwarp();
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += a[warp][k] * B[k * N + lane];
  C[row * N + lane] = sum;
}

// run: --entry dynamic_arrays_overlap --block 16x16 --tile 16x16 --size 16 --shared 2048
// wrong: B's tile begins in the middle of A's: bytes were taken for floats
__global__ void dynamic_arrays_overlap(SIGNATURE) {
  extern __shared__ float memory[];
  float *a = memory, *b = memory + 16 * 16 / 4;
  int tx = threadIdx.x, ty = threadIdx.y;
  a[ty * 16 + tx] = A[ty * K + tx];  // finds: race
  b[ty * 16 + tx] = B[ty * N + tx];
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < 16; ++k) sum += a[ty * 16 + k] * b[k * 16 + tx];
  C[ty * N + tx] = sum;
}

// run: --entry own_element_of_another --block 64 --tile 1x64 --m 2 --n 64 --k 64
// wrong: what looks like a thread's own element is written by two: t and t + 32
__global__ void own_element_of_another(SIGNATURE) {
  __shared__ float a[64];
  int t = threadIdx.x, row = blockIdx.y;
  a[t] = A[row * K + t];                        // finds: race
  if (t < 48) a[t + 16] = A[row * K + t + 16];  // finds: race
  float mine = a[t];
  __syncthreads();
  float sum = mine > 1e30f ? 1 : 0;
  for (int k = 0; k < K; ++k) sum += a[k] * B[k * N + t];
  C[row * N + t] = sum;
}
