// One thread computes TM×TN elements of C, a warp a tile of WM×WN, and a block of (BM / TM)·(BN /
// TN) threads a tile of BM×BN, as in lesson 11. Asynchronous copies bring the tiles of A and B to
// shared memory without registers. There is a ring of STAGES stages, each with a tile of A and one
// of B: the block computes from one stage, and copies fill the others. (`whole` as in lesson 7.)

__device__ float4& as_float4(float& first) { return *reinterpret_cast<float4*>(&first); }

template <typename Element>
__device__ unsigned shared_address(Element& element) {
  return static_cast<unsigned>(__cvta_generic_to_shared(&element));
}

// Starts an asynchronous copy of one float to shared memory. If the float does not exist, the copy
// writes a zero, and `from` may be any address in a matrix.
__device__ void copy1(float& to, const float* from, bool exists) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(shared_address(to)), "l"(from),
               "r"(exists ? 4 : 0));
}

// Starts a copy of four floats. All of them exist, and `from` is aligned to 16 bytes.
__device__ void copy4(float& to, const float* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from));
}

// Closes a commit group: the copies that this thread has started since its last call.
__device__ void end_group() { asm volatile("cp.async.commit_group;"); }

// Waits until only the last `groups` commit groups of this thread may still be in flight.
template <int groups>
__device__ void wait_for_all_but() {
  asm volatile("cp.async.wait_group %0;" ::"n"(groups));
}

// excerpt: async_copy
template <int BM, int BN, int BK, int WM, int WN, int TM, int TN, int STAGES, bool whole = false>
__global__ void __launch_bounds__((BM / TM) * (BN / TN))
    async_copy(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ alignas(16) float a_tile[STAGES][BK][BM + 4];
  __shared__ alignas(16) float b_tile[STAGES][BK][BN];
  constexpr int threads = (BM / TM) * (BN / TN);
  constexpr int lanes_m = WM / TM, lanes_n = WN / TN;  // of a warp's lanes, down and across
  const int thread = threadIdx.x, warp = thread / 32, lane = thread % 32;
  const int lane_m = lane / (2 * lanes_n) * 2 + lane / 2 % 2,
            lane_n = lane % (2 * lanes_n) / 4 * 2 + lane % 2;
  const int m0 = warp / (BN / WN) * WM + lane_m * 4, n0 = warp % (BN / WN) * WN + lane_n * 4;
  const int row0 = blockIdx.y * BM, column0 = blockIdx.x * BN;
  // What this thread copies: single floats of A's tile, `a_rows` rows apart, and one or four
  // floats at a time of B's tile, `b_ks` rows apart.
  constexpr int at_once = whole ? 4 : 1;
  constexpr int a_rows = threads / BK, b_ks = at_once * threads / BN;
  const int a_row = thread / BK, a_k = thread % BK;
  const int b_k = at_once * thread / BN, b_column = at_once * thread % BN;
  const float* a_from = A + (row0 + a_row) * K + a_k;
  const float* b_from = B + b_k * N + column0 + b_column;
  int k_left = K;  // the number of k from the next tiles to load up to the end
  alignas(16) float sum[TM][TN] = {}, a[2][TM], b[2][TN];

  const auto load = [&](int stage) {
    for (int row = 0; row < BM; row += a_rows) {
      const bool exists = whole || (row0 + a_row + row < M && a_k < k_left);
      copy1(a_tile[stage][a_k][a_row + row], exists ? a_from + row * K : A, exists);
    }
    for (int k = 0; k < BK; k += b_ks) {
      if constexpr (whole) {
        copy4(b_tile[stage][b_k + k][b_column], b_from + k * N);
      } else {
        const bool exists = b_k + k < k_left && column0 + b_column < N;
        copy1(b_tile[stage][b_k + k][b_column], exists ? b_from + k * N : B, exists);
      }
    }
    a_from += BK;
    b_from += BK * N;
    k_left -= BK;
  };
  const auto fragments = [&](int stage, int k) {  // from the tiles to registers
    for (int j = 0; j < TN; j += 4)
      as_float4(b[k % 2][j]) = as_float4(b_tile[stage][k][n0 + j * lanes_n]);
    for (int i = 0; i < TM; i += 4)
      as_float4(a[k % 2][i]) = as_float4(a_tile[stage][k][m0 + i * lanes_m]);
  };
  const auto next_stage_is_full = [&] {
    wait_for_all_but<STAGES - 2>();
    __syncthreads();  // all copies have arrived, and all threads have read this stage
  };
  const auto step = [&](int stage, bool more) {
    if (more) load((stage + STAGES - 1) % STAGES);
    end_group();
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      if (k + 1 < BK) {
        fragments(stage, k + 1);
      } else {
        next_stage_is_full();
        fragments((stage + 1) % STAGES, 0);
      }
      for (int j = 0; j < TN; ++j) {
        for (int n = 0; n < TM; ++n) {
          const int i = j % 2 == 0 ? n : TM - 1 - n;
          sum[i][j] += a[k % 2][i] * b[k % 2][j];
        }
      }
    }
  };

#pragma unroll
  for (int stage = 0; stage < STAGES - 1; ++stage) {
    load(stage);
    end_group();
  }
  next_stage_is_full();
  fragments(0, 0);
  // Each iteration computes from every stage once. If `whole`, the last one is after the loop and
  // loads only one stage. Otherwise each copy checks whether its float exists.
  for (int turns = (K + STAGES * BK - 1) / (STAGES * BK); turns > (whole ? 1 : 0); --turns) {
#pragma unroll
    for (int stage = 0; stage < STAGES; ++stage) step(stage, true);
  }
  if constexpr (whole) {
#pragma unroll
    for (int stage = 0; stage < STAGES; ++stage) step(stage, stage == 0);  // only stage 0 loads
  } else {
    wait_for_all_but<0>();  // copies of zeros may still be in flight
  }

  for (int i = 0; i < TM; ++i) {
    const int row = row0 + m0 + i / 4 * 4 * lanes_m + i % 4;
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

// The same computation with bulk copies. A bulk copy moves a row of a tile, so A's tile is not
// transposed. One lane of each warp starts the warp's share of the copies. Each stage has an
// mbarrier, whose phase is complete when the stage is full.
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
  const int lane_m = lane / (2 * lanes_n) * 2 + lane / 2 % 2,
            lane_n = lane % (2 * lanes_n) / 4 * 2 + lane % 2;
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
