// What scripts/calibrate measures a GPU with. Each kernel is a loop of one kind of instruction. The
// test of tests/machine reads in the machine code that the loop has them all: inline assembly keeps
// the compiler from leaving them out, and results are used.

// As in measurements.cpp.
struct Arguments {
  const char* input;  // random words, or a chain of addresses
  unsigned* output;   // results, so that no work is left out
  long long* clocks;  // of each warp, when its loop began and ended
  long long bytes;    // of input; chains: loads before the loop that is timed
  int iterations;
  int offsets[32];  // of each lane's address, in bytes
};

__device__ long long now() {
  long long time;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(time)::"memory");
  return time;
}

__device__ int thread() { return blockIdx.x * blockDim.x + threadIdx.x; }

struct Timed {
  long long begin, end;
  unsigned result;
};

__device__ void record(const Arguments& arguments, long long begin, long long end,
                       unsigned result) {
  if (threadIdx.x % 32 == 0) {
    arguments.clocks[thread() / 32 * 2] = begin;
    arguments.clocks[thread() / 32 * 2 + 1] = end;
  }
  arguments.output[thread()] = result;
}

__device__ void record(const Arguments& arguments, const Timed& timed) {
  record(arguments, timed.begin, timed.end, timed.result);
}

__device__ unsigned random_word(const Arguments& arguments, int i) {
  return reinterpret_cast<const unsigned*>(arguments.input)[thread() % 1024 + 1024 * i];
}

// From the bits of a random word: of at least 0.5 and less than 1, or the negative of that, so that
// no product grows without end.
__device__ float random_float(const Arguments& arguments, int i) {
  return __uint_as_float((random_word(arguments, i) & 0x807fffffu) | 0x3f000000u);
}

// --- Latency: each load's address is the result of the one before.

extern "C" __global__ void chase_shared(Arguments arguments) {
  __shared__ unsigned next[1024];
  const unsigned base = static_cast<unsigned>(__cvta_generic_to_shared(next));
  for (int i = 0; i < 1024; ++i) next[i] = base + 4 * ((i + 33) % 1024);
  unsigned address = base;
  const long long begin = now();
#pragma unroll 1
  for (int i = 0; i < arguments.iterations; ++i) {
#pragma unroll
    for (int j = 0; j < 16; ++j) asm volatile("ld.shared.u32 %0, [%0];" : "+r"(address));
  }
  record(arguments, begin, now(), address);
}

__device__ void step(unsigned long long& address, bool in_l1) {
  if (in_l1) {
    asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(address));
  } else {
    asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(address));  // found in L2 at best
  }
}

// `bytes` is the number of loads before those that are timed.
__device__ void chase(const Arguments& arguments, bool in_l1) {
  unsigned long long address = reinterpret_cast<unsigned long long>(arguments.input);
#pragma unroll 1
  for (long long i = 0; i < arguments.bytes; ++i) step(address, in_l1);
  const long long begin = now();
#pragma unroll 1
  for (int i = 0; i < arguments.iterations; ++i) {
#pragma unroll
    for (int j = 0; j < 16; ++j) step(address, in_l1);
  }
  record(arguments, begin, now(), static_cast<unsigned>(address));
}

extern "C" __global__ void chase_l1(Arguments arguments) { chase(arguments, true); }
extern "C" __global__ void chase_l2(Arguments arguments) { chase(arguments, false); }

// --- Loads of many warps

template <int Words>
__device__ unsigned load_shared(unsigned address) {
  unsigned a, b = 0, c = 0, d = 0;
  if constexpr (Words == 1) asm volatile("ld.shared.u32 %0, [%1];" : "=r"(a) : "r"(address));
  if constexpr (Words == 2) {
    asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "r"(address));
  }
  if constexpr (Words == 4) {
    asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                 : "r"(address));
  }
  return a ^ b ^ c ^ d;
}

template <int Words>
__device__ unsigned load_global(const char* address) {
  unsigned a, b = 0, c = 0, d = 0;
  if constexpr (Words == 1) asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(a) : "l"(address));
  if constexpr (Words == 2) {
    asm volatile("ld.global.ca.v2.u32 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "l"(address));
  }
  if constexpr (Words == 4) {
    asm volatile("ld.global.ca.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                 : "l"(address));
  }
  return a ^ b ^ c ^ d;
}

constexpr int shared_words = 8192;

__device__ unsigned filled_shared(const Arguments& arguments, unsigned* words) {
  for (int i = threadIdx.x; i < shared_words; i += blockDim.x) {
    words[i] = reinterpret_cast<const unsigned*>(arguments.input)[i];
  }
  __syncthreads();
  return static_cast<unsigned>(__cvta_generic_to_shared(words)) +
         arguments.offsets[threadIdx.x % 32];
}

// By the warps of as many schedulers as `bytes` says.
template <int Words>
__device__ void shared_loads(const Arguments& arguments) {
  __shared__ __align__(16) unsigned words[shared_words];
  const unsigned address = filled_shared(arguments, words);
  if (threadIdx.x / 32 % 4 >= arguments.bytes) return;
  unsigned result = 0;
  const long long begin = now();
#pragma unroll 1
  for (int i = 0; i < arguments.iterations; ++i) {
    const unsigned moved = address + 128 * (i % 2);  // lest one iteration's loads do for all
#pragma unroll
    for (int j = 0; j < 16; ++j) result ^= load_shared<Words>(moved + 512 * j);
  }
  record(arguments, begin, now(), result);
}

extern "C" __global__ void shared_loads_32(Arguments arguments) { shared_loads<1>(arguments); }
extern "C" __global__ void shared_loads_64(Arguments arguments) { shared_loads<2>(arguments); }
extern "C" __global__ void shared_loads_128(Arguments arguments) { shared_loads<4>(arguments); }

// 40 KiB of input, which the L1 cache holds after the first iteration. By the warps of as many
// schedulers as `bytes` says.
template <int Words>
__device__ void l1_loads(const Arguments& arguments) {
  const char* address = arguments.input + arguments.offsets[threadIdx.x % 32];
  unsigned result = 0;
#pragma unroll 1
  for (int i = 0; i < 16; ++i)
    result ^= load_global<Words>(address + 4096 * (i / 2) + 128 * (i % 2));
  __syncthreads();
  if (threadIdx.x / 32 % 4 >= arguments.bytes) return;
  const long long begin = now();
#pragma unroll 1
  for (int i = 0; i < arguments.iterations; ++i) {
    const char* moved = address + 128 * (i % 2);  // lest one iteration's loads do for all
#pragma unroll
    for (int j = 0; j < 8; ++j) result ^= load_global<Words>(moved + 4096 * j);
  }
  record(arguments, begin, now(), result);
}

extern "C" __global__ void l1_loads_32(Arguments arguments) { l1_loads<1>(arguments); }
extern "C" __global__ void l1_loads_64(Arguments arguments) { l1_loads<2>(arguments); }
extern "C" __global__ void l1_loads_128(Arguments arguments) { l1_loads<4>(arguments); }

// When the warps of one scheduler have issued a load each, at the same time: eight times. The n-th
// warp from the beginning waits if the queue of memory instructions has fewer places. (One warp
// cannot fill it: the assembler has it wait four cycles from load to load.)
extern "C" __global__ void queue(Arguments arguments) {
  __shared__ __align__(16) unsigned words[shared_words];
  const unsigned address = filled_shared(arguments, words);
  const int warp = threadIdx.x / 32;
  if (warp % 4 != 0) return;
  long long times[8];
  unsigned result = 0;
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    __syncthreads();
    const unsigned loaded = load_shared<1>(address + 512 * i);
    times[i] = now();
    result ^= loaded;
  }
  for (int i = 0; i < 8; ++i) arguments.clocks[8 * (warp / 4) + i] = times[i];
  arguments.output[thread()] = result;
}

// --- Memory

// Every block reads all of the input, each from another place on. `bytes` is a power of two.
extern "C" __global__ void read_l2(Arguments arguments) {
  const unsigned mask = static_cast<unsigned>(arguments.bytes - 1), step = blockDim.x * 16;
  unsigned at = (blockIdx.x * 5 * step + threadIdx.x * 16) & mask, result = 0;
  const long long begin = now();
#pragma unroll 1
  for (int i = 0; i < arguments.iterations; ++i) {
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      const char* address = arguments.input + ((at + j * step) & mask);
      unsigned a, b, c, d;
      asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                   : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                   : "l"(address));
      result ^= a ^ b ^ c ^ d;
    }
    at += 8 * step;
  }
  record(arguments, begin, now(), result);
}

extern "C" __global__ void copy_dram(Arguments arguments) {
  const uint4* from = reinterpret_cast<const uint4*>(arguments.input);
  uint4* to = reinterpret_cast<uint4*>(arguments.output);
  const long long count = arguments.bytes / 16, threads = gridDim.x * blockDim.x;
#pragma unroll 4
  for (long long i = thread(); i < count; i += threads) to[i] = from[i];
}

// One after the other: a load from global memory, or a copy to shared memory and the wait for it.
// Each asks for another line, which the L2 cache has.
extern "C" __global__ void waited_loads(Arguments arguments) {
  const char* address = arguments.input + 4 * threadIdx.x;
  unsigned value = 0;
  const long long begin = now();
#pragma unroll 1
  for (int i = 0; i < arguments.iterations; ++i) {
    const char* line = address + 4096 * i + (value & 4);
    asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(value) : "l"(line));
  }
  record(arguments, begin, now(), value);
}

extern "C" __global__ void waited_copies(Arguments arguments) {
#if __CUDA_ARCH__ >= 800
  __shared__ unsigned words[32];
  const char* address = arguments.input + 4 * threadIdx.x;
  const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(&words[threadIdx.x]));
  const long long begin = now();
#pragma unroll 1
  for (int i = 0; i < arguments.iterations; ++i) {
    asm volatile(
        "cp.async.ca.shared.global [%0], [%1], 4;\n"
        "cp.async.commit_group;\n"
        "cp.async.wait_group 0;" ::"r"(to),
        "l"(address + 4096 * i)
        : "memory");
  }
  record(arguments, begin, now(), words[threadIdx.x]);
#endif
}

// One thread has `bytes` times 16 rows of 32 bytes copied, and waits for them all.
extern "C" __global__ void bulk_copies(Arguments arguments) {
#if __CUDA_ARCH__ >= 900
  __shared__ __align__(128) char rows[16 * 32];
  __shared__ __align__(8) unsigned long long mbarrier;
  const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(rows));
  const unsigned counter = static_cast<unsigned>(__cvta_generic_to_shared(&mbarrier));
  if (threadIdx.x != 0) return;
  const unsigned copied = static_cast<unsigned>(arguments.bytes) * 16 * 32;
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(counter) : "memory");
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  const long long begin = now();
#pragma unroll 1
  for (int i = 0; i < arguments.iterations; ++i) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(counter), "r"(copied)
                 : "memory");
#pragma unroll 1
    for (long long round = 0; round < arguments.bytes; ++round) {
#pragma unroll
      for (int row = 0; row < 16; ++row) {
        asm volatile(
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 32, [%2];" ::
                "r"(to + 32 * row),
            "l"(arguments.input + 4096 * row), "r"(counter)
            : "memory");
      }
    }
    for (int ended = 0; !ended;) {
      asm volatile(
          "{\n"
          ".reg .pred p;\n"
          "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
          "selp.b32 %0, 1, 0, p;\n"
          "}"
          : "=r"(ended)
          : "r"(counter), "r"(i % 2)
          : "memory");
    }
  }
  record(arguments, begin, now(), rows[0]);
#endif
}

// --- Arithmetic

template <int Rows, int Columns>
__device__ Timed products(const Arguments& arguments) {
  float a[Rows], b[Columns], sum[Rows][Columns];
  for (int i = 0; i < Rows; ++i) a[i] = random_float(arguments, i);
  for (int j = 0; j < Columns; ++j) b[j] = random_float(arguments, Rows + j);
  for (int i = 0; i < Rows; ++i) {
    for (int j = 0; j < Columns; ++j) sum[i][j] = a[i] - b[j];
  }
  Timed timed;
  __syncthreads();
  timed.begin = now();
#pragma unroll 1
  for (int iteration = 0; iteration < arguments.iterations; ++iteration) {
#pragma unroll
    for (int repeat = 0; repeat < 64 / (Rows * Columns); ++repeat) {
#pragma unroll
      for (int i = 0; i < Rows; ++i) {
#pragma unroll
        for (int j = 0; j < Columns; ++j) {
          asm volatile("fma.rn.f32 %0, %1, %2, %0;" : "+f"(sum[i][j]) : "f"(a[i]), "f"(b[j]));
        }
      }
    }
  }
  timed.end = now();
  float result = 0;
  for (int i = 0; i < Rows; ++i) {
    for (int j = 0; j < Columns; ++j) result += sum[i][j];
  }
  timed.result = __float_as_uint(result);
  return timed;
}

template <int Rows, int Columns>
__device__ void timed_products(const Arguments& arguments) {
  record(arguments, products<Rows, Columns>(arguments));
}

extern "C" __global__ void ffma_4x4(Arguments arguments) { timed_products<4, 4>(arguments); }
extern "C" __global__ void ffma_2x8(Arguments arguments) { timed_products<2, 8>(arguments); }
extern "C" __global__ void ffma_1x16(Arguments arguments) { timed_products<1, 16>(arguments); }
extern "C" __global__ void ffma_4x8(Arguments arguments) { timed_products<4, 8>(arguments); }
extern "C" __global__ void ffma_8x8(Arguments arguments) { timed_products<8, 8>(arguments); }

// A loop of KiB of machine code, with 16 bytes per instruction.
template <int KiB>
__device__ void long_loop(const Arguments& arguments) {
  float sum[16];
  for (int i = 0; i < 16; ++i) sum[i] = random_float(arguments, i);
  const float a = random_float(arguments, 16), b = random_float(arguments, 17);
  __syncthreads();
  const long long begin = now();
#pragma unroll 1
  for (int iteration = 0; iteration < arguments.iterations; ++iteration) {
#pragma unroll
    for (int i = 0; i < KiB * 1024 / 16; ++i) {
      asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(sum[i % 16]) : "f"(a), "f"(b));
    }
  }
  const long long end = now();
  float result = 0;
  for (int i = 0; i < 16; ++i) result += sum[i];
  record(arguments, begin, end, __float_as_uint(result));
}

extern "C" __global__ void code_16(Arguments arguments) { long_loop<16>(arguments); }
extern "C" __global__ void code_32(Arguments arguments) { long_loop<32>(arguments); }
extern "C" __global__ void code_40(Arguments arguments) { long_loop<40>(arguments); }
extern "C" __global__ void code_48(Arguments arguments) { long_loop<48>(arguments); }
extern "C" __global__ void code_64(Arguments arguments) { long_loop<64>(arguments); }
extern "C" __global__ void code_96(Arguments arguments) { long_loop<96>(arguments); }
extern "C" __global__ void code_128(Arguments arguments) { long_loop<128>(arguments); }

// No operand is read twice in a row.
extern "C" __global__ void ffma_separate(Arguments arguments) {
  float a[16], b[16], sum[16];
  for (int i = 0; i < 16; ++i) {
    a[i] = random_float(arguments, i);
    b[i] = random_float(arguments, 16 + i);
    sum[i] = a[i] - b[i];
  }
  __syncthreads();
  const long long begin = now();
#pragma unroll 1
  for (int iteration = 0; iteration < arguments.iterations; ++iteration) {
#pragma unroll
    for (int i = 0; i < 64; ++i) {
      asm volatile("fma.rn.f32 %0, %1, %2, %0;"
                   : "+f"(sum[i % 16])
                   : "f"(a[i % 16]), "f"(b[i % 16]));
    }
  }
  const long long end = now();
  float result = 0;
  for (int i = 0; i < 16; ++i) result += sum[i];
  record(arguments, begin, end, __float_as_uint(result));
}

enum Operation { logic, logic_and_ffma, reciprocal_root };

template <Operation operation>
__device__ void operations(const Arguments& arguments) {
  unsigned word[16];
  float value[16];
  for (int i = 0; i < 16; ++i) {
    word[i] = random_word(arguments, i);
    value[i] = random_float(arguments, i);
  }
  const float factor = random_float(arguments, 17);
  const unsigned mask = random_word(arguments, 18), flipped = random_word(arguments, 19);
  __syncthreads();
  const long long begin = now();
#pragma unroll 1
  for (int iteration = 0; iteration < arguments.iterations; ++iteration) {
#pragma unroll
    for (int i = 0; i < 32; ++i) {
      if constexpr (operation != reciprocal_root) {
        asm volatile("lop3.b32 %0, %0, %1, %2, 0x6a;"
                     : "+r"(word[i % 16])
                     : "r"(mask), "r"(flipped));
      }
      if constexpr (operation == logic_and_ffma) {
        asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(value[i % 16]) : "f"(factor));
      }
      if constexpr (operation == reciprocal_root) {
        asm volatile("rsqrt.approx.ftz.f32 %0, %0;" : "+f"(value[i % 16]));
      }
    }
  }
  const long long end = now();
  unsigned result = 0;
  for (int i = 0; i < 16; ++i) result ^= word[i] ^ __float_as_uint(value[i]);
  record(arguments, begin, end, result);
}

extern "C" __global__ void int32(Arguments arguments) { operations<logic>(arguments); }
extern "C" __global__ void int32_and_ffma(Arguments arguments) {
  operations<logic_and_ffma>(arguments);
}
extern "C" __global__ void special(Arguments arguments) { operations<reciprocal_root>(arguments); }

// --- Tensor cores

enum Matrices { fp16, fp16_fp32, shallow_fp16_fp32, tf32, int8, fp8, fp8_fp32, fp64 };

// One product by a warp. On Turing, of the shapes that it has.
template <Matrices matrices, typename Register>
__device__ void multiply(Register (&sum)[4], const Register (&a)[4], const Register (&b)[2]) {
#if __CUDA_ARCH__ >= 800
  if constexpr (matrices == fp16) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%0, %1};"
        : "+r"(sum[0]), "+r"(sum[1])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
  if constexpr (matrices == fp16_fp32) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2]), "+r"(sum[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
  if constexpr (matrices == tf32) {
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2]), "+r"(sum[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
  if constexpr (matrices == int8) {
    asm volatile(
        "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2]), "+r"(sum[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
  if constexpr (matrices == fp64) {
    asm volatile(
        "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
        : "+d"(sum[0]), "+d"(sum[1])
        : "d"(a[0]), "d"(b[0]));
  }
#else
  if constexpr (matrices == fp16) {
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3}, {%4}, {%0, %1};"
        : "+r"(sum[0]), "+r"(sum[1])
        : "r"(a[0]), "r"(a[1]), "r"(b[0]));
  }
  if constexpr (matrices == fp16_fp32) multiply<shallow_fp16_fp32>(sum, a, b);
  if constexpr (matrices == int8) {
    asm volatile(
        "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0, %1}, {%2}, {%3}, {%0, %1};"
        : "+r"(sum[0]), "+r"(sum[1])
        : "r"(a[0]), "r"(b[0]));
  }
#endif
#if __CUDA_ARCH__ == 890 || __CUDA_ARCH__ >= 1200  // others convert FP8 to FP16 first
  if constexpr (matrices == fp8) {
    asm volatile(
        "mma.sync.aligned.m16n8k32.row.col.f16.e4m3.e4m3.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%0, %1};"
        : "+r"(sum[0]), "+r"(sum[1])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
  if constexpr (matrices == fp8_fp32) {
    asm volatile(
        "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2]), "+r"(sum[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
#endif
  if constexpr (matrices == shallow_fp16_fp32) {
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
        : "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2]), "+r"(sum[3])
        : "r"(a[0]), "r"(a[1]), "r"(b[0]));
  }
}

// Two FP16 of at least 0.5 and less than 1, or their negatives; as other formats small numbers too.
__device__ void set_random(unsigned& to, const Arguments& arguments, int i) {
  to = (random_word(arguments, i) & 0x83ff83ffu) | 0x38003800u;
}
__device__ void set_random(double& to, const Arguments& arguments, int i) {
  to = random_float(arguments, i);
}

// With one sum each product waits for the one before.
template <Matrices matrices, int Sums = 8, typename Register = unsigned>
__device__ Timed matrix_products(const Arguments& arguments) {
  Register a[4], b[2], sum[Sums][4];
  for (int i = 0; i < 4; ++i) set_random(a[i], arguments, i);
  for (int i = 0; i < 2; ++i) set_random(b[i], arguments, 4 + i);
  for (int s = 0; s < Sums; ++s) {
    for (int i = 0; i < 4; ++i) set_random(sum[s][i], arguments, 6 + 4 * s + i);
  }
  Timed timed;
  __syncthreads();
  timed.begin = now();
#pragma unroll 1
  for (int iteration = 0; iteration < arguments.iterations; ++iteration) {
#pragma unroll
    for (int i = 0; i < 16; ++i) multiply<matrices>(sum[i % Sums], a, b);
  }
  timed.end = now();
  Register result = 0;
  for (int s = 0; s < Sums; ++s) {
    for (int i = 0; i < 4; ++i) result += sum[s][i];
  }
  timed.result = static_cast<unsigned>(result);
  return timed;
}

template <Matrices matrices, int Sums = 8, typename Register = unsigned>
__device__ void timed_matrix_products(const Arguments& arguments) {
  record(arguments, matrix_products<matrices, Sums, Register>(arguments));
}

extern "C" __global__ void mma_fp16(Arguments arguments) { timed_matrix_products<fp16>(arguments); }
extern "C" __global__ void mma_fp16_fp32(Arguments arguments) {
  timed_matrix_products<fp16_fp32>(arguments);
}
extern "C" __global__ void shallow_mma(Arguments arguments) {
  timed_matrix_products<shallow_fp16_fp32>(arguments);
}
extern "C" __global__ void chained_mma(Arguments arguments) {
  timed_matrix_products<fp16_fp32, 1>(arguments);
}
extern "C" __global__ void mma_tf32(Arguments arguments) { timed_matrix_products<tf32>(arguments); }
extern "C" __global__ void mma_int8(Arguments arguments) { timed_matrix_products<int8>(arguments); }
extern "C" __global__ void mma_fp8(Arguments arguments) { timed_matrix_products<fp8>(arguments); }
extern "C" __global__ void mma_fp8_fp32(Arguments arguments) {
  timed_matrix_products<fp8_fp32>(arguments);
}
extern "C" __global__ void mma_fp64(Arguments arguments) {
  timed_matrix_products<fp64, 8, double>(arguments);
}

// --- Blocks

extern "C" __global__ void barriers(Arguments arguments) {
  __syncthreads();
  const long long begin = now();
#pragma unroll 1
  for (int i = 0; i < arguments.iterations; ++i) {
#pragma unroll
    for (int j = 0; j < 16; ++j) asm volatile("bar.sync 0;" ::: "memory");
  }
  record(arguments, begin, now(), threadIdx.x);
}

extern "C" __global__ void empty(Arguments) {}

// The number of the SM is in `output`, when the block began and ended there in `clocks`.
extern "C" __global__ void block_times(Arguments arguments) {
  const long long begin = now();
  while (now() - begin < 4000) {
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
  unsigned sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  arguments.output[blockIdx.x] = sm;
  arguments.clocks[2 * blockIdx.x] = begin;
  arguments.clocks[2 * blockIdx.x + 1] = now();
}

// Begin and end by the SM's clock, and then by the GPU's timer in nanoseconds.
template <Timed (*work)(const Arguments&)>
__device__ void record_clock(const Arguments& arguments) {
  long long timer_begin, timer_end;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(timer_begin)::"memory");
  const Timed timed = work(arguments);
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(timer_end)::"memory");
  arguments.output[thread()] = timed.result;
  if (thread() != 0) return;
  arguments.clocks[0] = timed.begin;
  arguments.clocks[1] = timed.end;
  arguments.clocks[2] = timer_begin;
  arguments.clocks[3] = timer_end;
}

extern "C" __global__ void full_load(Arguments arguments) {
  record_clock<products<4, 8>>(arguments);  // few conflicts of register banks
}

// Products that wait for each other, which keep the tensor cores far below the power limit.
extern "C" __global__ void tensor_load(Arguments arguments) {
  record_clock<matrix_products<fp16_fp32, 1>>(arguments);
}
