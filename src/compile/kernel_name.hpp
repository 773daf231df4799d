// What a kernel's mangled name says of it.
#pragma once

#include <string>
#include <vector>

namespace gemm_tutor {

// "v2<32>" of "void v2<32>(float const*, int)", as the file's own code would write it; the same
// name for one that is not mangled, that of extern "C".
std::string readable_name(const std::string& mangled);

// "float const*", "int": of its parameters. Empty for a name that is not mangled.
std::vector<std::string> parameter_types(const std::string& mangled);

}  // namespace gemm_tutor
