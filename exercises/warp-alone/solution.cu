// A warp computes 4 rows and 32 columns of C, and each lane 4 elements of one
// column. A block has WARPS warps, one below the other. The warps are
// independent: each copies its own 4 rows of A, 32 columns at a time, to its
// own part of shared memory.

template <int WARPS>
__global__ void warp_alone(const float* A, const float* B, float* C, int M,
                           int N, int K) {
  __shared__ float4 a_part[WARPS][32];  // each a column of four rows
  const int lane = threadIdx.x, warp = threadIdx.y;
  const int first_row = (blockIdx.y * WARPS + warp) * 4;
  const int column = blockIdx.x * 32 + lane;

  float sum[4] = {};
  for (int start = 0; start < K; start += 32) {
    const auto from_row = [&](int i) {
      const bool exists = first_row + i < M && start + lane < K;
      return exists ? A[(first_row + i) * K + start + lane] : 0.0f;
    };
    a_part[warp][lane] = {from_row(0), from_row(1), from_row(2), from_row(3)};
    __syncwarp();

    for (int k = 0; k < 32 && start + k < K; ++k) {
      const float b = column < N ? B[(start + k) * N + column] : 0.0f;
      const float4 a = a_part[warp][k];
      sum[0] += a.x * b;
      sum[1] += a.y * b;
      sum[2] += a.z * b;
      sum[3] += a.w * b;
    }
    __syncwarp();  // all lanes have read them
  }

  for (int i = 0; i < 4; ++i) {
    if (first_row + i < M && column < N)
      C[(first_row + i) * N + column] = sum[i];
  }
}
