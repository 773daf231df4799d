// What the PTX of a kernel says of how it must be launched.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gemm_tutor {

struct PtxEntry {
  // "u64", "f32" of each parameter; empty for one that is passed as bytes, a struct.
  std::vector<std::string> parameter_types;
  std::vector<int> parameter_bytes;  // likewise
  std::int64_t most_threads = 0;     // of a block, by __launch_bounds__; 0: it says nothing
  std::int64_t exact_threads = 0;    // likewise, by a block size that the kernel requires
  bool uses_dynamic_shared = false;  // reads or writes extern __shared__ memory
  int static_shared_bytes = 0;       // of its other __shared__ variables
};

// The mangled names of all kernels, in the order of the module.
std::vector<std::string> ptx_entry_names(std::string_view ptx);

PtxEntry ptx_entry(std::string_view ptx, std::string_view lowered_name);

}  // namespace gemm_tutor
