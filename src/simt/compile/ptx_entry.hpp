// The kernels in PTX text, and what mangled names say. readable_name() is in simt/compiler.hpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gemm_tutor::simt {

// Returns the parameters' types: "float const*", "int". Empty for a name that is not mangled.
std::vector<std::string> parameter_types(const std::string& mangled);

// Returns the mangled names of all kernels, in the order of the module.
std::vector<std::string> ptx_entry_names(std::string_view ptx);

}  // namespace gemm_tutor::simt
