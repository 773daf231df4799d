// Lesson 12's kernel, but a thread has two sets of values from the tiles: it multiplies the values
// of one k, and reads those of the next k at the same time.

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

// Waits until at most the newest `groups` commit groups of this thread are still in flight.
template <int groups>
__device__ void wait_for_all_but() {
  asm volatile("cp.async.wait_group %0;" ::"n"(groups));
}

// excerpt: wide_thread_tile
// An SM has registers for 512 threads, or for 256 with more than 64 sums each.
template <int BM, int BN, int TM, int TN>
constexpr int BLOCKS_PER_SM = (TM * TN > 64 ? 256 : 512) / ((BM / TM) * (BN / TN));

template <int BM, int BN, int BK, int WM, int WN, int TM, int TN, int STAGES, bool whole = false>
__global__ void __launch_bounds__((BM / TM) * (BN / TN), BLOCKS_PER_SM<BM, BN, TM, TN>)
    wide_thread_tile(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ alignas(16) float a_tile[STAGES][BK][BM + 4];
  __shared__ alignas(16) float b_tile[STAGES][BK][BN];
  constexpr int threads = (BM / TM) * (BN / TN);
  constexpr int lanes_m = WM / TM, lanes_n = WN / TN;  // of a warp's lanes, down and across
  const int thread = threadIdx.x, warp = thread / 32, lane = thread % 32;
  constexpr int row_of_squares = 2 * lanes_n;  // its lanes: squares of 2×2
  const int lane_m = lane / row_of_squares * 2 + lane / 2 % 2;
  const int lane_n = lane % row_of_squares / 4 * 2 + lane % 2;
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
  for (int iterations = (K + STAGES * BK - 1) / (STAGES * BK); iterations > (whole ? 1 : 0);
       --iterations) {
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
