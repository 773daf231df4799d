// Cooperative groups whose sync() covers too few threads, or is not reached by all.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
#define SIGNATURE const float *A, const float *B, float *C, int M, int N, int K

// run: --entry sync_of_a_tile_of_16 --block 32 --tile 1x32 --m 4 --n 32 --k 32
// wrong: a group of 16 waits, and 32 share the row
__global__ void sync_of_a_tile_of_16(SIGNATURE) {
  __shared__ float row_of_a[32];
  auto half = cg::tiled_partition<16>(cg::this_thread_block());
  int t = threadIdx.x, row = blockIdx.y;
  row_of_a[t] = A[row * K + t];
  half.sync();
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += row_of_a[k] * B[k * N + t];  // finds: race
  C[row * N + t] = sum;
}

// run: --entry sync_of_a_warp_for_a_block --block 16x8 --tile 8x16 --m 16 --n 16 --k 16
// wrong: the tile of a warp waits where the block should
__global__ void sync_of_a_warp_for_a_block(SIGNATURE) {
  __shared__ float b[8][16];
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
  int row = blockIdx.y * 8 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int k0 = 0; k0 < K; k0 += 8) {
    b[threadIdx.y][threadIdx.x] = B[(k0 + threadIdx.y) * N + col];
    warp.sync();
    for (int k = 0; k < 8; ++k)
      sum += A[row * K + k0 + k] * b[k][threadIdx.x];  // finds: race
    block.sync();
  }
  C[row * N + col] = sum;
}

// run: --entry block_sync_in_a_branch --block 16x8 --tile 8x16 --m 16 --n 20 --k 16
// wrong: block.sync() is inside the guard
__global__ void block_sync_in_a_branch(SIGNATURE) {
  __shared__ float b[8][16];
  auto block = cg::this_thread_block();
  int row = blockIdx.y * 8 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  if (row < M && col < N) {
    for (int k0 = 0; k0 < K; k0 += 8) {
      b[threadIdx.y][threadIdx.x] = B[(k0 + threadIdx.y) * N + col];
      block.sync();  // finds: barrier
      for (int k = 0; k < 8; ++k) sum += A[row * K + k0 + k] * b[k][threadIdx.x];
      block.sync();
    }
    C[row * N + col] = sum;
  }
}

// run: --entry shuffle_across_a_tile_of_8 --block 32 --tile 1x4 --m 4 --n 4 --k 32
// wrong: half of each group of 8 has returned when it shuffles
__global__ void shuffle_across_a_tile_of_8(SIGNATURE) {
  auto group = cg::tiled_partition<8>(cg::this_thread_block());
  int row = blockIdx.y, col = threadIdx.x / 8;
  float sum = 0;
  for (int k = group.thread_rank(); k < K; k += 8) sum += A[row * K + k] * B[k * N + col];
  if (group.thread_rank() >= 4) return;
  for (int step = 4; step > 0; step /= 2)
    sum += group.shfl_down(sum, step);  // finds: barrier
  if (group.thread_rank() == 0) C[row * N + col] = sum;
}

// run: --entry tile_of_64_by_hand --block 64 --tile 1x1 --m 2 --n 2 --k 64
// wrong: a sum of two warps is read after a sync of one
__global__ void tile_of_64_by_hand(SIGNATURE) {
  __shared__ float of_warp[2];
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  int t = threadIdx.x, row = blockIdx.y, col = blockIdx.x;
  float sum = A[row * K + t] * B[t * N + col];
  for (int step = 16; step > 0; step /= 2) sum += warp.shfl_xor(sum, step);
  if (warp.thread_rank() == 0) of_warp[warp.meta_group_rank()] = sum;
  warp.sync();
  if (t == 0) C[row * N + col] = of_warp[0] + of_warp[1];  // finds: race
}

// run: --entry sync_of_the_threads_of_a_branch --block 32 --tile 1x32 --m 2 --n 32 --k 32
// wrong: the threads of the branch wait for one another, and read what the others wrote
__global__ void sync_of_the_threads_of_a_branch(SIGNATURE) {
  __shared__ float a[32];
  int t = threadIdx.x, row = blockIdx.y;
  float sum = 0;
  a[t] = A[row * K + t];
  if (t % 2 == 0) {
    cg::coalesced_threads().sync();
    for (int k = 0; k < K; ++k) sum += a[k] * B[k * N + t];  // finds: race
  } else {
    for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + t];
  }
  C[row * N + t] = sum;
}
