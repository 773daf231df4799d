// For scripts/benchmark-emulator: a 128×128 tile of C a block in steps of 8 along K, 8×8 elements for
// each of 16×16 threads, four floats at a time. M, N and K are multiples of the tile.
constexpr int BM = 128, BN = 128, BK = 8, TM = 8, TN = 8;

__device__ float4& float4_at(float* p) { return *reinterpret_cast<float4*>(p); }
__device__ float4 float4_at(const float* p) { return *reinterpret_cast<const float4*>(p); }

__global__ void float4_tile(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float a_tile[BM][BK];
  __shared__ float b_tile[BK][BN];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int thread = ty * blockDim.x + tx;
  const int row0 = blockIdx.y * BM, column0 = blockIdx.x * BN;
  const int a_row = thread / 2, a_column = thread % 2 * 4;
  const int b_row = thread / 32, b_column = thread % 32 * 4;

  float sum[TM][TN] = {};
  for (int k0 = 0; k0 < K; k0 += BK) {
    float4_at(&a_tile[a_row][a_column]) = float4_at(&A[(row0 + a_row) * K + k0 + a_column]);
    float4_at(&b_tile[b_row][b_column]) = float4_at(&B[(k0 + b_row) * N + column0 + b_column]);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < BK; ++k) {
#pragma unroll
      for (int i = 0; i < TM; ++i) {
#pragma unroll
        for (int j = 0; j < TN; ++j) {
          sum[i][j] += a_tile[ty * TM + i][k] * b_tile[k][tx * TN + j];
        }
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < TM; ++i) {
#pragma unroll
    for (int j = 0; j < TN; j += 4) {
      const float4 four = {sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]};
      float4_at(&C[(row0 + ty * TM + i) * N + column0 + tx * TN + j]) = four;
    }
  }
}
