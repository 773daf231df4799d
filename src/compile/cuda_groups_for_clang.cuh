// What clang is given for <cooperative_groups.h> and the headers that belong to it: blocks, tiles of a
// warp, coalesced groups and parts of them, reductions, scans and copies.
#pragma once

#include "cuda_pipeline.h"

#define gemm_tutor_inline __attribute__((device, always_inline, nodebug)) static inline
#define gemm_tutor_member __attribute__((device, always_inline, nodebug))

namespace cooperative_groups {

struct thread_block {
  gemm_tutor_member static void sync() { __syncthreads(); }
  gemm_tutor_member static dim3 group_index() { return blockIdx; }
  gemm_tutor_member static dim3 thread_index() { return threadIdx; }
  gemm_tutor_member static dim3 group_dim() { return blockDim; }
  gemm_tutor_member static dim3 dim_threads() { return blockDim; }
  gemm_tutor_member static unsigned size() { return blockDim.x * blockDim.y * blockDim.z; }
  gemm_tutor_member static unsigned num_threads() { return size(); }
  gemm_tutor_member static unsigned thread_rank() {
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  }
};
typedef thread_block thread_group;
gemm_tutor_inline thread_block this_thread_block() { return {}; }

// Of all blocks, which cannot wait for one another.
struct grid_group {
  gemm_tutor_member static dim3 dim_blocks() { return gridDim; }
  gemm_tutor_member static dim3 block_index() { return blockIdx; }
  gemm_tutor_member static unsigned long long size() {
    return (unsigned long long)gridDim.x * gridDim.y * gridDim.z * thread_block::size();
  }
  gemm_tutor_member static unsigned long long num_threads() { return size(); }
  gemm_tutor_member static unsigned long long block_rank() {
    return ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  }
  gemm_tutor_member static unsigned long long thread_rank() {
    return block_rank() * thread_block::size() + thread_block::thread_rank();
  }
};
gemm_tutor_inline grid_group this_grid() { return {}; }

// Lanes of a warp, by their mask. `source` is the lane of that rank in the group.
struct coalesced_group {
  unsigned lanes;
  gemm_tutor_member unsigned source(unsigned rank) const { return __fns(lanes, 0, (int)rank + 1); }
  gemm_tutor_member static unsigned lane() {
    unsigned r;
    asm("mov.u32 %0, %%laneid;" : "=r"(r));
    return r;
  }
  gemm_tutor_member unsigned thread_rank() const { return __popc(lanes & ((1u << lane()) - 1)); }
  gemm_tutor_member unsigned size() const { return __popc(lanes); }
  gemm_tutor_member unsigned num_threads() const { return size(); }
  gemm_tutor_member void sync() const { __syncwarp(lanes); }
  template <typename T>
  gemm_tutor_member T shfl(T value, unsigned rank) const {
    return __shfl_sync(lanes, value, source(rank % size()));
  }
  template <typename T>
  gemm_tutor_member T shfl_down(T value, unsigned by) const {
    const unsigned rank = thread_rank() + by;
    return __shfl_sync(lanes, value, rank < size() ? source(rank) : lane());
  }
  template <typename T>
  gemm_tutor_member T shfl_up(T value, unsigned by) const {
    const unsigned rank = thread_rank();
    return __shfl_sync(lanes, value, rank >= by ? source(rank - by) : lane());
  }
  gemm_tutor_member int any(int condition) const { return __any_sync(lanes, condition); }
  gemm_tutor_member int all(int condition) const { return __all_sync(lanes, condition); }
  gemm_tutor_member unsigned ballot(int condition) const {
    const unsigned votes = __ballot_sync(lanes, condition);
    unsigned result = 0;
    for (unsigned rank = 0; rank < size(); ++rank) result |= (votes >> source(rank) & 1) << rank;
    return result;
  }
};
gemm_tutor_inline coalesced_group coalesced_threads() { return {__activemask()}; }

template <unsigned threads, typename Parent = thread_block>
struct thread_block_tile {
  gemm_tutor_member static unsigned thread_rank() { return thread_block::thread_rank() % threads; }
  gemm_tutor_member static constexpr unsigned size() { return threads; }
  gemm_tutor_member static constexpr unsigned num_threads() { return threads; }
  gemm_tutor_member static unsigned meta_group_rank() { return thread_block::thread_rank() / threads; }
  gemm_tutor_member static unsigned meta_group_size() {
    return (thread_block::size() + threads - 1) / threads;
  }
  gemm_tutor_member static unsigned mask() {
    return (threads == 32 ? ~0u : (1u << threads % 32) - 1) << meta_group_rank() * threads % 32;
  }
  gemm_tutor_member static void sync() { __syncwarp(mask()); }
  template <typename T>
  gemm_tutor_member T shfl(T value, int rank) const { return __shfl_sync(mask(), value, rank, threads); }
  template <typename T>
  gemm_tutor_member T shfl_down(T value, unsigned by) const {
    return __shfl_down_sync(mask(), value, by, threads);
  }
  template <typename T>
  gemm_tutor_member T shfl_up(T value, unsigned by) const {
    return __shfl_up_sync(mask(), value, by, threads);
  }
  template <typename T>
  gemm_tutor_member T shfl_xor(T value, unsigned by) const {
    return __shfl_xor_sync(mask(), value, by, threads);
  }
  gemm_tutor_member int any(int condition) const { return __any_sync(mask(), condition); }
  gemm_tutor_member int all(int condition) const { return __all_sync(mask(), condition); }
  gemm_tutor_member unsigned own(unsigned lanes) const {
    return (lanes & mask()) >> meta_group_rank() * threads % 32;
  }
  gemm_tutor_member unsigned ballot(int condition) const { return own(__ballot_sync(mask(), condition)); }
  template <typename T>
  gemm_tutor_member unsigned match_any(T value) const { return own(__match_any_sync(mask(), value)); }
};
template <unsigned threads, typename Group>
gemm_tutor_inline thread_block_tile<threads, Group> tiled_partition(const Group&) { return {}; }

template <unsigned threads, typename Parent, typename Label>
gemm_tutor_inline coalesced_group labeled_partition(const thread_block_tile<threads, Parent>& group, Label label) {
  return {__match_any_sync(group.mask(), label)};
}
template <typename Label>
gemm_tutor_inline coalesced_group labeled_partition(const coalesced_group& group, Label label) {
  return {__match_any_sync(group.lanes, label)};
}
template <typename Group>
gemm_tutor_inline coalesced_group binary_partition(const Group& group, bool side) {
  return labeled_partition(group, (int)side);
}

template <typename Group>
gemm_tutor_inline void sync(const Group& group) { group.sync(); }
template <typename Group>
gemm_tutor_inline unsigned thread_rank(const Group& group) { return group.thread_rank(); }

// --- Of the values of a group

#define gemm_tutor_operation(name, expression) \
  template <typename T = void> \
  struct name { \
    gemm_tutor_member T operator()(T a, T b) const { return expression; } \
  }; \
  template <> \
  struct name<void> { \
    template <typename T> \
    gemm_tutor_member T operator()(T a, T b) const { return expression; } \
  };
gemm_tutor_operation(plus, a + b)
gemm_tutor_operation(less, a < b ? a : b)
gemm_tutor_operation(greater, a < b ? b : a)
gemm_tutor_operation(bit_and, a & b)
gemm_tutor_operation(bit_or, a | b)
gemm_tutor_operation(bit_xor, a ^ b)
#undef gemm_tutor_operation

template <unsigned threads, typename Parent, typename T, typename Operation>
gemm_tutor_inline T reduce(const thread_block_tile<threads, Parent>& group, T value, Operation operation) {
#pragma unroll
  for (unsigned by = threads / 2; by > 0; by /= 2) value = operation(value, group.shfl_xor(value, by));
  return value;
}
template <typename T, typename Operation>
gemm_tutor_inline T reduce(const coalesced_group& group, T value, Operation operation) {
  T result = group.shfl(value, 0);
  for (unsigned rank = 1; rank < group.size(); ++rank) result = operation(result, group.shfl(value, rank));
  return result;
}
template <typename Group, typename T, typename Operation>
gemm_tutor_inline T inclusive_scan(const Group& group, T value, Operation operation) {
  for (unsigned by = 1; by < group.size(); by *= 2) {
    const T before = group.shfl_up(value, by);
    if (group.thread_rank() >= by) value = operation(before, value);
  }
  return value;
}
template <typename Group, typename T>
gemm_tutor_inline T inclusive_scan(const Group& group, T value) {
  return inclusive_scan(group, value, plus<T>());
}
template <typename Group, typename T, typename Operation>
gemm_tutor_inline T exclusive_scan(const Group& group, T value, Operation operation) {
  const T before = group.shfl_up(inclusive_scan(group, value, operation), 1);
  return group.thread_rank() == 0 ? T() : before;
}
template <typename Group, typename T>
gemm_tutor_inline T exclusive_scan(const Group& group, T value) {
  return exclusive_scan(group, value, plus<T>());
}

// --- Copies by all threads of a group, of multiples of 4 bytes

template <typename Group, typename T>
gemm_tutor_inline void memcpy_async(const Group& group, T* to, const T* from, size_t bytes) {
  for (size_t at = 4 * (size_t)group.thread_rank(); at < bytes; at += 4 * (size_t)group.size()) {
    __pipeline_memcpy_async((char*)to + at, (const char*)from + at, 4);
  }
  __pipeline_commit();
}
template <typename Group>
gemm_tutor_inline void wait(const Group& group) {
  __pipeline_wait_prior(0);
  group.sync();
}

}  // namespace cooperative_groups

#undef gemm_tutor_inline
#undef gemm_tutor_member
