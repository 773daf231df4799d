// Right: cuda::pipeline and cuda::barrier of libcu++.
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#define SIGNATURE const float *A, const float *B, float *C, int M, int N, int K
#pragma nv_diag_suppress static_var_with_dynamic_init
using BlockBarrier = cuda::barrier<cuda::thread_scope_block>;

// run: --entry pipeline_of_one_thread --block 64 --tile 1x64 --m 2 --n 64 --k 64
// right: wait for one's own copies, then a barrier
__global__ void pipeline_of_one_thread(SIGNATURE) {
  __shared__ float a[64];
  int t = threadIdx.x, row = blockIdx.y;
  auto pipeline = cuda::make_pipeline();
  pipeline.producer_acquire();
  cuda::memcpy_async(&a[t], &A[row * K + t], sizeof(float), pipeline);
  pipeline.producer_commit();
  pipeline.consumer_wait();
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += a[k] * B[k * N + t];
  pipeline.consumer_release();
  C[row * N + t] = sum;
}

// run: --entry pipeline_of_two_stages --block 64 --tile 1x64 --m 2 --n 64 --k 192
// right: the next piece is copied while this one is multiplied
__global__ void pipeline_of_two_stages(SIGNATURE) {
  __shared__ float a[2][64];
  int t = threadIdx.x, row = blockIdx.y, pieces = K / 64;
  auto pipeline = cuda::make_pipeline();
  cuda::memcpy_async(&a[0][t], &A[row * K + t], sizeof(float), pipeline);
  pipeline.producer_commit();
  float sum = 0;
  for (int i = 0; i < pieces; ++i) {
    if (i + 1 < pieces)
      cuda::memcpy_async(&a[(i + 1) & 1][t], &A[row * K + (i + 1) * 64 + t], sizeof(float), pipeline);
    pipeline.producer_commit();
    cuda::pipeline_consumer_wait_prior<1>(pipeline);
    __syncthreads();
    for (int k = 0; k < 64; ++k) sum += a[i & 1][k] * B[(i * 64 + k) * N + t];
    __syncthreads();
  }
  C[row * N + t] = sum;
}

// run: --entry barrier_of_the_block --block 64 --tile 1x64 --m 2 --n 64 --k 128
// right: two phases in each iteration
__global__ void barrier_of_the_block(SIGNATURE) {
  __shared__ BlockBarrier barrier;
  __shared__ float a[64];
  int t = threadIdx.x, row = blockIdx.y;
  if (t == 0) init(&barrier, blockDim.x);
  __syncthreads();
  float sum = 0;
#pragma unroll 1
  for (int k0 = 0; k0 < K; k0 += 64) {
    a[t] = A[row * K + k0 + t];
    barrier.arrive_and_wait();
    for (int k = 0; k < 64; ++k) sum += a[k] * B[(k0 + k) * N + t];
    barrier.arrive_and_wait();
  }
  C[row * N + t] = sum;
}

// run: --entry token_of_an_arrival --block 64 --tile 1x64 --m 2 --n 64 --k 64
// right: arrive, do something else, wait with the token
__global__ void token_of_an_arrival(SIGNATURE) {
  __shared__ BlockBarrier barrier;
  __shared__ float a[64];
  int t = threadIdx.x, row = blockIdx.y;
  if (t == 0) init(&barrier, blockDim.x);
  __syncthreads();
  a[t] = A[row * K + t];
  auto token = barrier.arrive();
  float sum = 0 * B[t];
  barrier.wait(std::move(token));
  for (int k = 0; k < K; ++k) sum += a[k] * B[k * N + t];
  C[row * N + t] = sum;
}

// run: --entry copies_into_a_barrier --block 64 --tile 1x64 --m 2 --n 64 --k 64
// right: the copies arrive at the barrier
__global__ void copies_into_a_barrier(SIGNATURE) {
  __shared__ BlockBarrier barrier;
  __shared__ float a[64];
  int t = threadIdx.x, row = blockIdx.y;
  if (t == 0) init(&barrier, blockDim.x);
  __syncthreads();
  cuda::memcpy_async(&a[t], &A[row * K + t], sizeof(float), barrier);
  barrier.arrive_and_wait();
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += a[k] * B[k * N + t];
  C[row * N + t] = sum;
}

// run: --entry pipeline_of_the_block --block 64 --tile 1x64 --m 2 --n 64 --k 192
// right: the block's pipeline holds two pieces; a stage is released before it is filled again
__global__ void pipeline_of_the_block(SIGNATURE) {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  __shared__ float a[2][64];
  auto pipeline = cuda::make_pipeline(cooperative_groups::this_thread_block(), &state);
  int t = threadIdx.x, row = blockIdx.y, pieces = K / 64, next = 0;
  float sum = 0;
  for (int i = 0; i < pieces; ++i) {
    for (; next < pieces && next < i + 2; ++next) {
      pipeline.producer_acquire();
      cuda::memcpy_async(&a[next & 1][t], &A[row * K + next * 64 + t], sizeof(float), pipeline);
      pipeline.producer_commit();
    }
    pipeline.consumer_wait();
    for (int k = 0; k < 64; ++k) sum += a[i & 1][k] * B[(i * 64 + k) * N + t];
    pipeline.consumer_release();
  }
  C[row * N + t] = sum;
}
