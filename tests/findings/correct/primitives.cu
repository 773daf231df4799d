// Right: <cuda_pipeline.h>.
#include <cuda_pipeline.h>
#define SIGNATURE const float *A, const float *B, float *C, int M, int N, int K

// run: --entry wait_prior_and_barrier --block 16x16 --tile 16x16 --size 32
// right: wait for all commits, then a barrier
__global__ void wait_prior_and_barrier(SIGNATURE) {
  __shared__ float a[16][16], b[16][16];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
  float sum = 0;
  for (int k0 = 0; k0 < K; k0 += 16) {
    __pipeline_memcpy_async(&a[ty][tx], &A[row * K + k0 + tx], 4);
    __pipeline_memcpy_async(&b[ty][tx], &B[(k0 + ty) * N + col], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum += a[ty][k] * b[k][tx];
    __syncthreads();
  }
  C[row * N + col] = sum;
}

// run: --entry two_stages_of_primitives --block 16x16 --tile 16x16 --size 48
// right: the next tile is copied while this one is multiplied
__global__ void two_stages_of_primitives(SIGNATURE) {
  __shared__ float b[2][16][16];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
  float sum = 0;
  __pipeline_memcpy_async(&b[0][ty][tx], &B[ty * N + col], 4);
  __pipeline_commit();
  for (int k0 = 0, stage = 0; k0 < K; k0 += 16, stage ^= 1) {
    if (k0 + 16 < K) __pipeline_memcpy_async(&b[stage ^ 1][ty][tx], &B[(k0 + 16 + ty) * N + col], 4);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum += A[row * K + k0 + k] * b[stage][k][tx];
    __syncthreads();
  }
  C[row * N + col] = sum;
}
