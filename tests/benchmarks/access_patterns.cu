// Requests whose cost the emulator must know, one warp and one launch each, to be counted by Nsight
// Compute on a real GPU: scripts/measure-access-patterns builds and runs this and writes
// tests/emulator/access_patterns.csv, which the emulator's rules are tested against.
//
// Prints one line a launch: space,operation,bytes,active lanes,32 offsets in elements of that size.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

constexpr int lanes = 32;
constexpr int most_elements = 1024;  // 16 KiB of the widest

// By value, so that reading them is no access to global memory.
struct Offsets {
  int lane[lanes];
};

template <typename T>
__global__ void shared_load(Offsets offsets, unsigned active, const T* in, T* out) {
  extern __shared__ float4 memory[];
  T* shared = reinterpret_cast<T*>(memory);
  const int offset = offsets.lane[threadIdx.x];
  if (active >> threadIdx.x & 1) out[threadIdx.x] = shared[offset];
}

template <typename T>
__global__ void shared_store(Offsets offsets, unsigned active, const T* in, T* out) {
  extern __shared__ float4 memory[];
  T* shared = reinterpret_cast<T*>(memory);
  const int offset = offsets.lane[threadIdx.x];
  const T value = in[threadIdx.x];
  if (active >> threadIdx.x & 1) shared[offset] = value;
  __syncthreads();
  if (offset < 0) out[threadIdx.x] = shared[threadIdx.x];
}

template <typename T>
__global__ void global_load(Offsets offsets, unsigned active, const T* in, T* out) {
  const int offset = offsets.lane[threadIdx.x];
  T value{};
  if (active >> threadIdx.x & 1) value = in[offset];
  if (active >> threadIdx.x & 1) out[threadIdx.x] = value;
}

template <typename T>
__global__ void global_store(Offsets offsets, unsigned active, const T* in, T* out) {
  const int offset = offsets.lane[threadIdx.x];
  const T value = in[threadIdx.x];
  if (active >> threadIdx.x & 1) out[offset] = value;
}

// cp.async: global to shared memory; `offsets` are where in shared memory, the source is consecutive.
template <int bytes>
__global__ void async_copy(Offsets offsets, unsigned active, const float* in, float* out) {
  extern __shared__ float4 memory[];
  const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(memory)) + bytes * offsets.lane[threadIdx.x];
  const char* from = reinterpret_cast<const char*>(in) + bytes * threadIdx.x;
  if (active >> threadIdx.x & 1) {
    if (bytes == 16) {
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from));
    } else {
      asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(from), "n"(bytes));
    }
  }
  asm volatile("cp.async.wait_all;");
  __syncthreads();
  if (offsets.lane[0] < 0) out[threadIdx.x] = reinterpret_cast<float*>(memory)[threadIdx.x];
}

struct Pattern {
  unsigned active;
  Offsets offsets;
};

std::uint32_t random_state = 1;
int random_below(int limit) {
  random_state = random_state * 1664525u + 1013904223u;
  return static_cast<int>((random_state >> 8) % static_cast<unsigned>(limit));
}

std::vector<Pattern> patterns() {
  std::vector<Pattern> all;
  const auto add = [&](const std::function<int(int)>& offset, unsigned active = 0xffffffffu) {
    Pattern pattern{active, {}};
    for (int lane = 0; lane < lanes; ++lane) pattern.offsets.lane[lane] = offset(lane) % most_elements;
    all.push_back(pattern);
  };
  for (const int stride : {0, 1, 2, 3, 4, 5, 8, 9, 16, 17, 31}) add([=](int l) { return l * stride; });
  for (const int group : {2, 4, 8, 16}) {
    add([=](int l) { return l / group; });
    add([=](int l) { return l % group; });
    add([=](int l) { return l / group * 8; });
    add([=](int l) { return l % group * 8; });
    add([=](int l) { return l / group * 33; });
    add([=](int l) { return l % group * 33; });
  }
  add([](int l) { return 31 - l; });
  add([](int l) { return l ^ 1; });
  add([](int l) { return l ^ 16; });
  add([](int l) { return l + 1; });
  add([](int l) { return l + 7; });
  add([](int l) { return l / 8 * 32 + l % 8; });
  add([](int l) { return l % 4 * 8 + l / 4; });
  add([](int l) { return l / 4 * 8 + l % 4; });
  add([](int l) { return (l & 15) * 2 + (l >> 4); });
  add([](int l) { return l < 16 ? l : 32 + l; });
  add([](int l) { return l; }, 0x0000ffffu);
  add([](int l) { return l; }, 0xffff0000u);
  add([](int l) { return l; }, 0x55555555u);
  add([](int l) { return l; }, 0x00000001u);
  add([](int l) { return l * 8; }, 0x000000ffu);
  add([](int l) { return l * 8; }, 0x0f0f0f0fu);
  add([](int l) { return l * 16; }, 0x11111111u);
  // Pairs that share an address, in a part of the warp only, one way here and another there.
  add([](int l) { return l < 16 ? l / 2 : l; });
  add([](int l) { return l < 16 ? l : l / 2; });
  add([](int l) { return l < 16 ? l / 4 * 2 + l % 2 : l; });
  add([](int l) { return l < 16 ? l / 2 : l / 4 * 2 + l % 2; });
  add([](int l) { return l < 8 ? l / 2 : l; });
  add([](int l) { return l == 5 ? 40 : l / 2; });
  add([](int l) { return l == 5 ? 40 : l / 2; }, ~0x20u);
  add([](int l) { return l == 21 ? 40 : l / 2; });
  add([](int l) { return l / 2; }, 0xfffffffeu);
  add([](int l) { return l / 2; }, 0x77777777u);
  add([](int l) { return l / 4 * 2 + l % 2; }, 0xdfff7ffbu);
  for (int i = 0; i < 6; ++i) add([](int) { return random_below(32); });
  for (int i = 0; i < 6; ++i) add([](int) { return random_below(64); });
  for (int i = 0; i < 6; ++i) add([](int) { return random_below(8); });
  for (int i = 0; i < 4; ++i) add([](int) { return random_below(most_elements); });
  for (int i = 0; i < 4; ++i) {
    const unsigned active = static_cast<unsigned>(random_below(1 << 16)) << 16 | static_cast<unsigned>(random_below(1 << 16));
    add([](int) { return random_below(32); }, active | 1);
  }
  return all;
}

void check(cudaError_t result) {
  if (result == cudaSuccess) return;
  std::fprintf(stderr, "error: %s\n", cudaGetErrorString(result));
  std::exit(3);
}

template <typename T>
using Kernel = void (*)(Offsets, unsigned, const T*, T*);

float4 *in, *out;

template <typename T>
void run(const char* space, const char* operation, int bytes, Kernel<T> kernel) {
  for (const Pattern& pattern : patterns()) {
    kernel<<<1, lanes, most_elements * 16>>>(pattern.offsets, pattern.active, reinterpret_cast<T*>(in),
                                             reinterpret_cast<T*>(out));
    check(cudaGetLastError());
    check(cudaDeviceSynchronize());
    std::printf("%s,%s,%d,%#x,", space, operation, bytes, pattern.active);
    for (int lane = 0; lane < lanes; ++lane) std::printf("%s%d", lane ? " " : "", pattern.offsets.lane[lane]);
    std::printf("\n");
  }
}

template <typename T>
void run_all(int bytes) {
  random_state = 1;
  run<T>("shared", "load", bytes, shared_load<T>);
  random_state = 1;
  run<T>("shared", "store", bytes, shared_store<T>);
  random_state = 1;
  run<T>("global", "load", bytes, global_load<T>);
  random_state = 1;
  run<T>("global", "store", bytes, global_store<T>);
}

int main() {
  check(cudaMalloc(&in, most_elements * sizeof(float4)));
  check(cudaMalloc(&out, most_elements * sizeof(float4)));
  check(cudaMemset(in, 1, most_elements * sizeof(float4)));
  run_all<float>(4);
  run_all<float2>(8);
  run_all<float4>(16);
  random_state = 1;
  run<float>("async", "copy", 4, async_copy<4>);
  random_state = 1;
  run<float>("async", "copy", 8, async_copy<8>);
  random_state = 1;
  run<float>("async", "copy", 16, async_copy<16>);
}
