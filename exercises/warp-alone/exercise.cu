// A warp computes 4 rows and 32 columns of C, a lane 4 elements of one column; a block has WARPS
// warps, one below the other. No warp needs anything of another: each copies its own 4 rows of A,
// 32 columns at a time, to a part of shared memory that is its own.

template <int WARPS>
__global__ void warp_alone(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float a_part[WARPS][4][32];
  const int lane = threadIdx.x, warp = threadIdx.y;
  const int first_row = (blockIdx.y * WARPS + warp) * 4;
  const int column = blockIdx.x * 32 + lane;

  float sum[4] = {};
  for (int start = 0; start < K; start += 32) {
    for (int i = 0; i < 4; ++i) {
      const bool inside = first_row + i < M && start + lane < K;
      a_part[warp][i][lane] = inside ? A[(first_row + i) * K + start + lane] : 0.0f;
    }
    __syncwarp();

    for (int k = 0; k < 32; ++k) {
      const float b = start + k < K && column < N ? B[(start + k) * N + column] : 0.0f;
      for (int i = 0; i < 4; ++i) sum[i] += a_part[warp][i][k] * b;
    }
  }

  for (int i = 0; i < 4; ++i) {
    if (first_row + i < M && column < N) C[(first_row + i) * N + column] = sum[i];
  }
}
