// Barriers in branches and loops, which not all threads of the block reach.
#define TILE 16
#define SIGNATURE const float *A, const float *B, float *C, int M, int N, int K

// run: --entry barrier_for_half_of_a_warp --block 16x16 --tile 16x16 --size 32
// wrong: the barrier is in a branch that half of the threads take
__global__ void barrier_for_half_of_a_warp(SIGNATURE) {
  __shared__ float a[TILE][TILE], b[TILE][TILE];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
  float sum = 0;
  for (int k0 = 0; k0 < K; k0 += TILE) {
    a[ty][tx] = A[row * K + k0 + tx];
    b[ty][tx] = B[(k0 + ty) * N + col];
    if (tx < 8) __syncthreads();  // finds: barrier
    for (int k = 0; k < TILE; ++k) sum += a[ty][k] * b[k][tx];
    __syncthreads();
  }
  C[row * N + col] = sum;
}

// run: --entry loop_inside_the_guard --block 16x16 --tile 16x16 --size 24
// wrong: threads outside of C do not reach the barriers
__global__ void loop_inside_the_guard(SIGNATURE) {
  __shared__ float a[TILE][TILE], b[TILE][TILE];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
  if (row < M && col < N) {
    float sum = 0;
    for (int k0 = 0; k0 < K; k0 += TILE) {
      a[ty][tx] = k0 + tx < K ? A[row * K + k0 + tx] : 0;
      b[ty][tx] = k0 + ty < K ? B[(k0 + ty) * N + col] : 0;
      __syncthreads();  // finds: barrier
      for (int k = 0; k < TILE; ++k) sum += a[ty][k] * b[k][tx];
      __syncthreads();
    }
    C[row * N + col] = sum;
  }
}

// run: --entry early_return --block 16x16 --tile 16x16 --m 32 --n 24 --k 32
// wrong: threads right of C return, and then load no elements of A for the others
__global__ void early_return(SIGNATURE) {
  __shared__ float a[TILE][TILE], b[TILE][TILE];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
  if (row >= M || col >= N) return;
  float sum = 0;
  for (int k0 = 0; k0 < K; k0 += TILE) {
    a[ty][tx] = A[row * K + k0 + tx];
    b[ty][tx] = B[(k0 + ty) * N + col];
    __syncthreads();  // finds: barrier
    for (int k = 0; k < TILE; ++k) sum += a[ty][k] * b[k][tx];
    __syncthreads();
  }
  C[row * N + col] = sum;
}

// run: --entry early_return_of_warps --block 32x8 --tile 8x32 --m 20 --n 32 --k 32
// wrong: whole warps return before the barrier, and their rows of B's tile are never loaded
__global__ void early_return_of_warps(SIGNATURE) {
  __shared__ float b[8][32];
  int row = blockIdx.y * 8 + threadIdx.y, col = blockIdx.x * 32 + threadIdx.x;
  if (row >= M) return;
  float sum = 0;
  for (int k0 = 0; k0 < K; k0 += 8) {
    b[threadIdx.y][threadIdx.x] = B[(k0 + threadIdx.y) * N + col];
    __syncthreads();  // finds: barrier
    for (int k = 0; k < 8; ++k)
      sum += A[row * K + k0 + k] * b[k][threadIdx.x];  // finds: uninitialised
    __syncthreads();
  }
  C[row * N + col] = sum;
}

// run: --entry loop_of_each_threads_own_length --block 16x16 --tile 16x16 --size 32
// wrong: threads go through the loop with the barrier a different number of times
__global__ void loop_of_each_threads_own_length(SIGNATURE) {
  __shared__ float b[TILE][TILE];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
  float sum = 0;
  for (int k0 = 0; k0 + tx < K - 4; k0 += TILE) {
    b[ty][tx] = B[(k0 + ty) * N + col];
    __syncthreads();  // finds: barrier
    for (int k = 0; k < TILE; ++k) sum += A[row * K + k0 + k] * b[k][tx];
    __syncthreads();
  }
  C[row * N + col] = sum;
}

// run: --entry half_of_the_warps_skip_it --block 16x16 --tile 16x16 --size 32
// wrong: the warps that load nothing skip the barrier, too
__global__ void half_of_the_warps_skip_it(SIGNATURE) {
  __shared__ float b[TILE][TILE];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
  float sum = 0;
  for (int k0 = 0; k0 < K; k0 += TILE) {
    if (ty >= 8) {
      b[ty][tx] = B[(k0 + ty) * N + col];
      b[ty - 8][tx] = B[(k0 + ty - 8) * N + col];
      __syncthreads();  // finds: barrier
    }
    for (int k = 0; k < TILE; ++k) sum += A[row * K + k0 + k] * b[k][tx];  // finds: race
    __syncthreads();
  }
  C[row * N + col] = sum;
}

// run: --entry some_leave_the_loop --block 16x16 --tile 16x16 --m 32 --n 32 --k 24
// wrong: threads whose k is beyond K leave the loop before its barrier
__global__ void some_leave_the_loop(SIGNATURE) {
  __shared__ float a[TILE][TILE], b[TILE][TILE];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
  float sum = 0;
  for (int k0 = 0; k0 < K; k0 += TILE) {
    if (k0 + tx >= K) break;
    a[ty][tx] = A[row * K + k0 + tx];
    b[ty][tx] = k0 + ty < K ? B[(k0 + ty) * N + col] : 0;
    __syncthreads();  // finds: barrier
    for (int k = 0; k < min(TILE, K - k0); ++k) sum += a[ty][k] * b[k][tx];
    __syncthreads();
  }
  C[row * N + col] = sum;
}

// run: --entry some_go_on_early --block 16x16 --tile 16x16 --m 32 --n 32 --k 24
// wrong: 'continue' passes by the barriers
__global__ void some_go_on_early(SIGNATURE) {
  __shared__ float b[TILE][TILE];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
  float sum = 0;
  for (int k0 = 0; k0 < K; k0 += TILE) {
    if (k0 + ty >= K) continue;
    b[ty][tx] = B[(k0 + ty) * N + col];
    __syncthreads();  // finds: barrier
    for (int k = 0; k < min(TILE, K - k0); ++k) sum += A[row * K + k0 + k] * b[k][tx];
    __syncthreads();
  }
  C[row * N + col] = sum;
}

// run: --entry barrier_in_a_function --block 16x16 --tile 16x16 --size 32
// wrong: a function with a barrier in it is called by the threads on and above the diagonal
__device__ void load_and_wait(float tile[TILE][TILE], const float* from, int pitch) {
  tile[threadIdx.y][threadIdx.x] = from[threadIdx.y * pitch + threadIdx.x];
  __syncthreads();  // finds: barrier
}

__global__ void barrier_in_a_function(SIGNATURE) {
  __shared__ float a[TILE][TILE];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
  float sum = 0;
  for (int k0 = 0; k0 < K; k0 += TILE) {
    if (tx >= ty) load_and_wait(a, A + blockIdx.y * TILE * K + k0, K);
    for (int k = 0; k < TILE; ++k) sum += a[ty][k] * B[(k0 + k) * N + col];
    __syncthreads();
  }
  C[row * N + col] = sum;
}

// run: --entry barrier_in_a_condition --block 16x16 --tile 16x16 --size 24
// wrong: && leaves out the barrier for the threads for which its left side is false
__global__ void barrier_in_a_condition(SIGNATURE) {
  __shared__ float b[TILE][TILE];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
  float sum = 0;
  for (int k0 = 0; k0 < K; k0 += TILE) {
    bool inside = k0 + ty < K && col < N;
    b[ty][tx] = inside ? B[(k0 + ty) * N + col] : 0;
    if (row < M && __syncthreads_or(inside)) {  // finds: barrier
      for (int k = 0; k < min(TILE, K - k0); ++k) sum += A[row * K + k0 + k] * b[k][tx];
    }
    __syncthreads();
  }
  if (row < M && col < N) C[row * N + col] = sum;
}
