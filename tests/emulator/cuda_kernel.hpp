// CUDA C++ as NVRTC or clang compiles it, for the emulator.
#pragma once

#include <string>

#include "simt/compiler.hpp"

namespace gemm_tutor::simt {

// Of a file "kernel.cu", every `extern "C"` kernel in it. Compiled anew each time: an old result is
// no test.
inline std::string cuda_to_ptx(const std::string& source) {
  return compile({source, "kernel.cu", "sm_90", "", {}}, {}).ptx;
}

// Why there is no compiler; empty when there is.
inline std::string no_compiler() {
  const CompilerStatus status = compiler_status();
  return status.available ? "" : status.problem;
}

// Why NVIDIA's own headers are not there; empty where they are.
inline std::string no_nvrtc() {
  if (!no_compiler().empty()) return no_compiler();
  return compiler_status().has_assembler ? "" : "only NVRTC has what this uses";
}

}  // namespace gemm_tutor::simt
