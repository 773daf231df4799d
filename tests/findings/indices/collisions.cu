// Elements of shared memory that several threads write.
#define SIGNATURE const float *A, const float *B, float *C, int M, int N, int K

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
