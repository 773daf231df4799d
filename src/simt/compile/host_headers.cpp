#include "simt/compile/host_headers.hpp"

#include "simt/compile/embedded_texts.hpp"

namespace gemm_tutor::simt {
namespace {

constexpr const char* integers_for_nvrtc = "#include <cuda/std/cstdint>\n";
constexpr const char* integer_limits_for_nvrtc = "#include <cuda/std/climits>\n";
// C++17, <cfloat>, for the IEEE 754 single format. libcu++'s header is empty for NVRTC.
constexpr const char* float_limits =
    "#define FLT_MAX 3.402823466e+38f\n"
    "#define FLT_MIN 1.175494351e-38f\n"
    "#define DBL_MAX 1.7976931348623157e+308\n"
    "#define DBL_MIN 2.2250738585072014e-308\n"
    "#define DBL_EPSILON 2.2204460492503131e-16\n"
    "#define FLT_EPSILON 1.192092896e-07f\n";
// nvcc includes <sys/types.h>, <limits.h> and <math.h> of the host in every file. With the headers
// that most files include, there are also the types of <stdint.h>.
constexpr const char* text_of_every_file =
    "typedef unsigned short ushort;\n"
    "typedef unsigned int uint;\n"
    "typedef unsigned long ulong;\n"
    "typedef unsigned char u_int8_t;\ntypedef unsigned short u_int16_t;\n"
    "typedef unsigned int u_int32_t;\ntypedef unsigned int u_int;\ntypedef unsigned char u_char;\n"
    "typedef signed char __int8_t;\ntypedef unsigned char __uint8_t;\n"
    "typedef short __int16_t;\ntypedef unsigned short __uint16_t;\n"
    "typedef int __int32_t;\ntypedef unsigned int __uint32_t;\n"
    "typedef long __int64_t;\ntypedef unsigned long __uint64_t;\n"
    "#define INFINITY __builtin_bit_cast(float, 0x7f800000)\n"
    "#define NAN __builtin_bit_cast(float, 0x7fffffff)\n"
    "#define HUGE_VALF INFINITY\n"
    "#define M_E 2.7182818284590452354\n#define M_LOG2E 1.4426950408889634074\n"
    "#define M_LOG10E 0.43429448190325182765\n#define M_LN2 0.69314718055994530942\n"
    "#define M_LN10 2.30258509299404568402\n#define M_PI 3.14159265358979323846\n"
    "#define M_PI_2 1.57079632679489661923\n#define M_PI_4 0.78539816339744830962\n"
    "#define M_1_PI 0.31830988618379067154\n#define M_2_PI 0.63661977236758134308\n"
    "#define M_2_SQRTPI 1.12837916709551257390\n#define M_SQRT2 1.41421356237309504880\n"
    "#define M_SQRT1_2 0.70710678118654752440\n"
    "#define EXIT_SUCCESS 0\n#define EXIT_FAILURE 1\n#define RAND_MAX 2147483647\n";
// The same types and texts as in libcu++'s <cuda/std/cstdint> and <cuda/std/climits>, which a file
// may include, too.
constexpr const char* integers_of_every_file_for_nvrtc =
    "typedef signed char int8_t;\ntypedef unsigned char uint8_t;\n"
    "typedef signed short int16_t;\ntypedef unsigned short uint16_t;\n"
    "typedef signed int int32_t;\ntypedef unsigned int uint32_t;\n"
    "typedef signed long long int64_t;\ntypedef unsigned long long uint64_t;\n"
    "typedef int64_t intptr_t;\ntypedef uint64_t uintptr_t;\n"
    "#define CHAR_BIT 8\n#define UCHAR_MAX         255\n#define SHRT_MAX  0x7fff\n"
    "#define INT_MIN   (-INT_MAX - 1)\n#define INT_MAX   0x7fffffff\n"
    "#define UINT_MAX  0xffffffff\n"
    "#define LONG_MIN  (-LONG_MAX - 1)\n#define LONG_MAX  LLONG_MAX\n"
    "#define LLONG_MIN  (-LLONG_MAX - 1)\n#define LLONG_MAX  0x7fffffffffffffffLL\n"
    "#define ULLONG_MAX 0xffffffffffffffffUL\n";
constexpr const char* nothing = "";
// CUDA's functions with their names in C++, and what kernels use most of the C++ library.
constexpr const char* names_of_every_file_text =
    "namespace std {\n"
    "using ::abs; using ::fabs; using ::sqrt; using ::cbrt; using ::hypot; using ::pow;\n"
    "using ::exp; using ::exp2; using ::expm1; using ::log; using ::log2; using ::log10;\n"
    "using ::log1p; using ::sin; using ::cos; using ::tan; using ::asin; using ::acos;\n"
    "using ::atan; using ::atan2; using ::sinh; using ::cosh; using ::tanh; using ::erf;\n"
    "using ::erfc; using ::floor; using ::ceil; using ::trunc; using ::round; using ::rint;\n"
    "using ::fmin; using ::fmax; using ::fma; using ::fmod; using ::isnan; using ::isinf;\n"
    "using ::isfinite; using ::signbit; using ::min; using ::max;\n"
    "typedef decltype(sizeof(0)) size_t; typedef decltype((char*)0 - (char*)0) ptrdiff_t;\n"
    "using ::int8_t; using ::int16_t; using ::int32_t; using ::int64_t;\n"
    "using ::uint8_t; using ::uint16_t; using ::uint32_t; using ::uint64_t;\n"
    "using ::intptr_t; using ::uintptr_t;\n"
    "template <class T> __device__ void swap(T& a, T& b) { T c = a; a = b; b = c; }\n"
    "template <class T, T v> struct integral_constant { static constexpr T value = v; };\n"
    "typedef integral_constant<bool, true> true_type;\n"
    "typedef integral_constant<bool, false> false_type;\n"
    "template <class T, class U> struct is_same : false_type {};\n"
    "template <class T> struct is_same<T, T> : true_type {};\n"
    "template <class T, class U> inline constexpr bool is_same_v = is_same<T, U>::value;\n"
    "template <bool, class T = void> struct enable_if {};\n"
    "template <class T> struct enable_if<true, T> { typedef T type; };\n"
    "template <bool b, class T = void> using enable_if_t = typename enable_if<b, T>::type;\n"
    "template <bool, class T, class U> struct conditional { typedef T type; };\n"
    "template <class T, class U> struct conditional<false, T, U> { typedef U type; };\n"
    "template <bool b, class T, class U>\n"
    "using conditional_t = typename conditional<b, T, U>::type;\n"
    "template <class T> struct remove_reference { typedef T type; };\n"
    "template <class T> struct remove_reference<T&> { typedef T type; };\n"
    "template <class T> using remove_reference_t = typename remove_reference<T>::type;\n"
    "template <class T> struct remove_const { typedef T type; };\n"
    "template <class T> struct remove_const<const T> { typedef T type; };\n"
    "template <class T> using remove_const_t = typename remove_const<T>::type;\n"
    "#if __cplusplus >= 202002L\n"
    "template <class T, class U> concept same_as = is_same_v<T, U>;\n"
    "template <class T> concept floating_point = same_as<T, float> || same_as<T, double>;\n"
    "template <class T> concept integral = !floating_point<T> && requires(T a) { a % a; };\n"
    "#endif\n"
    "template <class T> struct numeric_limits;\n"
    "template <> struct numeric_limits<float> {\n"
    "  static constexpr __device__ float max() { return 3.402823466e+38f; }\n"
    "  static constexpr __device__ float min() { return 1.175494351e-38f; }\n"
    "  static constexpr __device__ float lowest() { return -3.402823466e+38f; }\n"
    "  static constexpr __device__ float epsilon() { return 1.192092896e-07f; }\n"
    "  static constexpr __device__ float infinity() { return INFINITY; }\n"
    "};\n"
    "template <> struct numeric_limits<double> {\n"
    "  static constexpr __device__ double max() { return 1.7976931348623157e+308; }\n"
    "  static constexpr __device__ double min() { return 2.2250738585072014e-308; }\n"
    "  static constexpr __device__ double lowest() { return -1.7976931348623157e+308; }\n"
    "};\n"
    "template <> struct numeric_limits<int> {\n"
    "  static constexpr __device__ int max() { return 2147483647; }\n"
    "  static constexpr __device__ int min() { return -2147483647 - 1; }\n"
    "  static constexpr __device__ int lowest() { return min(); }\n"
    "};\n"
    "}\n";

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
    "#define simt_number __half\n#define simt_pair __half2\n"
    "#define simt_type \"f16\"\n"
    "#define simt_from_float __float2half\n"
    "#define simt_from_float_rn __float2half_rn\n"
    "#define simt_to_float __half2float\n"
    "#define simt_pair_of_one __float2half2_rn\n"
    "#define simt_pair_of_floats __floats2half2_rn\n"
    "#define simt_pair_of_float2 __float22half2_rn\n"
    "#define simt_pair_to_float2 __half22float2\n"
    "#define simt_pair_of_numbers __halves2half2\n"
    "#define simt_pair_of_number __half2half2\n"
    "#define simt_low __low2half\n#define simt_high __high2half\n"
    "#define simt_from_int __int2half_rn\n"
    "#define simt_to_int_rn __half2int_rn\n#define simt_to_int_rz __half2int_rz\n"
    "#define simt_to_bits __half_as_ushort\n"
    "#define simt_from_bits __ushort_as_half\n"
    "#include \"cuda_narrow_float_for_clang.cuh\"\n"
    "typedef __half half;\ntypedef __half2 half2;\n";
constexpr const char* bfloat_for_clang =
    "#pragma once\n"
    "#define simt_number __nv_bfloat16\n#define simt_pair __nv_bfloat162\n"
    "#define simt_type \"bf16\"\n"
    "#define simt_from_float __float2bfloat16\n"
    "#define simt_from_float_rn __float2bfloat16_rn\n"
    "#define simt_to_float __bfloat162float\n"
    "#define simt_pair_of_one __float2bfloat162_rn\n"
    "#define simt_pair_of_floats __floats2bfloat162_rn\n"
    "#define simt_pair_of_float2 __float22bfloat162_rn\n"
    "#define simt_pair_to_float2 __bfloat1622float2\n"
    "#define simt_pair_of_numbers __halves2bfloat162\n"
    "#define simt_pair_of_number __bfloat162bfloat162\n"
    "#define simt_low __low2bfloat16\n#define simt_high __high2bfloat16\n"
    "#define simt_from_int __int2bfloat16_rn\n"
    "#define simt_to_int_rn __bfloat162int_rn\n"
    "#define simt_to_int_rz __bfloat162int_rz\n"
    "#define simt_to_bits __bfloat16_as_ushort\n"
    "#define simt_from_bits __ushort_as_bfloat16\n"
    "#include \"cuda_narrow_float_for_clang.cuh\"\n"
    "typedef __nv_bfloat16 nv_bfloat16;\ntypedef __nv_bfloat162 nv_bfloat162;\n";

HostHeaders make_headers(const char* integers, const char* integer_limits) {
  HostHeaders headers;
  const auto add = [&](const char* name, const char* text) {
    headers.names.push_back(name);
    headers.texts.push_back(text);
  };
  for (const char* name : {"stdint.h", "cstdint", "sys/types.h", "inttypes.h", "cinttypes"}) {
    add(name, integers);
  }
  add(types_of_every_file, text_of_every_file);
  add(names_of_every_file, names_of_every_file_text);
  add(header_of_nothing, nothing);
  for (const char* name : {"limits.h", "climits"}) add(name, integer_limits);
  for (const char* name : {"float.h", "cfloat"}) add(name, float_limits);
  // The toolkit's headers include some of these.
  for (const char* name :
       {"assert.h",   "errno.h",     "math.h",        "stdarg.h", "stdbool.h",   "stddef.h",
        "stdio.h",    "stdlib.h",    "string.h",      "time.h",   "sys/time.h",  "cublas_v2.h",
        "unistd.h",   "cassert",     "cerrno",        "cstdarg",  "cstddef",     "array",
        "cstdio",     "cstdlib",     "cstring",       "ctime",    "chrono",      "exception",
        "filesystem", "fstream",     "functional",    "iomanip",  "iostream",    "iterator",
        "limits",     "map",         "memory",        "numeric",  "optional",    "random",
        "set",        "sstream",     "stdexcept",     "string",   "string_view", "thread",
        "tuple",      "type_traits", "unordered_map", "utility",  "vector",      "cmath",
        "algorithm"}) {
    add(name, nothing);
  }
  return headers;
}

HostHeaders make_headers_for_clang() {
  HostHeaders headers = make_headers(integers_for_clang, integer_limits_for_clang);
  headers.names.push_back(integers_of_every_file);
  headers.texts.push_back("#include <stdint.h>\n#include <limits.h>\n");
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
      {"cuda/barrier", cuda_barrier_for_clang_cuh()},
      {"cuda_pipeline_primitives.h", "#include \"cuda_pipeline.h\"\n"}};
  for (const auto& [name, text] : texts) {
    headers.names.push_back(name);
    headers.texts.push_back(text);
  }
  return headers;
}

}  // namespace

const HostHeaders& host_headers() {
  static const HostHeaders headers = [] {
    HostHeaders made = make_headers(integers_for_nvrtc, integer_limits_for_nvrtc);
    made.names.push_back(integers_of_every_file);
    made.texts.push_back(integers_of_every_file_for_nvrtc);
    return made;
  }();
  return headers;
}

const HostHeaders& host_headers_for_clang() {
  static const HostHeaders headers = make_headers_for_clang();
  return headers;
}

bool has_own_text(std::string_view header) {
  const HostHeaders& headers = host_headers_for_clang();
  for (std::size_t i = 0; i < headers.names.size(); ++i) {
    if (headers.names[i] == header) return *headers.texts[i] != '\0';
  }
  return false;
}

}  // namespace gemm_tutor::simt
