// Threads that wait for each other with flags in memory.
#define SIGNATURE const float *A, const float *B, float *C, int M, int N, int K

// run: --entry flag_without_a_fence --block 64 --tile 1x32 --m 2 --n 32 --k 32
// wrong: nothing orders the stores of the other lanes before the flag that lane 0 sets
__global__ void flag_without_a_fence(SIGNATURE) {
  __shared__ float a[32];
  __shared__ volatile int ready;
  int lane = threadIdx.x % 32, row = blockIdx.y;
  if (threadIdx.x == 0) ready = 0;
  __syncthreads();
  if (threadIdx.x < 32) {
    a[lane] = A[row * K + lane];
    if (lane == 0) ready = 1;
  } else {
    while (ready == 0) {
    }
    float sum = 0;
    for (int k = 0; k < K; ++k) sum += a[k] * B[k * N + lane];  // finds: race
    C[row * N + lane] = sum;
  }
}

// run: --entry flag_set_first --block 64 --tile 1x32 --m 2 --n 32 --k 32
// wrong: the flag is set before the row is stored
__global__ void flag_set_first(SIGNATURE) {
  __shared__ float a[32];
  __shared__ int ready;
  int lane = threadIdx.x % 32, row = blockIdx.y;
  if (threadIdx.x == 0) ready = 0;
  __syncthreads();
  if (threadIdx.x < 32) {
    if (lane == 0) atomicExch(&ready, 1);
    __threadfence_block();
    a[lane] = A[row * K + lane];
  } else {
    while (atomicAdd(&ready, 0) == 0) {
    }
    __threadfence_block();
    float sum = 0;
    for (int k = 0; k < K; ++k) sum += a[k] * B[k * N + lane];  // finds: race
    C[row * N + lane] = sum;
  }
}

// run: --entry flag_never_set --block 64 --tile 1x32 --m 1 --n 32 --k 32 --max-instructions 200000
// wrong: the flag is set to 1, and 2 is waited for
// also: race
__global__ void flag_never_set(SIGNATURE) {
  __shared__ float a[32];
  __shared__ volatile int ready;
  int lane = threadIdx.x % 32, row = blockIdx.y;
  if (threadIdx.x == 0) ready = 0;
  __syncthreads();
  if (threadIdx.x < 32) {
    a[lane] = A[row * K + lane];
    __threadfence_block();
    __syncwarp();
    if (lane == 0) ready = 1;
  } else {
    while (ready != 2) {  // finds: endless
    }
    float sum = 0;
    for (int k = 0; k < K; ++k) sum += a[k] * B[k * N + lane];
    C[row * N + lane] = sum;
  }
}

__device__ unsigned blocks_done;

// run: --entry last_block_without_a_fence --block 32 --tile 1x32 --m 2 --n 64 --k 32
// wrong: the last block adds to what the others have stored, and no fence is before the counter
__global__ void last_block_without_a_fence(SIGNATURE) {
  __shared__ bool is_last;
  int lane = threadIdx.x, row = blockIdx.y, col = blockIdx.x * 32 + lane;
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];
  C[row * N + col] = sum;
  if (lane == 0) is_last = atomicAdd(&blocks_done, 1) == gridDim.x * gridDim.y - 1;
  __syncwarp();
  if (is_last)
    for (int i = lane; i < M * N; i += 32) C[i] = C[i] + 0.0f;  // finds: race
}
