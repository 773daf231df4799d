// One thread computes TM×TN elements of C, in pieces of 4×4. The 32 lanes of a
// warp compute a tile of WM rows and WN columns together. A block of (BM /
// TM)·(BN / TN) threads, all along x, computes a tile of BM rows and BN
// columns, in steps of BK along K. Each shared tile has two buffers, which are
// filled through registers, as in lesson 9. (`whole` as in lesson 7.)

__device__ float4& as_float4(float& first) {
  return *reinterpret_cast<float4*>(&first);
}

// Loads the four floats of row `row` from `column` on. If `whole`, this is one
// load. Otherwise each float is loaded on its own, and those beyond the
// matrix's edges are zeros.
template <bool whole>
__device__ float4 load4(const float* matrix, int rows, int columns, int row,
                        int column) {
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
__device__ void store4(float* matrix, int rows, int columns, int row,
                       int column, float4 values) {
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

template <int BM, int BN, int BK, int WM, int WN, int TM, int TN,
          bool whole = false>
__global__ void __launch_bounds__((BM / TM) * (BN / TN), 2)
    warp_tile(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ alignas(16) float a_tile[2][BK][BM];
  __shared__ alignas(16) float b_tile[2][BK][BN];
  constexpr int threads = (BM / TM) * (BN / TN);
  // of a warp's lanes, along M and N
  constexpr int lanes_m = WM / TM, lanes_n = WN / TN;
  constexpr int a_loads = BM * BK / (4 * threads),
                b_loads = BK * BN / (4 * threads);
  const int thread = threadIdx.x, warp = thread / 32, lane = thread % 32;
  const int warp_m = warp / (BN / WN), warp_n = warp % (BN / WN);
  // row by row
  const int lane_m = lane / lanes_n;
  const int lane_n = lane % lanes_n;
  const int m0 = warp_m * WM + lane_m * 4, n0 = warp_n * WN + lane_n * 4;
  const int row0 = blockIdx.y * BM, column0 = blockIdx.x * BN;
  // the next step's values of the tiles
  float4 a_next[a_loads], b_next[b_loads];
  alignas(16) float sum[TM][TN] = {};

  const auto load = [&](int k0) {
    for (int l = 0; l < a_loads; ++l) {
      const int e = 4 * (thread + l * threads);
      a_next[l] = load4<whole>(A, M, K, row0 + e / BK, k0 + e % BK);
    }
    for (int l = 0; l < b_loads; ++l) {
      const int e = 4 * (thread + l * threads);
      b_next[l] = load4<whole>(B, K, N, k0 + e / BN, column0 + e % BN);
    }
  };
  const auto store = [&](int buffer) {
    for (int l = 0; l < a_loads; ++l) {
      const int e = 4 * (thread + l * threads), i = e / BK, k = e % BK;
      a_tile[buffer][k + 0][i] = a_next[l].x;
      a_tile[buffer][k + 1][i] = a_next[l].y;
      a_tile[buffer][k + 2][i] = a_next[l].z;
      a_tile[buffer][k + 3][i] = a_next[l].w;
    }
    for (int l = 0; l < b_loads; ++l) {
      const int e = 4 * (thread + l * threads);
      as_float4(b_tile[buffer][e / BN][e % BN]) = b_next[l];
    }
  };
  const auto compute = [&](int buffer) {
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      alignas(16) float a[TM], b[TN];
      for (int j = 0; j < TN; j += 4)
        as_float4(b[j]) = as_float4(b_tile[buffer][k][n0 + j * lanes_n]);
      for (int i = 0; i < TM; i += 4)
        as_float4(a[i]) = as_float4(a_tile[buffer][k][m0 + i * lanes_m]);
      for (int i = 0; i < TM; ++i) {
        for (int n = 0; n < TN; ++n) {
          // even rows left to right, odd rows back
          const int j = i % 2 == 0 ? n : TN - 1 - n;
          sum[i][j] += a[i] * b[j];
        }
      }
    }
  };
  const auto step = [&](int buffer, int next_k0) {
    load(next_k0);  // a thread waits for the values only when it stores them
    compute(buffer);
    store(buffer ^ 1);
    // the other tiles are full, and all threads have read these
    __syncthreads();
  };

  load(0);
  store(0);
  __syncthreads();  // the first tile is full
  int k0 = BK;
  // two steps, so that their buffers are constants
  for (; k0 + BK < K; k0 += 2 * BK) {
    step(0, k0);
    step(1, k0 + BK);
  }
  if (k0 < K) {
    step(0, k0);
    compute(1);
  } else {
    compute(0);
  }

  for (int i = 0; i < TM; ++i) {
    for (int j = 0; j < TN; j += 4) {
      const int row = row0 + m0 + i / 4 * 4 * lanes_m + i % 4;
      const int column = column0 + n0 + j * lanes_n;
      store4<whole>(C, M, N, row, column, as_float4(sum[i][j]));
    }
  }
}
