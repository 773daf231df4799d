#include "compile/host_headers.hpp"

#include "compile/embedded_texts.hpp"

namespace gemm_tutor {
namespace {

constexpr const char* integers_for_nvrtc = "#include <cuda/std/cstdint>\n";
constexpr const char* integer_limits_for_nvrtc = "#include <cuda/std/climits>\n";
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

// C++17, <cstdint> and <climits>, of the widths that clang says.
constexpr const char* integers_for_clang =
    "#pragma once\n"
    "typedef __INT8_TYPE__ int8_t;\ntypedef __UINT8_TYPE__ uint8_t;\n"
    "typedef __INT16_TYPE__ int16_t;\ntypedef __UINT16_TYPE__ uint16_t;\n"
    "typedef __INT32_TYPE__ int32_t;\ntypedef __UINT32_TYPE__ uint32_t;\n"
    "typedef __INT64_TYPE__ int64_t;\ntypedef __UINT64_TYPE__ uint64_t;\n"
    "typedef __INTPTR_TYPE__ intptr_t;\ntypedef __UINTPTR_TYPE__ uintptr_t;\n";
constexpr const char* integer_limits_for_clang =
    "#define CHAR_BIT __CHAR_BIT__\n"
    "#define INT_MAX __INT_MAX__\n#define INT_MIN (-__INT_MAX__ - 1)\n"
    "#define UINT_MAX (2U * __INT_MAX__ + 1U)\n"
    "#define LONG_MAX __LONG_MAX__\n#define LONG_MIN (-__LONG_MAX__ - 1L)\n"
    "#define LLONG_MAX __LONG_LONG_MAX__\n#define LLONG_MIN (-__LONG_LONG_MAX__ - 1LL)\n";

HostHeaders make_headers(const char* integers, const char* integer_limits) {
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

HostHeaders make_headers_for_clang() {
  HostHeaders headers = make_headers(integers_for_clang, integer_limits_for_clang);
  for (const char* name :
       {"cuda.h", "cuda_runtime.h", "cuda_runtime_api.h", "device_functions.h",
        "device_launch_parameters.h", "math_functions.h", "vector_functions.h", "vector_types.h"}) {
    headers.names.push_back(name);
    headers.texts.push_back(nothing);
  }
  for (const char* name : {"cuda_pipeline.h", "cuda_pipeline_primitives.h"}) {
    headers.names.push_back(name);
    headers.texts.push_back(cuda_pipeline_for_clang_cuh());
  }
  return headers;
}

}  // namespace

const HostHeaders& host_headers() {
  static const HostHeaders headers = make_headers(integers_for_nvrtc, integer_limits_for_nvrtc);
  return headers;
}

const HostHeaders& host_headers_for_clang() {
  static const HostHeaders headers = make_headers_for_clang();
  return headers;
}

}  // namespace gemm_tutor
