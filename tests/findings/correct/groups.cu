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
