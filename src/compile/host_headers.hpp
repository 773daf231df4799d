// Replacements for the headers of the C and C++ libraries that kernel files often include. NVRTC
// has no such headers, and clang does not get the system's.
#pragma once

#include <vector>

namespace gemm_tutor {

struct HostHeaders {
  std::vector<const char*> names;  // "stdio.h"
  // One text per name: the device's version of the header if there is one, otherwise empty. NVRTC
  // has mathematical functions, printf and assert built in.
  std::vector<const char*> texts;
};

const HostHeaders& host_headers();

// The same for clang, without NVIDIA's headers. Includes the headers of which cuda_for_clang.cuh
// has the contents.
const HostHeaders& host_headers_for_clang();

// One of those names: the types that nvcc defines before the first line of every file.
inline constexpr const char* types_of_every_file = "gemm_tutor/types_of_every_file.h";

}  // namespace gemm_tutor
