#include "compile/host_headers.hpp"

#include "compile/embedded_texts.hpp"

namespace gemm_tutor {
namespace {

constexpr const char* integers_for_nvrtc = "#include <cuda/std/cstdint>\n";
constexpr const char* integer_limits_for_nvrtc = "#include <cuda/std/climits>\n";
// C++17, <cfloat>, for the IEEE 754 single format. libcu++'s header is empty for NVRTC.
constexpr const char* float_limits =
    "#define FLT_MAX 3.402823466e+38f\n"
    "#define FLT_MIN 1.175494351e-38f\n"
    "#define FLT_EPSILON 1.192092896e-07f\n";
// nvcc includes <sys/types.h> and <math.h> of the host in every file.
constexpr const char* text_of_every_file =
    "typedef unsigned short ushort;\n"
    "typedef unsigned int uint;\n"
    "typedef unsigned long ulong;\n"
    "#define INFINITY __builtin_bit_cast(float, 0x7f800000)\n"
    "#define NAN __builtin_bit_cast(float, 0x7fffffff)\n";
constexpr const char* nothing = "";
// CUDA's functions with their names in C++.
constexpr const char* mathematics_in_std =
    "#pragma once\nnamespace std {\n"
    "using ::abs; using ::fabs; using ::sqrt; using ::cbrt; using ::hypot; using ::pow;\n"
    "using ::exp; using ::exp2; using ::expm1; using ::log; using ::log2; using ::log10;\n"
    "using ::log1p; using ::sin; using ::cos; using ::tan; using ::asin; using ::acos;\n"
    "using ::atan; using ::atan2; using ::sinh; using ::cosh; using ::tanh; using ::erf;\n"
    "using ::erfc; using ::floor; using ::ceil; using ::trunc; using ::round; using ::rint;\n"
    "using ::fmin; using ::fmax; using ::fma; using ::fmod; using ::isnan; using ::isinf;\n"
    "using ::isfinite; using ::signbit;\n}\n";
constexpr const char* least_and_most_in_std =
    "#pragma once\nnamespace std {\nusing ::min; using ::max;\n}\n";

// C++17, <cstdint> and <climits>, with the widths of clang's predefined macros.
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

// The names in cuda_narrow_float_for_clang.cuh for each of CUDA's headers.
constexpr const char* half_for_clang =
    "#pragma once\n"
    "#define gemm_tutor_number __half\n#define gemm_tutor_pair __half2\n"
    "#define gemm_tutor_type \"f16\"\n"
    "#define gemm_tutor_from_float __float2half\n"
    "#define gemm_tutor_from_float_rn __float2half_rn\n"
    "#define gemm_tutor_to_float __half2float\n"
    "#define gemm_tutor_pair_of_one __float2half2_rn\n"
    "#define gemm_tutor_pair_of_floats __floats2half2_rn\n"
    "#define gemm_tutor_pair_of_float2 __float22half2_rn\n"
    "#define gemm_tutor_pair_to_float2 __half22float2\n"
    "#define gemm_tutor_pair_of_numbers __halves2half2\n"
    "#define gemm_tutor_pair_of_number __half2half2\n"
    "#define gemm_tutor_low __low2half\n#define gemm_tutor_high __high2half\n"
    "#define gemm_tutor_from_int __int2half_rn\n"
    "#define gemm_tutor_to_int_rn __half2int_rn\n#define gemm_tutor_to_int_rz __half2int_rz\n"
    "#define gemm_tutor_to_bits __half_as_ushort\n"
    "#define gemm_tutor_from_bits __ushort_as_half\n"
    "#include \"cuda_narrow_float_for_clang.cuh\"\n"
    "typedef __half half;\ntypedef __half2 half2;\n";
constexpr const char* bfloat_for_clang =
    "#pragma once\n"
    "#define gemm_tutor_number __nv_bfloat16\n#define gemm_tutor_pair __nv_bfloat162\n"
    "#define gemm_tutor_type \"bf16\"\n"
    "#define gemm_tutor_from_float __float2bfloat16\n"
    "#define gemm_tutor_from_float_rn __float2bfloat16_rn\n"
    "#define gemm_tutor_to_float __bfloat162float\n"
    "#define gemm_tutor_pair_of_one __float2bfloat162_rn\n"
    "#define gemm_tutor_pair_of_floats __floats2bfloat162_rn\n"
    "#define gemm_tutor_pair_of_float2 __float22bfloat162_rn\n"
    "#define gemm_tutor_pair_to_float2 __bfloat1622float2\n"
    "#define gemm_tutor_pair_of_numbers __halves2bfloat162\n"
    "#define gemm_tutor_pair_of_number __bfloat162bfloat162\n"
    "#define gemm_tutor_low __low2bfloat16\n#define gemm_tutor_high __high2bfloat16\n"
    "#define gemm_tutor_from_int __int2bfloat16_rn\n"
    "#define gemm_tutor_to_int_rn __bfloat162int_rn\n"
    "#define gemm_tutor_to_int_rz __bfloat162int_rz\n"
    "#define gemm_tutor_to_bits __bfloat16_as_ushort\n"
    "#define gemm_tutor_from_bits __ushort_as_bfloat16\n"
    "#include \"cuda_narrow_float_for_clang.cuh\"\n"
    "typedef __nv_bfloat16 nv_bfloat16;\ntypedef __nv_bfloat162 nv_bfloat162;\n";
HostHeaders make_headers(const char* integers, const char* integer_limits) {
  HostHeaders headers;
  const auto add = [&](const char* name, const char* text) {
    headers.names.push_back(name);
    headers.texts.push_back(text);
  };
  for (const char* name : {"stdint.h", "cstdint", "sys/types.h"}) add(name, integers);
  add(types_of_every_file, text_of_every_file);
  for (const char* name : {"limits.h", "climits"}) add(name, integer_limits);
  for (const char* name : {"float.h", "cfloat"}) add(name, float_limits);
  for (const char* name :
       {"assert.h",   "errno.h",     "math.h",        "stdarg.h", "stdbool.h",   "stddef.h",
        "stdio.h",    "stdlib.h",    "string.h",      "time.h",   "sys/time.h",  "cublas_v2.h",
        "unistd.h",   "cassert",     "cerrno",        "cstdarg",  "cstddef",     "array",
        "cstdio",     "cstdlib",     "cstring",       "ctime",    "chrono",      "exception",
        "filesystem", "fstream",     "functional",    "iomanip",  "iostream",    "iterator",
        "limits",     "map",         "memory",        "numeric",  "optional",    "random",
        "set",        "sstream",     "stdexcept",     "string",   "string_view", "thread",
        "tuple",      "type_traits", "unordered_map", "utility",  "vector"}) {
    add(name, nothing);
  }
  add("cmath", mathematics_in_std);
  add("algorithm", least_and_most_in_std);
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
  const std::pair<const char*, const char*> texts[] = {
      {"cuda_arithmetic_for_clang.cuh", cuda_arithmetic_for_clang_cuh()},
      {"cuda_mathematics_for_clang.cuh", cuda_mathematics_for_clang_cuh()},
      {"cuda_narrow_float_for_clang.cuh", cuda_narrow_float_for_clang_cuh()},
      {"cuda_fp16.h", half_for_clang},
      {"cuda_bf16.h", bfloat_for_clang},
      {"cuda_pipeline.h", cuda_pipeline_for_clang_cuh()},
      {"cooperative_groups.h", cuda_groups_for_clang_cuh()},
      {"cooperative_groups/memcpy_async.h", "#include \"cooperative_groups.h\"\n"},
      {"cooperative_groups/reduce.h", "#include \"cooperative_groups.h\"\n"},
      {"cooperative_groups/scan.h", "#include \"cooperative_groups.h\"\n"},
      {"cuda_library_for_clang.cuh", cuda_library_for_clang_cuh()},
      {"cuda/atomic", "#include \"cuda_library_for_clang.cuh\"\n"},
      {"cuda/barrier", "#include \"cuda_library_for_clang.cuh\"\n"},
      {"cuda/pipeline", "#include \"cuda_library_for_clang.cuh\"\n"},
      {"cuda_pipeline_primitives.h", "#include \"cuda_pipeline.h\"\n"}};
  for (const auto& [name, text] : texts) {
    headers.names.push_back(name);
    headers.texts.push_back(text);
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
