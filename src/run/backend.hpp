// What executes a kernel.
#pragma once

#include <cstddef>

namespace gemm_tutor {

enum class Backend {
  gpu,
  emulator,
  cpu,  // a plain loop on this machine
  none  // it cannot run here: cuBLAS without a GPU
};

// "gpu", as in JSON and in --backend.
constexpr const char* name_of(Backend backend) {
  constexpr const char* names[] = {"gpu", "emulator", "cpu", "none"};
  return names[static_cast<std::size_t>(backend)];
}

}  // namespace gemm_tutor
