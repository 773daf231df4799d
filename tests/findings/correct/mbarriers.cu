// Right: mbarriers with one phase and with several, and copies that are tied to them.
#define SIGNATURE const float *A, const float *B, float *C, int M, int N, int K
typedef unsigned long long Mbarrier;

__device__ unsigned address_of(const void* shared) { return (unsigned)__cvta_generic_to_shared(shared); }
__device__ void init(Mbarrier* barrier, int arrivals) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(address_of(barrier)), "r"(arrivals) : "memory");
}
__device__ void arrive(Mbarrier* barrier) {
  asm volatile("{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [%0]; }" ::"r"(address_of(barrier)) : "memory");
}
__device__ void expect_bytes(Mbarrier* barrier, int bytes) {
  asm volatile("{ .reg .b64 state; mbarrier.arrive.expect_tx.shared.b64 state, [%0], %1; }" ::"r"(address_of(barrier)),
               "r"(bytes)
               : "memory");
}
__device__ bool is_complete(Mbarrier* barrier, int parity) {
  int complete;
  asm volatile(
      "{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.s32 %0, 1, 0, p; }"
      : "=r"(complete)
      : "r"(address_of(barrier)), "r"(parity)
      : "memory");
  return complete;
}
__device__ void wait(Mbarrier* barrier, int parity) {
  while (!is_complete(barrier, parity)) {
  }
}
__device__ void copy4(float* to, const float* from) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(address_of(to)), "l"(from) : "memory");
}
__device__ void arrive_after_copies(Mbarrier* barrier) {
  asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(address_of(barrier)) : "memory");
}
__device__ void bulk_copy(float* to, const float* from, int bytes, Mbarrier* barrier) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                   address_of(to)),
               "l"(from), "r"(bytes), "r"(address_of(barrier))
               : "memory");
}

// run: --entry one_phase --block 64 --tile 1x64 --m 2 --n 64 --k 64
// right: all threads arrive and wait
__global__ void one_phase(SIGNATURE) {
  __shared__ Mbarrier full;
  __shared__ float a[64];
  int t = threadIdx.x, row = blockIdx.y;
  if (t == 0) init(&full, 64);
  __syncthreads();
  a[t] = A[row * K + t];
  arrive(&full);
  wait(&full, 0);
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += a[k] * B[k * N + t];
  C[row * N + t] = sum;
}

// run: --entry several_phases --block 64 --tile 1x64 --m 2 --n 64 --k 256
// right: two buffers, and the parity of the phase changes in each iteration
__global__ void several_phases(SIGNATURE) {
  __shared__ Mbarrier full;
  __shared__ float a[2][64];
  int t = threadIdx.x, row = blockIdx.y;
  if (t == 0) init(&full, 64);
  __syncthreads();
  float sum = 0;
#pragma unroll 1
  for (int i = 0; i < K / 64; ++i) {
    a[i & 1][t] = A[row * K + i * 64 + t];
    arrive(&full);
    wait(&full, i & 1);
    for (int k = 0; k < 64; ++k) sum += a[i & 1][k] * B[(i * 64 + k) * N + t];
  }
  C[row * N + t] = sum;
}

// run: --entry phases_as_two_barriers --block 64 --tile 1x64 --m 2 --n 64 --k 192
// right: one buffer, and two phases of one mbarrier in each iteration
__global__ void phases_as_two_barriers(SIGNATURE) {
  __shared__ Mbarrier barrier;
  __shared__ float a[64];
  int t = threadIdx.x, row = blockIdx.y;
  if (t == 0) init(&barrier, 64);
  __syncthreads();
  float sum = 0;
#pragma unroll 1
  for (int i = 0; i < K / 64; ++i) {
    a[t] = A[row * K + i * 64 + t];
    arrive(&barrier);
    wait(&barrier, 0);
    for (int k = 0; k < 64; ++k) sum += a[k] * B[(i * 64 + k) * N + t];
    arrive(&barrier);
    wait(&barrier, 1);
  }
  C[row * N + t] = sum;
}

// run: --entry work_between_arrive_and_wait --block 64 --tile 1x64 --m 2 --n 64 --k 64
// right: between its arrival and its wait a thread reads its own element only
__global__ void work_between_arrive_and_wait(SIGNATURE) {
  __shared__ Mbarrier full;
  __shared__ float a[64];
  int t = threadIdx.x, row = blockIdx.y;
  if (t == 0) init(&full, 64);
  __syncthreads();
  a[t] = A[row * K + t];
  arrive(&full);
  float sum = a[t] > 1e30f ? 1 : 0;
  wait(&full, 0);
  for (int k = 0; k < K; ++k) sum += a[k] * B[k * N + t];
  C[row * N + t] = sum;
}

// run: --entry producer_and_consumer --block 64 --tile 1x32 --m 2 --n 32 --k 160
// right: two stages with "full" and "empty"
__global__ void producer_and_consumer(SIGNATURE) {
  __shared__ Mbarrier full[2], empty[2];
  __shared__ float a[2][32];
  int lane = threadIdx.x % 32, row = blockIdx.y;
  if (threadIdx.x < 2) init(&full[threadIdx.x], 32), init(&empty[threadIdx.x], 32);
  __syncthreads();
  if (threadIdx.x < 32) {
    for (int i = 0; i < K / 32; ++i) {
      wait(&empty[i & 1], (i / 2 & 1) ^ 1);
      a[i & 1][lane] = A[row * K + i * 32 + lane];
      arrive(&full[i & 1]);
    }
  } else {
    float sum = 0;
    for (int i = 0; i < K / 32; ++i) {
      wait(&full[i & 1], i / 2 & 1);
      for (int k = 0; k < 32; ++k) sum += a[i & 1][k] * B[(i * 32 + k) * N + lane];
      arrive(&empty[i & 1]);
    }
    C[row * N + lane] = sum;
  }
}

// run: --entry one_arrival_for_a_warp --block 96 --tile 1x64 --m 2 --n 64 --k 128
// right: lane 0 arrives for its warp, after __syncwarp()
__global__ void one_arrival_for_a_warp(SIGNATURE) {
  __shared__ Mbarrier full, empty;
  __shared__ float a[32];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, row = blockIdx.y;
  if (threadIdx.x == 0) init(&full, 1), init(&empty, 2);
  __syncthreads();
  if (warp == 0) {
    for (int i = 0; i < K / 32; ++i) {
      wait(&empty, (i & 1) ^ 1);
      a[lane] = A[row * K + i * 32 + lane];
      __syncwarp();
      if (lane == 0) arrive(&full);
    }
  } else {
    float sum = 0;
    for (int i = 0; i < K / 32; ++i) {
      wait(&full, i & 1);
      for (int k = 0; k < 32; ++k) sum += a[k] * B[(i * 32 + k) * N + threadIdx.x - 32];
      __syncwarp();
      if (lane == 0) arrive(&empty);
    }
    C[row * N + threadIdx.x - 32] = sum;
  }
}

// run: --entry copies_tied_to_the_mbarrier --block 64 --tile 1x64 --m 2 --n 64 --k 64
// right: each thread's arrival comes when its copies are done
__global__ void copies_tied_to_the_mbarrier(SIGNATURE) {
  __shared__ Mbarrier full;
  __shared__ float a[64];
  int t = threadIdx.x, row = blockIdx.y;
  if (t == 0) init(&full, 64);
  __syncthreads();
  copy4(a + t, A + row * K + t);
  arrive_after_copies(&full);
  wait(&full, 0);
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += a[k] * B[k * N + t];
  C[row * N + t] = sum;
}

// run: --entry bulk_copy_and_wait --block 64 --tile 1x64 --m 2 --n 64 --k 64
// right: one thread starts the copy, all wait for its bytes
__global__ void bulk_copy_and_wait(SIGNATURE) {
  __shared__ Mbarrier full;
  __shared__ alignas(16) float a[64];
  int t = threadIdx.x, row = blockIdx.y;
  if (t == 0) {
    init(&full, 1);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  }
  __syncthreads();
  if (t == 0) {
    expect_bytes(&full, sizeof a);
    bulk_copy(a, A + row * K, sizeof a, &full);
  }
  wait(&full, 0);
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += a[k] * B[k * N + t];
  C[row * N + t] = sum;
}

// run: --entry bulk_copies_of_two_stages --block 64 --tile 1x64 --m 2 --n 64 --k 256
// right: a barrier of the block before a stage is filled again
__global__ void bulk_copies_of_two_stages(SIGNATURE) {
  __shared__ Mbarrier full[2];
  __shared__ alignas(16) float a[2][64];
  int t = threadIdx.x, row = blockIdx.y, pieces = K / 64;
  if (t == 0) {
    init(&full[0], 1), init(&full[1], 1);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  }
  __syncthreads();
  if (t == 0) {
    expect_bytes(&full[0], 256);
    bulk_copy(a[0], A + row * K, 256, &full[0]);
  }
  float sum = 0;
#pragma unroll 1
  for (int i = 0; i < pieces; ++i) {
    int s = i & 1;
    if (t == 0 && i + 1 < pieces) {
      expect_bytes(&full[s ^ 1], 256);
      bulk_copy(a[s ^ 1], A + row * K + (i + 1) * 64, 256, &full[s ^ 1]);
    }
    wait(&full[s], i / 2 & 1);
    for (int k = 0; k < 64; ++k) sum += a[s][k] * B[(i * 64 + k) * N + t];
    __syncthreads();
  }
  C[row * N + t] = sum;
}
