// One thread computes TM×TN elements of C, in pieces of 4×4 that lie BM / (TM / 4) rows and BN /
// (TN / 4) columns apart. A block of dim3(BN / TN, BM / TM) threads computes a tile of BM rows and
// BN columns, in steps of BK along K. The tile of A is stored transposed.

__device__ float4& as_float4(float& first) { return *reinterpret_cast<float4*>(&first); }

// Loads the four floats of row `row` from `column` on. If `whole`, this is one load. Otherwise each
// float is loaded on its own, and those beyond the matrix's edges are zeros.
template <bool whole>
__device__ float4 load4(const float* matrix, int rows, int columns, int row, int column) {
  const float* from = matrix + row * columns + column;
  if constexpr (whole) return *reinterpret_cast<const float4*>(from);
  float4 values = {};
  if (row < rows && column + 0 < columns) values.x = from[0];
  if (row < rows && column + 1 < columns) values.y = from[1];
  if (row < rows && column + 2 < columns) values.z = from[2];
  if (row < rows && column + 3 < columns) values.w = from[3];
  return values;
}

template <bool whole>
__device__ void store4(float* matrix, int rows, int columns, int row, int column, float4 values) {
  float* to = matrix + row * columns + column;
  if constexpr (whole) {
    *reinterpret_cast<float4*>(to) = values;
  } else {
    if (row < rows && column + 0 < columns) to[0] = values.x;
    if (row < rows && column + 1 < columns) to[1] = values.y;
    if (row < rows && column + 2 < columns) to[2] = values.z;
    if (row < rows && column + 3 < columns) to[3] = values.w;
  }
}

// Loads two floats of a row in the same way.
template <bool whole>
__device__ float2 load2(const float* matrix, int rows, int columns, int row, int column) {
  const float* from = matrix + row * columns + column;
  if constexpr (whole) return *reinterpret_cast<const float2*>(from);
  float2 values = {};
  if (row < rows && column + 0 < columns) values.x = from[0];
  if (row < rows && column + 1 < columns) values.y = from[1];
  return values;
}

// excerpt: conflict_free_reads
template <int BM, int BN, int BK, int TM, int TN, bool whole = false>
__global__ void __launch_bounds__((BM / TM) * (BN / TN), 2)
    conflict_free_reads(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ alignas(16) float a_tile[BK][BM];
  __shared__ alignas(16) float b_tile[BK][BN];
  constexpr int threads = (BM / TM) * (BN / TN);
  constexpr int a_loads = BM * BK / (4 * threads), b_loads = BK * BN / (4 * threads);
  constexpr int apart_m = BM / (TM / 4), apart_n = BN / (TN / 4);  // from piece to piece
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int thread = ty * (BN / TN) + tx;
  const int row0 = blockIdx.y * BM, column0 = blockIdx.x * BN;

  alignas(16) float sum[TM][TN] = {};
  for (int k0 = 0; k0 < K; k0 += BK) {
    for (int l = 0; l < a_loads; ++l) {
      const int e = 4 * (thread + l * threads), i = e / BK, k = e % BK;
      const float4 values = load4<whole>(A, M, K, row0 + i, k0 + k);
      a_tile[k + 0][i] = values.x;  // transposed
      a_tile[k + 1][i] = values.y;
      a_tile[k + 2][i] = values.z;
      a_tile[k + 3][i] = values.w;
    }
    for (int l = 0; l < b_loads; ++l) {
      const int e = 4 * (thread + l * threads);
      as_float4(b_tile[e / BN][e % BN]) = load4<whole>(B, K, N, k0 + e / BN, column0 + e % BN);
    }
    __syncthreads();  // the tiles are full

#pragma unroll
    for (int k = 0; k < BK; ++k) {
      alignas(16) float a[TM], b[TN];
      for (int i = 0; i < TM; i += 4)
        as_float4(a[i]) = as_float4(a_tile[k][i / 4 * apart_m + ty * 4]);
      for (int j = 0; j < TN; j += 4)
        as_float4(b[j]) = as_float4(b_tile[k][j / 4 * apart_n + tx * 4]);
      for (int i = 0; i < TM; ++i) {
        for (int n = 0; n < TN; ++n) {
          const int j = i % 2 == 0 ? n : TN - 1 - n;  // even rows left to right, odd rows back
          sum[i][j] += a[i] * b[j];
        }
      }
    }
    __syncthreads();  // all threads have read them
  }

  for (int i = 0; i < TM; ++i) {
    for (int j = 0; j < TN; j += 4) {
      const int row = row0 + i / 4 * apart_m + ty * 4 + i % 4;
      const int column = column0 + j / 4 * apart_n + tx * 4;
      store4<whole>(C, M, N, row, column, as_float4(sum[i][j]));
    }
  }
}
// end excerpt

// excerpt: padded_tiles
template <int BM, int BN, int BK, int TM, int TN, int PAD, bool whole = false>
__global__ void padded_tiles(const float* A, const float* B, float* C, int M, int N, int K) {
  static_assert(BK == BN / TN && BK == BM / TM && TN == 2, "a thread fills one float2 of b_tile");
  __shared__ float a_tile[BM][BK + PAD];
  __shared__ float b_tile[BK][BN + PAD];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row0 = blockIdx.y * BM, column0 = blockIdx.x * BN;

  float sum[TM][TN] = {};
  for (int k0 = 0; k0 < K; k0 += BK) {
    for (int i = 0; i < TM; ++i) {
      const int row = row0 + ty * TM + i, column = k0 + tx;
      a_tile[ty * TM + i][tx] = whole || (row < M && column < K) ? A[row * K + column] : 0.0f;
    }
    const float2 values = load2<whole>(B, K, N, k0 + ty, column0 + tx * TN);
    b_tile[ty][tx * TN + 0] = values.x;  // one by one: a padded row may not be
    b_tile[ty][tx * TN + 1] = values.y;  // aligned to 8 bytes
    __syncthreads();                     // the tiles are full

    for (int k = 0; k < BK; ++k) {
      for (int i = 0; i < TM; ++i) {
        for (int j = 0; j < TN; ++j) {
          sum[i][j] += a_tile[ty * TM + i][k] * b_tile[k][tx * TN + j];
        }
      }
    }
    __syncthreads();  // all threads have read them
  }

  for (int i = 0; i < TM; ++i) {
    for (int j = 0; j < TN; ++j) {
      const int row = row0 + ty * TM + i, column = column0 + tx * TN + j;
      if (whole || (row < M && column < N)) C[row * N + column] = sum[i][j];
    }
  }
}
// end excerpt
