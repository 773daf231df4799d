// Replacements for the headers of the C and C++ libraries that kernel files often include. NVRTC
// has no such headers, and clang does not get the system's.
#pragma once

#include <string_view>
#include <vector>

namespace gemm_tutor::simt {

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

// Some of those names: the types and names that nvcc defines before the first line of every file,
// in this order. The last needs CUDA's own names.
inline constexpr const char* types_of_every_file = "simt/types_of_every_file.h";
inline constexpr const char* integers_of_every_file = "simt/integers_of_every_file.h";
inline constexpr const char* names_of_every_file = "simt/names_of_every_file.h";

inline constexpr const char* header_of_nothing = "simt/nothing.h";  // an empty header

// True if the header, which only host code needs, has a text here nevertheless.
bool has_own_text(std::string_view header);

}  // namespace gemm_tutor::simt
