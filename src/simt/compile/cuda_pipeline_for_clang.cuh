// What clang is given for <cuda_pipeline.h>: CUDA's functions for asynchronous copies, each of 4, 8 or 16
// bytes, the last `zeros` of which are not read.
#pragma once

#define simt_inline __attribute__((device, always_inline, nodebug)) static inline

simt_inline void __pipeline_memcpy_async(void* to, const void* from, size_t bytes,
                                               size_t zeros = 0) {
  const unsigned shared = static_cast<unsigned>(__cvta_generic_to_shared(to));
  const unsigned read = static_cast<unsigned>(bytes - zeros);
  if (bytes == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared), "l"(from), "r"(read)
                 : "memory");
  } else if (bytes == 8) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(shared), "l"(from), "r"(read)
                 : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(shared), "l"(from), "r"(read)
                 : "memory");
  }
}
simt_inline void __pipeline_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
// A number of groups that is known when this is compiled, as in CUDA's own.
#define __pipeline_wait_prior(groups) asm volatile("cp.async.wait_group %0;" ::"n"(groups) : "memory")

#undef simt_inline
