// The headers of the C and C++ libraries that kernel files often include, for their host code or
// out of habit. NVRTC has none of them, and clang is given none.
#pragma once

#include <vector>

namespace gemm_tutor {

struct HostHeaders {
  std::vector<const char*> names;  // "stdio.h"
  // One for each name: the device's own version where there is one, else nothing; NVRTC knows the
  // mathematical functions, printf and assert by itself.
  std::vector<const char*> texts;
};

const HostHeaders& host_headers();

// The same for clang, without NVIDIA's headers: with those that kernel files include for what clang
// is told in cuda_for_clang.cuh.
const HostHeaders& host_headers_for_clang();

// One of those names: what nvcc's own headers define before the first line of every file.
inline constexpr const char* types_of_every_file = "gemm_tutor/types_of_every_file.h";

}  // namespace gemm_tutor
