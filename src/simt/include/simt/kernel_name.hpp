// Demangles kernels' names.
#pragma once

#include <string>
#include <vector>

namespace gemm_tutor {

// Returns the name as code of the same file would write it: "v2<32>" for
// "void v2<32>(float const*, int)". A name that is not mangled (extern "C") stays the same.
std::string readable_name(const std::string& mangled);

// Returns the parameters' types: "float const*", "int". Empty for a name that is not mangled.
std::vector<std::string> parameter_types(const std::string& mangled);

}  // namespace gemm_tutor
