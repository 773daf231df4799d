// What clang is given for <cuda/barrier>: the barrier of a block, and copies that it waits for.
#pragma once

#include "cuda_pipeline.h"

#define simt_inline __attribute__((device, always_inline, nodebug)) static inline
#define simt_member __attribute__((device, always_inline, nodebug))

namespace std {
template <typename T>
simt_inline constexpr T&& move(T& value) { return static_cast<T&&>(value); }
}  // namespace std

namespace cuda {

enum thread_scope { thread_scope_system, thread_scope_device, thread_scope_block, thread_scope_thread };
namespace std {
using ::std::move;
}  // namespace std

// --- Barriers of a block, in shared memory

template <thread_scope scope>
struct barrier {
  static_assert(scope == thread_scope_block, "clang has the barrier of a block only: NVRTC knows others");
  typedef unsigned long long arrival_token;
  unsigned long long state;
  barrier() = default;
  simt_member unsigned address() const { return (unsigned)__cvta_generic_to_shared(&state); }
  simt_member arrival_token arrive(unsigned count = 1) {
    arrival_token token;
    if (count == 1) {
      asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(token) : "r"(address()) : "memory");
    } else {
      asm volatile("mbarrier.arrive.shared.b64 %0, [%1], %2;" : "=l"(token) : "r"(address()), "r"(count) : "memory");
    }
    return token;
  }
  simt_member void wait(arrival_token token) const {
    unsigned is_over;
    do {
      asm volatile("{.reg .pred p;\n mbarrier.test_wait.shared.b64 p, [%1], %2;\n selp.u32 %0, 1, 0, p;}"
                   : "=r"(is_over) : "r"(address()), "l"(token) : "memory");
    } while (!is_over);
  }
  simt_member void arrive_and_wait() { wait(arrive()); }
};
template <thread_scope scope>
simt_inline void init(barrier<scope>* at, unsigned count) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at->address()), "r"(count) : "memory");
}

// --- Copies

template <size_t alignment>
struct aligned_size_t {
  size_t value;
  simt_member constexpr explicit aligned_size_t(size_t bytes) : value(bytes) {}
  simt_member constexpr operator size_t() const { return value; }
};

// In pieces of 16, 8 or 4 bytes, as both addresses are aligned; others are copied at once. The copies of
// this thread are one more arrival, which the barrier waits for in this phase.
template <typename T, thread_scope scope>
simt_inline void memcpy_async(T* to, const T* from, size_t bytes, barrier<scope>& arrives) {
  const size_t places = (size_t)to | (size_t)from | bytes;
  const size_t piece = places % 16 == 0 ? 16 : places % 8 == 0 ? 8 : places % 4 == 0 ? 4 : 1;
  for (size_t at = 0; at < bytes; at += piece) {
    if (piece == 1) {
      ((char*)to)[at] = ((const char*)from)[at];
    } else {
      __pipeline_memcpy_async((char*)to + at, (const char*)from + at, piece);
    }
  }
  asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(arrives.address()) : "memory");
}

}  // namespace cuda

#undef simt_inline
#undef simt_member
