// block 32x4 tile 4x8
// Four lanes for each column of a block.
extern "C" __global__ void match_groups(const float* A, const float* B, float* C, int M, int N, int K) {
  const int row = blockIdx.y * 4 + threadIdx.y, col = blockIdx.x * 8 + threadIdx.x / 4;
  const unsigned group = __match_any_sync(0xffffffffu, col);
  const bool inside = row < M && col < N;
  float sum = 0;
  for (int k = threadIdx.x % 4; inside && k < K; k += 4) sum += A[row * K + k] * B[k * N + col];
  sum += __shfl_xor_sync(group, sum, 1);
  sum += __shfl_xor_sync(group, sum, 2);
  if (inside && __popc(group & ((1u << threadIdx.x) - 1)) == 0) C[row * N + col] = sum;
}
