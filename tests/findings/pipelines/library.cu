// cuda::pipeline and cuda::barrier of libcu++.
#include <cuda/barrier>
#include <cuda/pipeline>
#define SIGNATURE const float *A, const float *B, float *C, int M, int N, int K
#pragma nv_diag_suppress static_var_with_dynamic_init
using BlockBarrier = cuda::barrier<cuda::thread_scope_block>;

// run: --entry pipeline_without_consumer_wait --block 64 --tile 1x64 --m 2 --n 64 --k 64
// wrong: consumer_wait() is missing
__global__ void pipeline_without_consumer_wait(SIGNATURE) {
  __shared__ float a[64];
  int t = threadIdx.x, row = blockIdx.y;
  auto pipeline = cuda::make_pipeline();
  pipeline.producer_acquire();
  cuda::memcpy_async(&a[t], &A[row * K + t], sizeof(float), pipeline);
  pipeline.producer_commit();
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += a[k] * B[k * N + t];  // finds: race
  pipeline.consumer_release();
  C[row * N + t] = sum;
}

// run: --entry pipeline_without_barrier --block 64 --tile 1x64 --m 2 --n 64 --k 64
// wrong: a pipeline of one thread waits for that thread's copies only
__global__ void pipeline_without_barrier(SIGNATURE) {
  __shared__ float a[64];
  int t = threadIdx.x, row = blockIdx.y;
  auto pipeline = cuda::make_pipeline();
  pipeline.producer_acquire();
  cuda::memcpy_async(&a[t], &A[row * K + t], sizeof(float), pipeline);
  pipeline.producer_commit();
  pipeline.consumer_wait();
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += a[k] * B[k * N + t];  // finds: race
  pipeline.consumer_release();
  C[row * N + t] = sum;
}

// run: --entry pipeline_waits_for_all_but_one --block 64 --tile 1x64 --m 2 --n 64 --k 64
// wrong: consumer_wait_prior<1>() leaves the only commit
__global__ void pipeline_waits_for_all_but_one(SIGNATURE) {
  __shared__ float a[64];
  int t = threadIdx.x, row = blockIdx.y;
  auto pipeline = cuda::make_pipeline();
  cuda::memcpy_async(&a[t], &A[row * K + t], sizeof(float), pipeline);
  pipeline.producer_commit();
  cuda::pipeline_consumer_wait_prior<1>(pipeline);
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += a[k] * B[k * N + t];  // finds: race
  C[row * N + t] = sum;
}

// run: --entry barrier_of_one_warp --block 64 --tile 1x64 --m 2 --n 64 --k 64
// wrong: the barrier is initialised for 32 of 64 threads, so that a phase ends when half have arrived
__global__ void barrier_of_one_warp(SIGNATURE) {
  __shared__ BlockBarrier barrier;
  __shared__ float a[64];
  int t = threadIdx.x, row = blockIdx.y;
  if (t == 0) init(&barrier, 32);
  __syncthreads();
  a[t] = A[row * K + t];
  barrier.arrive_and_wait();
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += a[k] * B[k * N + t];  // finds: race
  C[row * N + t] = sum;
}

// run: --entry barrier_arrive_without_wait --block 64 --tile 1x64 --m 2 --n 64 --k 64
// wrong: the token of arrive() is thrown away
__global__ void barrier_arrive_without_wait(SIGNATURE) {
  __shared__ BlockBarrier barrier;
  __shared__ float a[64];
  int t = threadIdx.x, row = blockIdx.y;
  if (t == 0) init(&barrier, blockDim.x);
  __syncthreads();
  a[t] = A[row * K + t];
  [[maybe_unused]] auto token = barrier.arrive();
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += a[k] * B[k * N + t];  // finds: race
  C[row * N + t] = sum;
}

// run: --entry barrier_between_stores_and_next_stores --block 64 --tile 1x64 --m 2 --n 64 --k 128
// wrong: the same buffer is filled again after one phase
__global__ void barrier_between_stores_and_next_stores(SIGNATURE) {
  __shared__ BlockBarrier barrier;
  __shared__ float a[64];
  int t = threadIdx.x, row = blockIdx.y;
  if (t == 0) init(&barrier, blockDim.x);
  __syncthreads();
  float sum = 0;
#pragma unroll 1
  for (int k0 = 0; k0 < K; k0 += 64) {
    a[t] = A[row * K + k0 + t];  // finds: race
    barrier.arrive_and_wait();
    for (int k = 0; k < 64; ++k) sum += a[k] * B[(k0 + k) * N + t];
  }
  C[row * N + t] = sum;
}
