// One thread computes TM×TN elements of C, a warp a tile of WM×WN, and a block of (BM / TM)·(BN /
// TN) threads a tile of BM×BN, as in lesson 11. The tiles of A and B reach shared memory by
// asynchronous copies, which pass through no register: there is a ring of STAGES tiles of each, one
// that is computed from and STAGES - 1 that are being filled. (`whole` as in lesson 7.)

__device__ float4& as_float4(float& first) { return *reinterpret_cast<float4*>(&first); }

template <typename Element>
__device__ unsigned shared_address(Element& element) {
  return static_cast<unsigned>(__cvta_generic_to_shared(&element));
}

// Begins to copy one float to shared memory; a zero where it does not exist, for which `from` need
// only be an address in some matrix.
__device__ void copy1(float& to, const float* from, bool exists) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(shared_address(to)), "l"(from),
               "r"(exists ? 4 : 0));
}

// Likewise four floats that exist and begin at a multiple of 16 bytes.
__device__ void copy4(float& to, const float* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from));
}

// What was begun since the last call becomes a group.
__device__ void end_group() { asm volatile("cp.async.commit_group;"); }

// Waits until all but the last `groups` groups of this thread have arrived.
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
  constexpr int lanes_m = WM / TM, lanes_n = WN / TN;  // of a warp, down and across its tile
  const int thread = threadIdx.x, warp = thread / 32, lane = thread % 32;
  const int lane_m = lane / (2 * lanes_n) * 2 + lane / 2 % 2,
            lane_n = lane % (2 * lanes_n) / 4 * 2 + lane % 2;
  const int m0 = warp / (BN / WN) * WM + lane_m * 4, n0 = warp % (BN / WN) * WN + lane_n * 4;
  const int row0 = blockIdx.y * BM, column0 = blockIdx.x * BN;
  // What this thread copies: of A's tile single floats, `a_rows` rows apart, of B's tile one or
  // four floats at a time, `b_ks` rows apart.
  constexpr int at_once = whole ? 4 : 1;
  constexpr int a_rows = threads / BK, b_ks = at_once * threads / BN;
  const int a_row = thread / BK, a_k = thread % BK;
  const int b_k = at_once * thread / BN, b_column = at_once * thread % BN;
  const float* a_from = A + (row0 + a_row) * K + a_k;
  const float* b_from = B + b_k * N + column0 + b_column;
  int k_left = K;  // from the first k of the tiles that are to be copied next
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
  const auto fragments = [&](int stage, int k) {  // of the tiles, to registers
    for (int j = 0; j < TN; j += 4)
      as_float4(b[k % 2][j]) = as_float4(b_tile[stage][k][n0 + j * lanes_n]);
    for (int i = 0; i < TM; i += 4)
      as_float4(a[k % 2][i]) = as_float4(a_tile[stage][k][m0 + i * lanes_m]);
  };
  const auto next_stage_is_full = [&] {
    wait_for_all_but<STAGES - 2>();
    __syncthreads();  // all copies are complete, and nobody needs this stage any more
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
  // Iterations over all stages. The last one loads nothing, so it is after the loop. At the edges
  // that is not needed, because each copy checks whether its float exists.
  for (int turns = (K + STAGES * BK - 1) / (STAGES * BK); turns > (whole ? 1 : 0); --turns) {
#pragma unroll
    for (int stage = 0; stage < STAGES; ++stage) step(stage, true);
  }
  if constexpr (whole) {
#pragma unroll
    for (int stage = 0; stage < STAGES; ++stage) step(stage, stage == 0);  // one is left to load
  } else {
    wait_for_all_but<0>();  // also for copies of nothing
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

// Counts what has arrived: threads that say so, and bytes of bulk copies. Its phase ends when
// nothing is missing any more, and the next one begins.
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

// Announces that this many more bytes arrive in this phase.
__device__ void expect(Mbarrier& barrier, int bytes) {
  asm volatile(
      "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)),
      "r"(bytes)
      : "memory");
}

// Until the phase has ended; of the first one the parity is 0, of the next 1, then 0 again.
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

// What this thread has done to shared memory is done before bulk copies that begin later.
__device__ void end_before_bulk_copies() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// Begins to copy `floats` floats, a multiple of four; both addresses are multiples of 16 bytes.
__device__ void copy_bulk(float& to, const float* from, int floats, Mbarrier& barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
          "r"(shared_address(to)),
      "l"(from), "r"(4 * floats), "r"(shared_address(barrier))
      : "memory");
}

// The same computation. A bulk copy moves a row of a tile at once, so A's tile stays as A is, in
// rows; one lane of each warp begins a share of them. An mbarrier for each stage says when it is
// full.
// excerpt: async_copy_bulk
template <int BM, int BN, int BK, int WM, int WN, int TM, int TN, int STAGES, bool whole = false>
__global__ void __launch_bounds__((BM / TM) * (BN / TN))
    async_copy_bulk(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ alignas(16) float a_tile[STAGES][BM][BK + 4];
  __shared__ alignas(16) float b_tile[STAGES][BK][BN];
  __shared__ Mbarrier full[STAGES];
  constexpr int threads = (BM / TM) * (BN / TN), warps = threads / 32;
  constexpr int lanes_m = WM / TM, lanes_n = WN / TN;  // of a warp, down and across its tile
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
    } else {  // a piece of a row need not exist, nor begin at a multiple of 16 bytes
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
  __syncthreads();  // the mbarriers are there
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
    __syncthreads();  // nobody needs the stage any more
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
