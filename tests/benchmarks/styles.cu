// Kernels in styles that an emulator finds hard; scripts/benchmark-emulator says how long they take. Each computes
// C = A B for M, N and K that are multiples of 32.
#include <cuda/barrier>

// Each lane of a warp adds in a branch of its own. A block is 32x8 threads.
__global__ void divergent(const float* A, const float* B, float* C, int M, int N, int K) {
  const int row = blockIdx.y * 8 + threadIdx.y, column = blockIdx.x * 32 + threadIdx.x;
  float sum = 0.0f;
  for (int k = 0; k < K; ++k) {
    for (int lane = 0; lane < 32; ++lane) {
      if (threadIdx.x == lane) sum += A[row * K + k] * B[k * N + column];
    }
  }
  C[row * N + column] = sum;
}

// The tiles are kept in shared memory byte by byte. A block is 16x16 threads.
__global__ void shared_bytes(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ unsigned char a_tile[16][64], b_tile[16][64];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * 16 + ty, column = blockIdx.x * 16 + tx;
  float sum = 0.0f;
  for (int k0 = 0; k0 < K; k0 += 16) {
    const unsigned a = __float_as_uint(A[row * K + k0 + tx]), b = __float_as_uint(B[(k0 + ty) * N + column]);
    for (int byte = 0; byte < 4; ++byte) {
      a_tile[ty][4 * tx + byte] = a >> 8 * byte;
      b_tile[ty][4 * tx + byte] = b >> 8 * byte;
    }
    __syncthreads();
    for (int k = 0; k < 16; ++k) {
      unsigned x = 0, y = 0;
      for (int byte = 0; byte < 4; ++byte) {
        x |= static_cast<unsigned>(a_tile[ty][4 * k + byte]) << 8 * byte;
        y |= static_cast<unsigned>(b_tile[k][4 * tx + byte]) << 8 * byte;
      }
      sum += __uint_as_float(x) * __uint_as_float(y);
    }
    __syncthreads();
  }
  C[row * N + column] = sum;
}

// All lanes of a warp store the same word at every k. A block is 32x8 threads.
__global__ void one_word(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float of_warp[8];
  const int row = blockIdx.y * 8 + threadIdx.y, column = blockIdx.x * 32 + threadIdx.x;
  float sum = 0.0f;
  for (int k = 0; k < K; ++k) {
    of_warp[threadIdx.y] = A[row * K + k];
    __syncwarp();
    sum += of_warp[threadIdx.y] * B[k * N + column];
    __syncwarp();
  }
  C[row * N + column] = sum;
}

// An mbarrier before and after every k. A block is 16x16 threads.
__global__ void mbarriers(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  __shared__ float a[16], b[16];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * 16 + ty, column = blockIdx.x * 16 + tx;
  if (tx == 0 && ty == 0) init(&barrier, 256);
  __syncthreads();
  float sum = 0.0f;
  for (int k = 0; k < K; ++k) {
    if (tx == 0) a[ty] = A[row * K + k];
    if (ty == 0) b[tx] = B[k * N + column];
    barrier.arrive_and_wait();
    sum += a[ty] * b[tx];
    barrier.arrive_and_wait();
  }
  C[row * N + column] = sum;
}
