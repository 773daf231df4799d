// Threads of a warp that exchange values through shared memory or by shuffles. Each block computes one element of C or
// one row: the sum along K is shared by the threads.
#define SIGNATURE const float *A, const float *B, float *C, int M, int N, int K

// run: --entry reduction_without_syncwarp --block 32 --tile 1x1 --m 4 --n 4 --k 64
// wrong: lanes read what other lanes store, with nothing to put them in order
__global__ void reduction_without_syncwarp(SIGNATURE) {
  __shared__ float part[32];
  int lane = threadIdx.x, row = blockIdx.y, col = blockIdx.x;
  float sum = 0;
  for (int k = lane; k < K; k += 32) sum += A[row * K + k] * B[k * N + col];
  part[lane] = sum;
  __syncwarp();
  if (lane < 16) part[lane] += part[lane + 16];
  if (lane < 8) part[lane] += part[lane + 8];  // finds: race
  if (lane < 4) part[lane] += part[lane + 4];
  if (lane < 2) part[lane] += part[lane + 2];
  if (lane < 1) part[lane] += part[lane + 1];
  if (lane == 0) C[row * N + col] = part[0];
}

// run: --entry volatile_reduction --block 32 --tile 1x1 --m 4 --n 4 --k 64
// wrong: volatile, as code for old GPUs has it, does not put the lanes in order
__global__ void volatile_reduction(SIGNATURE) {
  __shared__ volatile float part[64];
  int lane = threadIdx.x, row = blockIdx.y, col = blockIdx.x;
  float sum = 0;
  for (int k = lane; k < K; k += 32) sum += A[row * K + k] * B[k * N + col];
  part[lane] = sum;
  part[lane + 32] = 0;
  part[lane] = part[lane] + part[lane + 16];  // finds: race
  part[lane] = part[lane] + part[lane + 8];
  part[lane] = part[lane] + part[lane + 4];
  part[lane] = part[lane] + part[lane + 2];
  part[lane] = part[lane] + part[lane + 1];
  if (lane == 0) C[row * N + col] = part[0];
}

// run: --entry last_warp_unrolled --block 128 --tile 1x1 --m 2 --n 2 --k 128
// wrong: the last steps, of one warp, lack __syncwarp()
__device__ void last_warp(volatile float* part, int t) {
  part[t] = part[t] + part[t + 32];
  part[t] = part[t] + part[t + 16];  // finds: race
  part[t] = part[t] + part[t + 8];
  part[t] = part[t] + part[t + 4];
  part[t] = part[t] + part[t + 2];
  part[t] = part[t] + part[t + 1];
}

__global__ void last_warp_unrolled(SIGNATURE) {
  __shared__ float part[128];
  int t = threadIdx.x, row = blockIdx.y, col = blockIdx.x;
  part[t] = t < K ? A[row * K + t] * B[t * N + col] : 0;
  __syncthreads();
  if (t < 64) part[t] += part[t + 64];
  __syncthreads();
  if (t < 32) last_warp(part, t);
  if (t == 0) C[row * N + col] = part[0];
}

// run: --entry mask_of_half_a_warp --block 32 --tile 1x1 --m 4 --n 4 --k 32
// wrong: only lanes 0 to 15 wait for each other, and lane 0 reads what lane 16 stored
__global__ void mask_of_half_a_warp(SIGNATURE) {
  __shared__ float part[32];
  int lane = threadIdx.x, row = blockIdx.y, col = blockIdx.x;
  part[lane] = A[row * K + lane] * B[lane * N + col];
  if (lane < 16) {
    __syncwarp(0x0000ffff);
    float sum = 0;
    for (int i = 0; i < 32; ++i) sum += part[i];  // finds: race
    if (lane == 0) C[row * N + col] = sum;
  }
}

// run: --entry masks_of_both_halves --block 32 --tile 1x32 --m 4 --n 32 --k 32
// wrong: each half waits for itself, but reads what the other half stored
__global__ void masks_of_both_halves(SIGNATURE) {
  __shared__ float row_of_a[32];
  int lane = threadIdx.x, row = blockIdx.y;
  float sum = 0;
  row_of_a[lane] = A[row * K + lane];
  if (lane < 16)
    __syncwarp(0x0000ffff);
  else
    __syncwarp(0xffff0000);
  for (int k = 0; k < K; ++k) sum += row_of_a[k] * B[k * N + lane];  // finds: race
  C[row * N + lane] = sum;
}

// run: --entry mask_without_the_caller --block 32 --tile 1x32 --m 4 --n 32 --k 32
// wrong: the upper half calls __syncwarp() with a mask that does not name it
__global__ void mask_without_the_caller(SIGNATURE) {
  __shared__ float row_of_a[32];
  int lane = threadIdx.x, row = blockIdx.y;
  float sum = 0;
  row_of_a[lane] = A[row * K + lane];
  __syncwarp(0x0000ffff);  // finds: barrier
  for (int k = 0; k < 16; ++k) sum += row_of_a[k] * B[k * N + lane];
  __syncwarp();
  for (int k = 16; k < K; ++k) sum += row_of_a[k] * B[k * N + lane];
  C[row * N + lane] = sum;
}

// run: --entry syncwarp_that_half_reach --block 32 --tile 1x1 --m 4 --n 4 --k 32
// wrong: the mask names all lanes, and only half of them are in the branch
__global__ void syncwarp_that_half_reach(SIGNATURE) {
  __shared__ float part[32];
  int lane = threadIdx.x, row = blockIdx.y, col = blockIdx.x;
  part[lane] = A[row * K + lane] * B[lane * N + col];
  __syncwarp();
  for (int step = 16; step > 0; step /= 2) {
    if (lane < step) {
      part[lane] += part[lane + step];
      __syncwarp();  // finds: barrier
    }
  }
  if (lane == 0) C[row * N + col] = part[0];
}

// run: --entry transpose_in_a_warp --block 32 --tile 32x1 --m 32 --n 4 --k 32
// wrong: lanes read the column that others have stored, without __syncwarp() between
__global__ void transpose_in_a_warp(SIGNATURE) {
  __shared__ float tile[32][33];
  int lane = threadIdx.x, col = blockIdx.x;
  for (int r = 0; r < 32; ++r) tile[r][lane] = A[r * K + lane];
  float sum = 0;
  for (int k = 0; k < 32; ++k) sum += tile[lane][k] * B[k * N + col];  // finds: race
  C[lane * N + col] = sum;
}

// run: --entry syncwarp_for_two_warps --block 64 --tile 1x64 --m 4 --n 64 --k 64
// wrong: two warps share the row of A, and __syncwarp() orders one warp alone
__global__ void syncwarp_for_two_warps(SIGNATURE) {
  __shared__ float row_of_a[64];
  int t = threadIdx.x, row = blockIdx.y;
  row_of_a[t] = A[row * K + t];
  __syncwarp();
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += row_of_a[k] * B[k * N + t];  // finds: race
  C[row * N + t] = sum;
}

// run: --entry broadcast_from_lane_0 --block 32 --tile 1x32 --m 4 --n 32 --k 32
// wrong: all lanes read what lane 0 has just stored
__global__ void broadcast_from_lane_0(SIGNATURE) {
  __shared__ float element;
  int lane = threadIdx.x, row = blockIdx.y;
  float sum = 0;
  for (int k = 0; k < K; ++k) {
    if (lane == 0) element = A[row * K + k];
    sum += element * B[k * N + lane];  // finds: race
    __syncwarp();
  }
  C[row * N + lane] = sum;
}

// run: --entry broadcast_overwritten --block 32 --tile 1x32 --m 4 --n 32 --k 32
// wrong: lane 0 stores the next element while others may still read this one
__global__ void broadcast_overwritten(SIGNATURE) {
  __shared__ float element;
  int lane = threadIdx.x, row = blockIdx.y;
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < K; ++k) {
    if (lane == 0) element = A[row * K + k];  // finds: race
    __syncwarp();
    sum += element * B[k * N + lane];
  }
  C[row * N + lane] = sum;
}

// run: --entry scan_in_place --block 32 --tile 1x32 --m 4 --n 32 --k 32
// wrong: part[lane - d] is read while its lane adds to it
__global__ void scan_in_place(SIGNATURE) {
  __shared__ float part[32];
  int lane = threadIdx.x, row = blockIdx.y;
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + lane];
  part[lane] = sum;
  __syncwarp();
  for (int d = 1; d < 32; d *= 2) {
    if (lane >= d) part[lane] += 0 * part[lane - d];  // finds: race
  }
  C[row * N + lane] = part[lane];
}

// run: --entry half_of_the_active_lanes_wait --block 32 --tile 1x8 --m 4 --n 8 --k 32
// wrong: eight lanes share a row of A, and each half of them waits for itself
__global__ void half_of_the_active_lanes_wait(SIGNATURE) {
  __shared__ float a[32];
  int lane = threadIdx.x, row = blockIdx.y;
  unsigned half = lane < 4 ? 0x0f : 0xf0;
  if (lane < N) {
    float sum = 0;
    for (int k0 = 0; k0 < K; k0 += 8) {
      a[lane] = A[row * K + k0 + lane];  // finds: race
      __syncwarp(half);
      for (int k = 0; k < 8; ++k) sum += a[k] * B[(k0 + k) * N + lane];  // finds: race
      __syncwarp(half);
    }
    C[row * N + lane] = sum;
  }
}
