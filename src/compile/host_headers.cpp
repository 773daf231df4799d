#include "compile/host_headers.hpp"

namespace gemm_tutor {
namespace {

constexpr const char* integers = "#include <cuda/std/cstdint>\n";
constexpr const char* integer_limits = "#include <cuda/std/climits>\n";
// C++17, <cfloat>, for the IEEE 754 single format; libcu++'s own says nothing to NVRTC.
constexpr const char* float_limits =
    "#define FLT_MAX 3.402823466e+38f\n"
    "#define FLT_MIN 1.175494351e-38f\n"
    "#define FLT_EPSILON 1.192092896e-07f\n";
// As glibc's <sys/types.h> has them.
constexpr const char* unsigned_types =
    "typedef unsigned short ushort;\n"
    "typedef unsigned int uint;\n"
    "typedef unsigned long ulong;\n";
constexpr const char* nothing = "";

HostHeaders make_headers() {
  HostHeaders headers;
  const auto add = [&](const char* name, const char* text) {
    headers.names.push_back(name);
    headers.texts.push_back(text);
  };
  for (const char* name : {"stdint.h", "cstdint", "sys/types.h"}) add(name, integers);
  add(types_of_every_file, unsigned_types);
  for (const char* name : {"limits.h", "climits"}) add(name, integer_limits);
  for (const char* name : {"float.h", "cfloat"}) add(name, float_limits);
  for (const char* name :
       {"assert.h",    "errno.h",   "math.h",     "stdarg.h",    "stdbool.h",     "stddef.h",
        "stdio.h",     "stdlib.h",  "string.h",   "time.h",      "sys/time.h",    "cublas_v2.h",
        "unistd.h",    "cassert",   "cerrno",     "cmath",       "cstdarg",       "cstddef",
        "cstdio",      "cstdlib",   "cstring",    "ctime",       "algorithm",     "array",
        "chrono",      "exception", "filesystem", "fstream",     "functional",    "iomanip",
        "iostream",    "iterator",  "limits",     "map",         "memory",        "numeric",
        "optional",    "random",    "set",        "sstream",     "stdexcept",     "string",
        "string_view", "thread",    "tuple",      "type_traits", "unordered_map", "utility",
        "vector"}) {
    add(name, nothing);
  }
  return headers;
}

}  // namespace

const HostHeaders& host_headers() {
  static const HostHeaders headers = make_headers();
  return headers;
}

}  // namespace gemm_tutor
