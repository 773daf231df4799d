// Headers of libraries that kernel files often include.
#pragma once

#include <span>
#include <string_view>

namespace gemm_tutor::source {

// Headers that only host code needs, or whose device functions the compilers know without them:
// "vector", "cublas_v2.h". A '*' at the end or at the beginning means any text: "torch/*".
std::span<const std::string_view> host_only_headers();

// True if it is one of them. The empty text is a header that has all that device code needs.
bool is_host_only_header(std::string_view header);

// Returns the name of the library that the header is of, "CUTLASS", whose device code is not
// supported; empty for others.
std::string_view unsupported_library(std::string_view header);

}  // namespace gemm_tutor::source
