// A block of 16×8 threads computes 32 rows and 64 columns of C, in steps of BK
// along K, each thread 4×4 neighbouring elements. Matrices are read and written
// four floats at a time where their rows are aligned.

__device__ float4& as_float4(float& first) {
  return *reinterpret_cast<float4*>(&first);
}

// True if the four floats exist and every row is aligned to 16 bytes.
__device__ bool are_aligned(int rows, int columns, int row, int column) {
  return columns % 4 == 0 && row < rows && column < columns;
}

// Loads four neighbours of a row, with zeros beyond the edges.
__device__ float4 load4(const float* matrix, int rows, int columns, int row,
                        int column) {
  const float* from = &matrix[row * columns + column];
  const bool aligned = are_aligned(rows, columns, row, column);
  float4 values = {};
  if (aligned) values = *reinterpret_cast<const float4*>(from);
  if (!aligned && row < rows && column < columns) values.x = from[0];
  if (!aligned && row < rows && column + 1 < columns) values.y = from[1];
  if (!aligned && row < rows && column + 2 < columns) values.z = from[2];
  if (!aligned && row < rows && column + 3 < columns) values.w = from[3];
  return values;
}

__device__ void store4(float* matrix, int rows, int columns, int row,
                       int column, float4 values) {
  float* to = &matrix[row * columns + column];
  const bool aligned = are_aligned(rows, columns, row, column);
  if (aligned) *reinterpret_cast<float4*>(to) = values;
  if (!aligned && row < rows && column < columns) to[0] = values.x;
  if (!aligned && row < rows && column + 1 < columns) to[1] = values.y;
  if (!aligned && row < rows && column + 2 < columns) to[2] = values.z;
  if (!aligned && row < rows && column + 3 < columns) to[3] = values.w;
}

__global__ void from_nothing(const float* A, const float* B, float* C, int M,
                             int N, int K) {
  constexpr int BM = 32, BN = 64, BK = 16;
  __shared__ alignas(16) float a_part[BM][BK + 4];
  __shared__ alignas(16) float b_part[BK][BN];
  constexpr int threads = BM / 4 * (BN / 4);
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int thread = ty * (BN / 4) + tx;
  const int first_row = blockIdx.y * BM, first_column = blockIdx.x * BN;

  alignas(16) float sum[4][4] = {};
  for (int start = 0; start < K; start += BK) {
    for (int e = 4 * thread; e < BM * BK; e += 4 * threads) {
      const int i = e / BK, k = e % BK;
      as_float4(a_part[i][k]) = load4(A, M, K, first_row + i, start + k);
    }
    for (int e = 4 * thread; e < BK * BN; e += 4 * threads) {
      const int k = e / BN, j = e % BN;
      as_float4(b_part[k][j]) = load4(B, K, N, start + k, first_column + j);
    }
    __syncthreads();

    for (int k = 0; k < BK; ++k) {
      float a[4], b[4];
      for (int i = 0; i < 4; ++i) a[i] = a_part[4 * ty + i][k];
      for (int j = 0; j < 4; ++j) b[j] = b_part[k][4 * tx + j];
      for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) sum[i][j] += a[i] * b[j];
      }
    }
    __syncthreads();
  }

  for (int i = 0; i < 4; ++i) {
    store4(C, M, N, first_row + 4 * ty + i, first_column + 4 * tx,
           as_float4(sum[i][0]));
  }
}
