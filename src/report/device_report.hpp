// The report of `device`: what this machine can do, and how to get what is missing.
#pragma once

#include <cstdint>
#include <string>

#include "gpu/gpu.hpp"
#include "simt/compiler.hpp"
#include "view/document.hpp"

namespace gemm_tutor {

struct Machine {
  gpu::Status gpu;
  simt::CompilerStatus compiler, nvrtc, clang;  // `compiler` is the one in use
  int cores = 0;
  std::int64_t available_memory = 0;  // bytes, of the host
};

Document device_document(const Machine& machine);
std::string device_json(const Machine& machine);

}  // namespace gemm_tutor
