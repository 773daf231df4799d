// Lesson 13's tiles and warps, but the GPU's copy unit brings the tiles to shared memory: one
// instruction copies a row of a tile. One lane of each warp starts the warp's share of the copies.
// A's tile is not transposed, as a bulk copy cannot do that. Each of the STAGES stages has an
// mbarrier, whose phase is complete when the stage is full. (`whole` as in lesson 7.)

__device__ float4& as_float4(float& first) { return *reinterpret_cast<float4*>(&first); }

template <typename Element>
__device__ unsigned shared_address(Element& element) {
  return static_cast<unsigned>(__cvta_generic_to_shared(&element));
}

// An mbarrier counts the threads and the bytes of bulk copies that have arrived. Its phase is
// complete when all that it expects have arrived. Then the next phase begins.
using Mbarrier = unsigned long long;
__device__ void begin(Mbarrier& barrier, int threads) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)),
               "r"(threads)
               : "memory");
}

__device__ void arrive(Mbarrier& barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier))
               : "memory");
}

// Adds `bytes` to what the current phase expects.
__device__ void expect(Mbarrier& barrier, int bytes) {
  asm volatile(
      "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)),
      "r"(bytes)
      : "memory");
}

// Waits until the phase with this parity is complete. Parities alternate; the first one is 0.
__device__ void wait(Mbarrier& barrier, int parity) {
  for (int ended = 0; !ended;) {
    asm volatile(
        "{\n"
        ".reg .pred p;\n"
        "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
        "selp.b32 %0, 1, 0, p;\n"
        "}"
        : "=r"(ended)
        : "r"(shared_address(barrier)), "r"(parity)
        : "memory");
  }
}

// Completes this thread's accesses to shared memory before bulk copies that start later.
__device__ void end_before_bulk_copies() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// Starts a bulk copy of `floats` floats, a multiple of 4. Both addresses are aligned to 16 bytes.
__device__ void copy_bulk(float& to, const float* from, int floats, Mbarrier& barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
          "r"(shared_address(to)),
      "l"(from), "r"(4 * floats), "r"(shared_address(barrier))
      : "memory");
}

// excerpt: async_copy_bulk
template <int BM, int BN, int BK, int WM, int WN, int TM, int TN, int STAGES, bool whole = false>
__global__ void __launch_bounds__((BM / TM) * (BN / TN))
    async_copy_bulk(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ alignas(16) float a_tile[STAGES][BM][BK + 4];
  __shared__ alignas(16) float b_tile[STAGES][BK][BN];
  __shared__ Mbarrier full[STAGES];
  constexpr int threads = (BM / TM) * (BN / TN), warps = threads / 32;
  constexpr int lanes_m = WM / TM, lanes_n = WN / TN;  // of a warp's lanes, down and across
  const int thread = threadIdx.x, warp = thread / 32, lane = thread % 32;
  constexpr int row_of_squares = 2 * lanes_n;  // its lanes: squares of 2×2
  const int lane_m = lane / row_of_squares * 2 + lane / 2 % 2;
  const int lane_n = lane % row_of_squares / 4 * 2 + lane % 2;
  const int m0 = warp / (BN / WN) * WM + lane_m, n0 = warp % (BN / WN) * WN + lane_n * 4;
  const int row0 = blockIdx.y * BM, column0 = blockIdx.x * BN;
  alignas(16) float sum[TM][TN] = {};

  const auto load = [&](int step) {
    const int stage = step % STAGES, k0 = step * BK;
    if constexpr (whole) {
      if (lane > 0) return;
      expect(full[stage], 4 * BK * (BM + BN) / warps);
      for (int row = warp; row < BM; row += warps)
        copy_bulk(a_tile[stage][row][0], A + (row0 + row) * K + k0, BK, full[stage]);
      for (int k = warp; k < BK; k += warps)
        copy_bulk(b_tile[stage][k][0], B + (k0 + k) * N + column0, BN, full[stage]);
    } else {  // a row may end inside the tile, or not be aligned to 16 bytes
      for (int e = thread; e < BM * BK; e += threads) {
        const int row = row0 + e / BK, k = k0 + e % BK;
        a_tile[stage][e / BK][e % BK] = row < M && k < K ? A[row * K + k] : 0.0f;
      }
      for (int e = thread; e < BK * BN; e += threads) {
        const int k = k0 + e / BN, column = column0 + e % BN;
        b_tile[stage][e / BN][e % BN] = k < K && column < N ? B[k * N + column] : 0.0f;
      }
    }
    arrive(full[stage]);
  };

  if (thread == 0) {
    for (int stage = 0; stage < STAGES; ++stage) begin(full[stage], whole ? warps : threads);
    end_before_bulk_copies();
  }
  __syncthreads();  // the mbarriers are initialised
  const int steps = (K + BK - 1) / BK;
  for (int step = 0; step < STAGES && step < steps; ++step) load(step);
  for (int step = 0; step < steps; ++step) {
    const int stage = step % STAGES;
    wait(full[stage], step / STAGES % 2);
#pragma unroll
    for (int k = 0; k < BK; k += 4) {
      alignas(16) float a[TM][4], b[TN];
      for (int i = 0; i < TM; ++i)
        as_float4(a[i][0]) = as_float4(a_tile[stage][m0 + i * lanes_m][k]);
#pragma unroll
      for (int n = 0; n < 4; ++n) {
        for (int j = 0; j < TN; j += 4)
          as_float4(b[j]) = as_float4(b_tile[stage][k + n][n0 + j * lanes_n]);
        for (int j = 0; j < TN; ++j) {
          for (int i = 0; i < TM; ++i) sum[i][j] += a[i][n] * b[j];
        }
      }
    }
    end_before_bulk_copies();
    __syncthreads();  // all threads have read the stage
    if (step + STAGES < steps) load(step + STAGES);
  }

  for (int i = 0; i < TM; ++i) {
    const int row = row0 + m0 + i * lanes_m;
    for (int j = 0; j < TN; j += 4) {
      const int column = column0 + n0 + j * lanes_n;
      if constexpr (whole) {
        as_float4(C[row * N + column]) = as_float4(sum[i][j]);
      } else {
        for (int n = 0; n < 4; ++n)
          if (row < M && column + n < N) C[row * N + column + n] = sum[i][j + n];
      }
    }
  }
}
// end excerpt
