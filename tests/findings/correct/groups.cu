// Right: cooperative groups of a part of a warp.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
#define SIGNATURE const float *A, const float *B, float *C, int M, int N, int K

// run: --entry tile_of_16_of_a_group --block 32 --tile 2x16 --m 4 --n 16 --k 16
// right: each group of 16 has a row of its own
__global__ void tile_of_16_of_a_group(SIGNATURE) {
  __shared__ float a[2][16];
  auto half = cg::tiled_partition<16>(cg::this_thread_block());
  int h = half.meta_group_rank(), t = half.thread_rank(), row = blockIdx.y * 2 + h;
  a[h][t] = A[row * K + t];
  half.sync();
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += a[h][k] * B[k * N + t];
  C[row * N + t] = sum;
}

// run: --entry groups_of_8_shuffle --block 32 --tile 1x4 --m 4 --n 4 --k 32
// right: shuffles within groups of 8 lanes
__global__ void groups_of_8_shuffle(SIGNATURE) {
  auto group = cg::tiled_partition<8>(cg::this_thread_block());
  int row = blockIdx.y, col = threadIdx.x / 8;
  float sum = 0;
  for (int k = group.thread_rank(); k < K; k += 8) sum += A[row * K + k] * B[k * N + col];
  for (int step = 4; step > 0; step /= 2) sum += group.shfl_down(sum, step);
  if (group.thread_rank() == 0) C[row * N + col] = sum;
}

// run: --entry coalesced_threads_of_a_branch --block 32 --tile 1x32 --m 2 --n 32 --k 16
// right: the first of the threads in the branch reads for all of them
__global__ void coalesced_threads_of_a_branch(SIGNATURE) {
  int t = threadIdx.x, row = blockIdx.y;
  float sum = 0;
  for (int k = 0; k < K; ++k) {
    if (t % 2 == 0) {
      cg::coalesced_group group = cg::coalesced_threads();
      float a = group.thread_rank() == 0 ? A[row * K + k] : 0;
      sum += group.shfl(a, 0) * B[k * N + t];
    } else {
      sum += A[row * K + k] * B[k * N + t];
    }
  }
  C[row * N + t] = sum;
}

// run: --entry one_addition_for_a_coalesced_group --block 64 --tile 1x2 --m 2 --n 2 --k 64 --c zero
// right: the group sums up, and one of it adds to C
__global__ void one_addition_for_a_coalesced_group(SIGNATURE) {
  int row = blockIdx.y, col = threadIdx.x / 32;
  float sum = 0;
  for (int k = threadIdx.x % 32; k < K; k += 32) sum += A[row * K + k] * B[k * N + col];
  auto group = cg::coalesced_threads();
  for (int by = group.size() / 2; by > 0; by /= 2) sum += group.shfl_down(sum, by);
  if (group.thread_rank() == 0) atomicAdd(&C[row * N + col], sum);
}

// run: --entry groups_by_a_label --block 32 --tile 1x32 --m 2 --n 32 --k 16
// right: the threads of one label share what the first of them read
__global__ void groups_by_a_label(SIGNATURE) {
  int t = threadIdx.x, row = blockIdx.y;
  auto group = cg::labeled_partition(cg::tiled_partition<32>(cg::this_thread_block()), t % 3);
  float sum = 0;
  for (int k = 0; k < K; ++k) {
    float a = group.thread_rank() == 0 ? A[row * K + k] : 0;
    sum += group.shfl(a, 0) * B[k * N + t];
  }
  C[row * N + t] = sum;
}
