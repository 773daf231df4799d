// What clang is given for <cuda/atomic>, <cuda/barrier> and <cuda/pipeline>: atomic_ref and atomic, the
// barrier of a block, the pipeline of a thread, and copies that they wait for.
#pragma once

#include "cuda_pipeline.h"

#define gemm_tutor_inline __attribute__((device, always_inline, nodebug)) static inline
#define gemm_tutor_member __attribute__((device, always_inline, nodebug))

namespace std {
template <typename T>
gemm_tutor_inline constexpr T&& move(T& value) { return static_cast<T&&>(value); }
}  // namespace std

namespace cuda {

enum thread_scope { thread_scope_system, thread_scope_device, thread_scope_block, thread_scope_thread };
enum memory_order {
  memory_order_relaxed,
  memory_order_consume,
  memory_order_acquire,
  memory_order_release,
  memory_order_acq_rel,
  memory_order_seq_cst
};
namespace std {
using cuda::memory_order;
using cuda::memory_order_acq_rel;
using cuda::memory_order_acquire;
using cuda::memory_order_relaxed;
using cuda::memory_order_release;
using cuda::memory_order_seq_cst;
using ::std::move;
}  // namespace std

// --- Atomic operations; one that is not relaxed is between two fences

gemm_tutor_inline void atomic_thread_fence(memory_order, thread_scope = thread_scope_system) { __threadfence(); }

template <typename T, thread_scope scope = thread_scope_system>
struct atomic_ref {
  T* at;
  gemm_tutor_member explicit atomic_ref(T& place) : at(&place) {}

  template <typename Operation>
  gemm_tutor_member static T ordered(memory_order order, Operation operation) {
    if (order != memory_order_relaxed) __threadfence();
    const T result = operation();
    if (order != memory_order_relaxed) __threadfence();
    return result;
  }
  gemm_tutor_member T load(memory_order order = memory_order_seq_cst) const {
    return ordered(order, [&] { return *(volatile T*)at; });
  }
  gemm_tutor_member void store(T value, memory_order order = memory_order_seq_cst) const {
    ordered(order, [&] { return *(volatile T*)at = value; });
  }
  gemm_tutor_member T exchange(T value, memory_order order = memory_order_seq_cst) const {
    return ordered(order, [&] { return atomicExch(at, value); });
  }
  gemm_tutor_member bool compare_exchange_strong(T& expected, T value,
                                                 memory_order order = memory_order_seq_cst) const {
    const T before = ordered(order, [&] { return atomicCAS(at, expected, value); });
    const bool is_equal = before == expected;
    expected = before;
    return is_equal;
  }
  gemm_tutor_member bool compare_exchange_strong(T& expected, T value, memory_order order, memory_order) const {
    return compare_exchange_strong(expected, value, order);
  }
  gemm_tutor_member bool compare_exchange_weak(T& expected, T value,
                                               memory_order order = memory_order_seq_cst) const {
    return compare_exchange_strong(expected, value, order);
  }
#define gemm_tutor_fetch(name, operation) \
  gemm_tutor_member T name(T value, memory_order order = memory_order_seq_cst) const { \
    return ordered(order, [&] { return operation; }); \
  }
  gemm_tutor_fetch(fetch_add, atomicAdd(at, value))
  gemm_tutor_fetch(fetch_sub, atomicAdd(at, -value))
  gemm_tutor_fetch(fetch_min, atomicMin(at, value))
  gemm_tutor_fetch(fetch_max, atomicMax(at, value))
  gemm_tutor_fetch(fetch_and, atomicAnd(at, value))
  gemm_tutor_fetch(fetch_or, atomicOr(at, value))
  gemm_tutor_fetch(fetch_xor, atomicXor(at, value))
#undef gemm_tutor_fetch
  gemm_tutor_member operator T() const { return load(); }
  gemm_tutor_member T operator=(T value) const { return store(value), value; }
  gemm_tutor_member T operator+=(T value) const { return fetch_add(value) + value; }
  gemm_tutor_member T operator-=(T value) const { return fetch_sub(value) - value; }
  gemm_tutor_member T operator++() const { return fetch_add(1) + 1; }
  gemm_tutor_member T operator++(int) const { return fetch_add(1); }
  gemm_tutor_member T operator--() const { return fetch_sub(1) - 1; }
  gemm_tutor_member T operator--(int) const { return fetch_sub(1); }
};

// --- Barriers of a block, in shared memory

template <thread_scope scope>
struct barrier {
  static_assert(scope == thread_scope_block, "clang has the barrier of a block only: NVRTC knows others");
  typedef unsigned long long arrival_token;
  unsigned long long state;
  barrier() = default;
  gemm_tutor_member unsigned address() const { return (unsigned)__cvta_generic_to_shared(&state); }
  gemm_tutor_member arrival_token arrive(unsigned count = 1) {
    arrival_token token;
    if (count == 1) {
      asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(token) : "r"(address()) : "memory");
    } else {
      asm volatile("mbarrier.arrive.shared.b64 %0, [%1], %2;" : "=l"(token) : "r"(address()), "r"(count) : "memory");
    }
    return token;
  }
  gemm_tutor_member void wait(arrival_token token) const {
    unsigned is_over;
    do {
      asm volatile("{.reg .pred p;\n mbarrier.test_wait.shared.b64 p, [%1], %2;\n selp.u32 %0, 1, 0, p;}"
                   : "=r"(is_over) : "r"(address()), "l"(token) : "memory");
    } while (!is_over);
  }
  gemm_tutor_member void arrive_and_wait() { wait(arrive()); }
};
template <thread_scope scope>
gemm_tutor_inline void init(barrier<scope>* at, unsigned count) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at->address()), "r"(count) : "memory");
}

// --- Copies

template <size_t alignment>
struct aligned_size_t {
  size_t value;
  gemm_tutor_member constexpr explicit aligned_size_t(size_t bytes) : value(bytes) {}
  gemm_tutor_member constexpr operator size_t() const { return value; }
};

// Of `bytes` in pieces of 16, 8 or 4 bytes, as both addresses are aligned; every `step`-th, from the
// `first`. What is left over is copied at once.
gemm_tutor_inline void gemm_tutor_copy(void* to, const void* from, size_t bytes, unsigned first, unsigned step) {
  const size_t places = (size_t)to | (size_t)from | bytes;
  const size_t piece = places % 16 == 0 ? 16 : places % 8 == 0 ? 8 : places % 4 == 0 ? 4 : 1;
  for (size_t at = first * piece; at < bytes; at += step * piece) {
    if (piece == 1) {
      ((char*)to)[at] = ((const char*)from)[at];
    } else {
      __pipeline_memcpy_async((char*)to + at, (const char*)from + at, piece);
    }
  }
}

// The copies of this thread are one more arrival, which the barrier waits for in this phase.
template <typename T, thread_scope scope>
gemm_tutor_inline void memcpy_async(T* to, const T* from, size_t bytes, barrier<scope>& arrives) {
  gemm_tutor_copy(to, from, bytes, 0, 1);
  asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(arrives.address()) : "memory");
}
template <typename Group, typename T, thread_scope scope>
gemm_tutor_inline void memcpy_async(const Group& group, T* to, const T* from, size_t bytes, barrier<scope>& arrives) {
  gemm_tutor_copy(to, from, bytes, group.thread_rank(), group.size());
  asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(arrives.address()) : "memory");
}

// --- The pipeline of a thread: groups of its own copies

template <thread_scope scope>
struct pipeline {
  static_assert(scope == thread_scope_thread, "clang has the pipeline of a thread only: NVRTC knows others");
  unsigned open = 0;  // committed and not yet released
  gemm_tutor_member pipeline() {}
  gemm_tutor_member void producer_acquire() {}
  gemm_tutor_member void producer_commit() {
    __pipeline_commit();
    ++open;
  }
  // For the oldest that is open.
  gemm_tutor_member void consumer_wait() {
    switch (open) {
      case 2: __pipeline_wait_prior(1); break;
      case 3: __pipeline_wait_prior(2); break;
      case 4: __pipeline_wait_prior(3); break;
      default: __pipeline_wait_prior(0);
    }
  }
  gemm_tutor_member void consumer_release() { --open; }
};
gemm_tutor_inline pipeline<thread_scope_thread> make_pipeline() { return {}; }
template <unsigned newer, thread_scope scope>
gemm_tutor_inline void pipeline_consumer_wait_prior(pipeline<scope>&) { __pipeline_wait_prior(newer); }

template <typename T, thread_scope scope>
gemm_tutor_inline void memcpy_async(T* to, const T* from, size_t bytes, pipeline<scope>&) {
  gemm_tutor_copy(to, from, bytes, 0, 1);
}
template <typename Group, typename T, thread_scope scope>
gemm_tutor_inline void memcpy_async(const Group& group, T* to, const T* from, size_t bytes, pipeline<scope>&) {
  gemm_tutor_copy(to, from, bytes, group.thread_rank(), group.size());
}

}  // namespace cuda

#undef gemm_tutor_inline
#undef gemm_tutor_member
