// What executes a kernel.
#pragma once

namespace gemm_tutor {

enum class Backend {
  gpu,
  emulator,
  cpu,  // a plain loop on this machine
  none  // it cannot run here: cuBLAS without a GPU
};

// "gpu", as in JSON and in --backend.
constexpr const char* name_of(Backend backend) {
  switch (backend) {
    case Backend::gpu:
      return "gpu";
    case Backend::emulator:
      return "emulator";
    case Backend::cpu:
      return "cpu";
    case Backend::none:
      break;
  }
  return "none";
}

}  // namespace gemm_tutor
