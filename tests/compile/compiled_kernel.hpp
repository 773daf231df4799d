// How tests compare what a compiler made.
#pragma once

#include "simt/compiler.hpp"

namespace gemm_tutor::simt {

// Whether it came from the cache does not matter.
inline bool is_same(const CompiledKernel& a, const CompiledKernel& b) {
  return a.ptx == b.ptx && a.cubin == b.cubin && a.lowered_name == b.lowered_name &&
         a.resources == b.resources && a.kernels == b.kernels && a.log == b.log &&
         a.compiler == b.compiler;
}

}  // namespace gemm_tutor::simt
