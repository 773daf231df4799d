// Reads from a kernel's PTX how it must be launched.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gemm_tutor {

struct PtxEntry {
  // Each parameter's type, "u64" or "f32"; empty for a struct, which is passed as bytes.
  std::vector<std::string> parameter_types;
  std::vector<int> parameter_bytes;  // each parameter's size
  std::int64_t most_threads = 0;     // per block, from __launch_bounds__; 0 if there are none
  std::int64_t exact_threads = 0;    // per block, if the kernel requires a block size; 0 if not
  bool uses_dynamic_shared = false;  // it uses extern __shared__ memory
  int static_shared_bytes = 0;       // bytes of its other __shared__ variables
  // It, or a function that it may call, reads blockIdx.y, blockIdx.z and threadIdx.y.
  bool reads_block_y = false, reads_block_z = false, reads_thread_y = false;
};

// Returns the mangled names of all kernels, in the order of the module.
std::vector<std::string> ptx_entry_names(std::string_view ptx);

PtxEntry ptx_entry(std::string_view ptx, std::string_view lowered_name);

}  // namespace gemm_tutor
