// <cuda_pipeline.h>: __pipeline_memcpy_async() and what belongs to it.
#include <cuda_pipeline.h>
#define SIGNATURE const float *A, const float *B, float *C, int M, int N, int K

// run: --entry no_wait_prior --block 64 --tile 1x64 --m 2 --n 64 --k 64
// wrong: the copies are committed and never waited for
__global__ void no_wait_prior(SIGNATURE) {
  __shared__ float a[64];
  int t = threadIdx.x, row = blockIdx.y;
  __pipeline_memcpy_async(&a[t], &A[row * K + t], sizeof(float));
  __pipeline_commit();
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += a[k] * B[k * N + t];  // finds: race
  C[row * N + t] = sum;
}

// run: --entry wait_prior_1_of_1 --block 64 --tile 1x64 --m 2 --n 64 --k 64
// wrong: one commit, and all but the latest one are waited for
__global__ void wait_prior_1_of_1(SIGNATURE) {
  __shared__ float a[64];
  int t = threadIdx.x, row = blockIdx.y;
  __pipeline_memcpy_async(&a[t], &A[row * K + t], sizeof(float));
  __pipeline_commit();
  __pipeline_wait_prior(1);
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += a[k] * B[k * N + t];  // finds: race
  C[row * N + t] = sum;
}

// run: --entry no_barrier_after_wait_prior --block 16x16 --tile 16x16 --size 32
// wrong: a thread waits for its own copies only
__global__ void no_barrier_after_wait_prior(SIGNATURE) {
  __shared__ float a[16][16], b[16][16];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
  float sum = 0;
  for (int k0 = 0; k0 < K; k0 += 16) {
    __pipeline_memcpy_async(&a[ty][tx], &A[row * K + k0 + tx], 4);
    __pipeline_memcpy_async(&b[ty][tx], &B[(k0 + ty) * N + col], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    for (int k = 0; k < 16; ++k) sum += a[ty][k] * b[k][tx];  // finds: race
    __syncthreads();
  }
  C[row * N + col] = sum;
}

// run: --entry next_copy_over_this_tile --block 16x16 --tile 16x16 --size 48
// wrong: both stages are the same memory, as the stage is not used as an index
__global__ void next_copy_over_this_tile(SIGNATURE) {
  __shared__ float b[2][16][16];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
  float sum = 0;
  int stage = 0;
  __pipeline_memcpy_async(&b[stage][ty][tx], &B[ty * N + col], 4);
  __pipeline_commit();
#pragma unroll 1
  for (int k0 = 0; k0 < K; k0 += 16) {
    if (k0 + 16 < K) __pipeline_memcpy_async(&b[stage][ty][tx], &B[(k0 + 16 + ty) * N + col], 4);  // finds: race
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum += A[row * K + k0 + k] * b[stage][k][tx];
    __syncthreads();
  }
  C[row * N + col] = sum;
}
