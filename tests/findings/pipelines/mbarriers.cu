// mbarriers: objects in shared memory that count arrivals, and whose phases threads wait for.
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

// run: --entry init_without_a_barrier --block 64 --tile 1x64 --m 2 --n 64 --k 64
// wrong: other threads use the mbarrier while thread 0 may not have initialised it
__global__ void init_without_a_barrier(SIGNATURE) {
  __shared__ Mbarrier full;
  __shared__ float a[64];
  int t = threadIdx.x, row = blockIdx.y;
  if (t == 0) init(&full, 64);
  a[t] = A[row * K + t];
  arrive(&full);  // finds: race
  wait(&full, 0);
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += a[k] * B[k * N + t];
  C[row * N + t] = sum;
}

// run: --entry never_initialised --block 64 --tile 1x64 --m 2 --n 64 --k 64
// wrong: nobody initialises the mbarrier
__global__ void never_initialised(SIGNATURE) {
  __shared__ Mbarrier full;
  __shared__ float a[64];
  int t = threadIdx.x, row = blockIdx.y;
  a[t] = A[row * K + t];
  __syncthreads();
  arrive(&full);  // finds: uninitialised
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += a[k] * B[k * N + t];
  C[row * N + t] = sum;
}

// run: --entry read_before_the_wait --block 64 --tile 1x64 --m 2 --n 64 --k 64
// wrong: threads arrive and read without waiting for the phase
__global__ void read_before_the_wait(SIGNATURE) {
  __shared__ Mbarrier full;
  __shared__ float a[64];
  int t = threadIdx.x, row = blockIdx.y;
  if (t == 0) init(&full, 64);
  __syncthreads();
  a[t] = A[row * K + t];
  arrive(&full);
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += a[k] * B[k * N + t];  // finds: race
  wait(&full, 0);
  C[row * N + t] = sum;
}

// run: --entry arrives_before_the_store --block 64 --tile 1x64 --m 2 --n 64 --k 64
// wrong: a thread arrives and stores its element afterwards
__global__ void arrives_before_the_store(SIGNATURE) {
  __shared__ Mbarrier full;
  __shared__ float a[64];
  int t = threadIdx.x, row = blockIdx.y;
  if (t == 0) init(&full, 64);
  __syncthreads();
  arrive(&full);
  a[t] = A[row * K + t];
  wait(&full, 0);
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += a[k] * B[k * N + t];  // finds: race
  C[row * N + t] = sum;
}

// run: --entry one_warp_is_counted --block 64 --tile 1x64 --m 2 --n 64 --k 64
// wrong: the mbarrier expects 32 arrivals, and 64 threads store
__global__ void one_warp_is_counted(SIGNATURE) {
  __shared__ Mbarrier full;
  __shared__ float a[64];
  int t = threadIdx.x, row = blockIdx.y;
  if (t == 0) init(&full, 32);
  __syncthreads();
  a[t] = A[row * K + t];
  arrive(&full);
  if (t < 32) wait(&full, 0);
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += a[k] * B[k * N + t];  // finds: race
  C[row * N + t] = sum;
}

// run: --entry more_are_expected_than_come --block 64 --tile 1x64 --m 1 --n 64 --k 64 --max-instructions 200000
// wrong: 65 arrivals are expected of 64 threads
__global__ void more_are_expected_than_come(SIGNATURE) {
  __shared__ Mbarrier full;
  __shared__ float a[64];
  int t = threadIdx.x, row = blockIdx.y;
  if (t == 0) init(&full, 65);
  __syncthreads();
  a[t] = A[row * K + t];
  arrive(&full);
  wait(&full, 0);  // finds: endless
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += a[k] * B[k * N + t];
  C[row * N + t] = sum;
}

// run: --entry wrong_parity_first --block 64 --tile 1x64 --m 2 --n 64 --k 64 --max-instructions 200000
// wrong: waiting for parity 1 of a fresh mbarrier succeeds at once, and later never again
__global__ void wrong_parity_first(SIGNATURE) {
  __shared__ Mbarrier full;
  __shared__ float a[64];
  int t = threadIdx.x, row = blockIdx.y;
  if (t == 0) init(&full, 64);
  __syncthreads();
  a[t] = A[row * K + t];
  arrive(&full);
  wait(&full, 1);  // finds: endless
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += a[k] * B[k * N + t];  // finds: race
  C[row * N + t] = sum;
}

// run: --entry parity_not_toggled --block 64 --tile 1x64 --m 2 --n 64 --k 128 --max-instructions 200000
// wrong: the second phase is waited for with the first one's parity, which is complete already
// also: endless
__global__ void parity_not_toggled(SIGNATURE) {
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
    wait(&full, 0);
    for (int k = 0; k < 64; ++k) sum += a[i & 1][k] * B[(i * 64 + k) * N + t];  // finds: race
  }
  C[row * N + t] = sum;
}

// run: --entry one_buffer_one_phase --block 64 --tile 1x64 --m 2 --n 64 --k 192
// wrong: the phase says that the piece is full; nothing says that all have read it
__global__ void one_buffer_one_phase(SIGNATURE) {
  __shared__ Mbarrier full;
  __shared__ float a[64];
  int t = threadIdx.x, row = blockIdx.y;
  if (t == 0) init(&full, 64);
  __syncthreads();
  float sum = 0;
#pragma unroll 1
  for (int i = 0; i < K / 64; ++i) {
    a[t] = A[row * K + i * 64 + t];  // finds: race
    arrive(&full);
    wait(&full, i & 1);
    for (int k = 0; k < 64; ++k) sum += a[k] * B[(i * 64 + k) * N + t];
  }
  C[row * N + t] = sum;
}

// A producer warp fills pieces of a row of A, a consumer warp multiplies: "full" and "empty" for each stage.

// run: --entry no_empty_wait --block 64 --tile 1x32 --m 2 --n 32 --k 128 --max-instructions 200000
// wrong: the producer fills a stage again without waiting until it is empty, and phases pass by the consumer
// also: race
__global__ void no_empty_wait(SIGNATURE) {
  __shared__ Mbarrier full[2];
  __shared__ float a[2][32];
  int lane = threadIdx.x % 32, row = blockIdx.y;
  if (threadIdx.x < 2) init(&full[threadIdx.x], 32);
  __syncthreads();
  float sum = 0;
  if (threadIdx.x < 32) {
    for (int i = 0; i < K / 32; ++i) {
      a[i & 1][lane] = A[row * K + i * 32 + lane];
      arrive(&full[i & 1]);
    }
  } else {
    for (int i = 0; i < K / 32; ++i) {
      wait(&full[i & 1], i / 2 & 1);  // finds: endless
      for (int k = 0; k < 32; ++k) sum += a[i & 1][k] * B[(i * 32 + k) * N + lane];
    }
    C[row * N + lane] = sum;
  }
}

// run: --entry empty_parity_of_the_consumer --block 64 --tile 1x32 --m 2 --n 32 --k 64 --max-instructions 200000
// wrong: the producer's first wait for "empty" must succeed at once: parity 1, not 0
__global__ void empty_parity_of_the_consumer(SIGNATURE) {
  __shared__ Mbarrier full, empty;
  __shared__ float a[32];
  int lane = threadIdx.x % 32, row = blockIdx.y;
  if (threadIdx.x == 0) init(&full, 32), init(&empty, 32);
  __syncthreads();
  float sum = 0;
  if (threadIdx.x < 32) {
    for (int i = 0; i < K / 32; ++i) {
      wait(&empty, i & 1);  // finds: endless
      a[lane] = A[row * K + i * 32 + lane];
      arrive(&full);
    }
  } else {
    for (int i = 0; i < K / 32; ++i) {
      wait(&full, i & 1);
      for (int k = 0; k < 32; ++k) sum += a[k] * B[(i * 32 + k) * N + lane];
      arrive(&empty);
    }
    C[row * N + lane] = sum;
  }
}

// run: --entry empty_before_the_last_read --block 64 --tile 1x32 --m 2 --n 32 --k 64
// wrong: the consumer says "empty" after half of its reads
__global__ void empty_before_the_last_read(SIGNATURE) {
  __shared__ Mbarrier full, empty;
  __shared__ float a[32];
  int lane = threadIdx.x % 32, row = blockIdx.y;
  if (threadIdx.x == 0) init(&full, 32), init(&empty, 32);
  __syncthreads();
  float sum = 0;
  if (threadIdx.x < 32) {
    for (int i = 0; i < K / 32; ++i) {
      wait(&empty, (i & 1) ^ 1);
      a[lane] = A[row * K + i * 32 + lane];  // finds: race
      arrive(&full);
    }
  } else {
    for (int i = 0; i < K / 32; ++i) {
      wait(&full, i & 1);
      for (int k = 0; k < 16; ++k) sum += a[k] * B[(i * 32 + k) * N + lane];
      arrive(&empty);
      for (int k = 16; k < 32; ++k) sum += a[k] * B[(i * 32 + k) * N + lane];
    }
    C[row * N + lane] = sum;
  }
}

// run: --entry one_consumer_says_empty --block 96 --tile 1x64 --m 2 --n 64 --k 64
// wrong: two warps consume, and the arrivals of one make the stage empty
__global__ void one_consumer_says_empty(SIGNATURE) {
  __shared__ Mbarrier full, empty;
  __shared__ float a[32];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, row = blockIdx.y;
  if (threadIdx.x == 0) init(&full, 32), init(&empty, 32);
  __syncthreads();
  float sum = 0;
  if (warp == 0) {
    for (int i = 0; i < K / 32; ++i) {
      wait(&empty, (i & 1) ^ 1);
      a[lane] = A[row * K + i * 32 + lane];  // finds: race
      arrive(&full);
    }
  } else {
    for (int i = 0; i < K / 32; ++i) {
      wait(&full, i & 1);
      for (int k = 0; k < 32; ++k) sum += a[k] * B[(i * 32 + k) * N + threadIdx.x - 32];
      if (warp == 1) arrive(&empty);
    }
    C[row * N + threadIdx.x - 32] = sum;
  }
}

// run: --entry stage_not_yet_full --block 64 --tile 1x32 --m 2 --n 32 --k 128
// wrong: the consumer waits for one stage and reads the other
__global__ void stage_not_yet_full(SIGNATURE) {
  __shared__ Mbarrier full[2], empty[2];
  __shared__ float a[2][32];
  int lane = threadIdx.x % 32, row = blockIdx.y;
  if (threadIdx.x < 2) init(&full[threadIdx.x], 32), init(&empty[threadIdx.x], 32);
  __syncthreads();
  float sum = 0;
  if (threadIdx.x < 32) {
    for (int i = 0; i < K / 32; ++i) {
      wait(&empty[i & 1], (i / 2 & 1) ^ 1);
      a[i & 1][lane] = A[row * K + i * 32 + lane];
      arrive(&full[i & 1]);
    }
  } else {
    for (int i = 0; i < K / 32; ++i) {
      wait(&full[i & 1], i / 2 & 1);
      for (int k = 0; k < 32; ++k) sum += a[(i + 1) & 1][k] * B[(i * 32 + k) * N + lane];  // finds: race
      arrive(&empty[i & 1]);
    }
    C[row * N + lane] = sum;
  }
}

// run: --entry copies_not_tied_to_the_mbarrier --block 64 --tile 1x64 --m 2 --n 64 --k 64
// wrong: a plain arrival does not wait for the thread's asynchronous copies
__global__ void copies_not_tied_to_the_mbarrier(SIGNATURE) {
  __shared__ Mbarrier full;
  __shared__ float a[64];
  int t = threadIdx.x, row = blockIdx.y;
  if (t == 0) init(&full, 64);
  __syncthreads();
  copy4(a + t, A + row * K + t);
  arrive(&full);
  wait(&full, 0);
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += a[k] * B[k * N + t];  // finds: race
  C[row * N + t] = sum;
}

// run: --entry copies_started_after_the_arrival --block 64 --tile 1x64 --m 2 --n 64 --k 64
// wrong: the arrival is tied to the copies before it, and the copy starts after it
__global__ void copies_started_after_the_arrival(SIGNATURE) {
  __shared__ Mbarrier full;
  __shared__ float a[64];
  int t = threadIdx.x, row = blockIdx.y;
  if (t == 0) init(&full, 64);
  __syncthreads();
  arrive_after_copies(&full);
  copy4(a + t, A + row * K + t);
  wait(&full, 0);
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += a[k] * B[k * N + t];  // finds: race
  C[row * N + t] = sum;
}

// run: --entry bulk_copy_not_waited_for --block 64 --tile 1x64 --m 2 --n 64 --k 64
// wrong: a barrier of the block does not wait for the bulk copy
__global__ void bulk_copy_not_waited_for(SIGNATURE) {
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
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += a[k] * B[k * N + t];  // finds: race
  wait(&full, 0);
  C[row * N + t] = sum;
}

// run: --entry bulk_copy_expects_too_few_bytes --block 64 --tile 1x64 --m 2 --n 64 --k 64
// wrong: two copies, and bytes are expected for the first of them only when the phase is waited for
__global__ void bulk_copy_expects_too_few_bytes(SIGNATURE) {
  __shared__ Mbarrier full, second;
  __shared__ alignas(16) float a[64];
  int t = threadIdx.x, row = blockIdx.y;
  if (t == 0) {
    init(&full, 1), init(&second, 1);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  }
  __syncthreads();
  if (t == 0) {
    expect_bytes(&full, 128);
    bulk_copy(a, A + row * K, 128, &full);
    expect_bytes(&second, 128);
    bulk_copy(a + 32, A + row * K + 32, 128, &second);
  }
  wait(&full, 0);
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += a[k] * B[k * N + t];  // finds: race
  wait(&second, 0);
  C[row * N + t] = sum;
}

// run: --entry bulk_copy_over_what_is_read --block 64 --tile 1x64 --m 2 --n 64 --k 128 --max-instructions 200000
// wrong: the copy of the second piece starts while others may still read the first, and a phase may pass by them
// also: endless
__global__ void bulk_copy_over_what_is_read(SIGNATURE) {
  __shared__ Mbarrier full;
  __shared__ alignas(16) float a[64];
  int t = threadIdx.x, row = blockIdx.y;
  if (t == 0) {
    init(&full, 1);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  }
  __syncthreads();
  float sum = 0;
#pragma unroll 1
  for (int i = 0; i < K / 64; ++i) {
    if (t == 0) {
      expect_bytes(&full, sizeof a);
      bulk_copy(a, A + row * K + i * 64, sizeof a, &full);  // finds: race
    }
    wait(&full, i & 1);
    for (int k = 0; k < 64; ++k) sum += a[k] * B[(i * 64 + k) * N + t];
  }
  C[row * N + t] = sum;
}

// run: --entry more_bytes_are_expected --block 64 --tile 1x64 --m 1 --n 64 --k 64 --max-instructions 200000
// wrong: 260 bytes are expected of a copy of 256
__global__ void more_bytes_are_expected(SIGNATURE) {
  __shared__ Mbarrier full;
  __shared__ alignas(16) float a[64];
  int t = threadIdx.x, row = blockIdx.y;
  if (t == 0) init(&full, 1);
  __syncthreads();
  if (t == 0) {
    expect_bytes(&full, 260);
    bulk_copy(a, A + row * K, 256, &full);
  }
  wait(&full, 0);  // finds: endless
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += a[k] * B[k * N + t];
  C[row * N + t] = sum;
}

// run: --entry bulk_copy_beyond_a --block 64 --tile 1x64 --m 2 --n 64 --k 64
// wrong: the last row's copy begins 16 elements late, and ends outside of A
__global__ void bulk_copy_beyond_a(SIGNATURE) {
  __shared__ Mbarrier full;
  __shared__ alignas(16) float a[64];
  int t = threadIdx.x, row = blockIdx.y;
  if (t == 0) init(&full, 1);
  __syncthreads();
  if (t == 0) {
    expect_bytes(&full, sizeof a);
    bulk_copy(a, A + row * K + 16, sizeof a, &full);  // finds: bounds
  }
  wait(&full, 0);
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += a[k] * B[k * N + t];
  C[row * N + t] = sum;
}

// run: --entry bulk_copy_beyond_the_tile --block 64 --tile 1x64 --m 2 --n 64 --k 64
// wrong: the copy's target is 64 bytes too short
__global__ void bulk_copy_beyond_the_tile(SIGNATURE) {
  __shared__ Mbarrier full;
  __shared__ alignas(16) float a[48];
  int t = threadIdx.x, row = blockIdx.y;
  if (t == 0) init(&full, 1);
  __syncthreads();
  if (t == 0) {
    expect_bytes(&full, 256);
    bulk_copy(a, A + row * K, 256, &full);  // finds: bounds
  }
  wait(&full, 0);
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + t];
  C[row * N + t] = sum;
}

// run: --entry bulk_copy_of_a_misaligned_row --block 64 --tile 1x64 --m 2 --n 64 --k 64
// wrong: the copy begins at an element whose number is no multiple of 4
__global__ void bulk_copy_of_a_misaligned_row(SIGNATURE) {
  __shared__ Mbarrier full;
  __shared__ alignas(16) float a[64];
  int t = threadIdx.x, row = blockIdx.y;
  if (t == 0) init(&full, 1);
  __syncthreads();
  if (t == 0) {
    expect_bytes(&full, sizeof a);
    bulk_copy(a, A + row * K - row, sizeof a, &full);  // finds: alignment
  }
  wait(&full, 0);
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += a[k] * B[k * N + t];
  C[row * N + t] = sum;
}
