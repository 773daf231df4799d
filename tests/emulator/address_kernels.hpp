// Kernels that leave the addresses of their shared memory in an array of unsigned, for the emulator
// and for a GPU, with what must be there.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "simt/gpu_spec.hpp"

namespace gemm_tutor::simt {

struct AddressKernel {
  std::string entry;
  std::vector<std::uint32_t> offsets;  // from where shared memory begins on the GPU
};

extern const std::string address_kernels;  // CUDA C++
inline constexpr Launch address_kernels_launch{{1, 1, 1}, {1, 1, 1}, 256};
extern const std::vector<AddressKernel> address_kernel_table;

}  // namespace gemm_tutor::simt
