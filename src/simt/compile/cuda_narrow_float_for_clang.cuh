// cuda_fp16.h and cuda_bf16.h for clang: a number of 16 bits and two of them in 32. Included with
//   gemm_tutor_number, gemm_tutor_pair   __half and __half2
//   gemm_tutor_type                      "f16", as PTX has it
//   gemm_tutor_from_float, gemm_tutor_to_float, …   the names of conversions
// defined. Every function is the PTX instruction that NVIDIA's header has in it.
#define gemm_tutor_inline __attribute__((device, always_inline, nodebug)) static inline
#define gemm_tutor_member __attribute__((device, always_inline, nodebug))

struct gemm_tutor_number;

gemm_tutor_inline unsigned short gemm_tutor_rounded(gemm_tutor_number*, float value) {
  unsigned short r;
  asm("cvt.rn." gemm_tutor_type ".f32 %0, %1;" : "=h"(r) : "f"(value));
  return r;
}
gemm_tutor_inline float gemm_tutor_widened(gemm_tutor_number*, unsigned short bits) {
  float r;
  asm("cvt.f32." gemm_tutor_type " %0, %1;" : "=f"(r) : "h"(bits));
  return r;
}

struct __align__(2) gemm_tutor_number {
  unsigned short bits;
  gemm_tutor_number() = default;
  template <typename T, typename = decltype((float)T())>
  gemm_tutor_member gemm_tutor_number(T value) : bits(gemm_tutor_rounded((gemm_tutor_number*)0, (float)value)) {}
  gemm_tutor_member operator float() const { return gemm_tutor_widened((gemm_tutor_number*)0, bits); }
};
struct __align__(4) gemm_tutor_pair {
  gemm_tutor_number x, y;
  gemm_tutor_pair() = default;
  gemm_tutor_member gemm_tutor_pair(gemm_tutor_number a, gemm_tutor_number b) : x(a), y(b) {}
};

gemm_tutor_inline gemm_tutor_number gemm_tutor_from_float(float value) { return gemm_tutor_number(value); }
gemm_tutor_inline gemm_tutor_number gemm_tutor_from_float_rn(float value) { return gemm_tutor_number(value); }
gemm_tutor_inline float gemm_tutor_to_float(gemm_tutor_number value) { return value; }
gemm_tutor_inline gemm_tutor_pair gemm_tutor_pair_of_one(float value) {
  return {gemm_tutor_number(value), gemm_tutor_number(value)};
}
gemm_tutor_inline gemm_tutor_pair gemm_tutor_pair_of_floats(float low, float high) {
  return {gemm_tutor_number(low), gemm_tutor_number(high)};
}
gemm_tutor_inline gemm_tutor_pair gemm_tutor_pair_of_float2(float2 value) {
  return gemm_tutor_pair_of_floats(value.x, value.y);
}
gemm_tutor_inline float2 gemm_tutor_pair_to_float2(gemm_tutor_pair value) {
  return {gemm_tutor_to_float(value.x), gemm_tutor_to_float(value.y)};
}
gemm_tutor_inline gemm_tutor_pair gemm_tutor_pair_of_numbers(gemm_tutor_number low, gemm_tutor_number high) {
  return {low, high};
}
gemm_tutor_inline gemm_tutor_pair gemm_tutor_pair_of_number(gemm_tutor_number value) { return {value, value}; }
gemm_tutor_inline gemm_tutor_number gemm_tutor_low(gemm_tutor_pair value) { return value.x; }
gemm_tutor_inline gemm_tutor_number gemm_tutor_high(gemm_tutor_pair value) { return value.y; }
gemm_tutor_inline gemm_tutor_pair __lowhigh2highlow(gemm_tutor_pair value) { return {value.y, value.x}; }
gemm_tutor_inline gemm_tutor_number gemm_tutor_from_int(int value) { return gemm_tutor_number((float)value); }
gemm_tutor_inline int gemm_tutor_to_int_rn(gemm_tutor_number value) { return __float2int_rn(value); }
gemm_tutor_inline int gemm_tutor_to_int_rz(gemm_tutor_number value) { return __float2int_rz(value); }
gemm_tutor_inline float __low2float(gemm_tutor_pair value) { return value.x; }
gemm_tutor_inline float __high2float(gemm_tutor_pair value) { return value.y; }
gemm_tutor_inline unsigned short gemm_tutor_to_bits(gemm_tutor_number value) { return value.bits; }
gemm_tutor_inline gemm_tutor_number gemm_tutor_from_bits(unsigned short bits) {
  gemm_tutor_number r;
  r.bits = bits;
  return r;
}

#define gemm_tutor_arithmetic(name, instruction) \
  gemm_tutor_inline gemm_tutor_number name(gemm_tutor_number a, gemm_tutor_number b) { \
    asm(instruction "." gemm_tutor_type " %0, %0, %1;" : "+h"(a.bits) : "h"(b.bits)); \
    return a; \
  } \
  gemm_tutor_inline gemm_tutor_pair name##2(gemm_tutor_pair a, gemm_tutor_pair b) { \
    unsigned r = __builtin_bit_cast(unsigned, a); \
    asm(instruction "." gemm_tutor_type "x2 %0, %0, %1;" : "+r"(r) : "r"(__builtin_bit_cast(unsigned, b))); \
    return __builtin_bit_cast(gemm_tutor_pair, r); \
  }
gemm_tutor_arithmetic(__hadd, "add")
gemm_tutor_arithmetic(__hsub, "sub")
gemm_tutor_arithmetic(__hmul, "mul")
gemm_tutor_arithmetic(__hmin, "min")
gemm_tutor_arithmetic(__hmax, "max")
#undef gemm_tutor_arithmetic
gemm_tutor_inline gemm_tutor_number __hfma(gemm_tutor_number a, gemm_tutor_number b, gemm_tutor_number c) {
  asm("fma.rn." gemm_tutor_type " %0, %0, %1, %2;" : "+h"(a.bits) : "h"(b.bits), "h"(c.bits));
  return a;
}
gemm_tutor_inline gemm_tutor_pair __hfma2(gemm_tutor_pair a, gemm_tutor_pair b, gemm_tutor_pair c) {
  unsigned r = __builtin_bit_cast(unsigned, a);
  asm("fma.rn." gemm_tutor_type "x2 %0, %0, %1, %2;"
      : "+r"(r) : "r"(__builtin_bit_cast(unsigned, b)), "r"(__builtin_bit_cast(unsigned, c)));
  return __builtin_bit_cast(gemm_tutor_pair, r);
}
gemm_tutor_inline gemm_tutor_number __hneg(gemm_tutor_number a) { return gemm_tutor_from_bits(a.bits ^ 0x8000); }
gemm_tutor_inline gemm_tutor_number __habs(gemm_tutor_number a) { return gemm_tutor_from_bits(a.bits & 0x7fff); }
gemm_tutor_inline gemm_tutor_pair __hneg2(gemm_tutor_pair a) { return {__hneg(a.x), __hneg(a.y)}; }
gemm_tutor_inline gemm_tutor_pair __habs2(gemm_tutor_pair a) { return {__habs(a.x), __habs(a.y)}; }

#define gemm_tutor_comparison(name, of_both, sign) \
  gemm_tutor_inline bool name(gemm_tutor_number a, gemm_tutor_number b) { return (float)a sign (float)b; } \
  gemm_tutor_inline gemm_tutor_pair name##2(gemm_tutor_pair a, gemm_tutor_pair b) { \
    return gemm_tutor_pair_of_floats(name(a.x, b.x), name(a.y, b.y)); \
  } \
  gemm_tutor_inline bool of_both(gemm_tutor_pair a, gemm_tutor_pair b) { return name(a.x, b.x) && name(a.y, b.y); } \
  gemm_tutor_inline bool operator sign(gemm_tutor_number a, gemm_tutor_number b) { return name(a, b); }
gemm_tutor_comparison(__heq, __hbeq2, ==)
gemm_tutor_comparison(__hlt, __hblt2, <)
gemm_tutor_comparison(__hle, __hble2, <=)
gemm_tutor_comparison(__hgt, __hbgt2, >)
gemm_tutor_comparison(__hge, __hbge2, >=)
gemm_tutor_comparison(__hne, __hbne2, !=)
#undef gemm_tutor_comparison

#define gemm_tutor_operator(sign, name) \
  gemm_tutor_inline gemm_tutor_number operator sign(gemm_tutor_number a, gemm_tutor_number b) { return name(a, b); } \
  gemm_tutor_inline gemm_tutor_pair operator sign(gemm_tutor_pair a, gemm_tutor_pair b) { return name##2(a, b); } \
  gemm_tutor_inline gemm_tutor_number& operator sign##=(gemm_tutor_number& a, gemm_tutor_number b) { return a = name(a, b); } \
  gemm_tutor_inline gemm_tutor_pair& operator sign##=(gemm_tutor_pair& a, gemm_tutor_pair b) { return a = name##2(a, b); }
gemm_tutor_operator(+, __hadd)
gemm_tutor_operator(-, __hsub)
gemm_tutor_operator(*, __hmul)
gemm_tutor_inline gemm_tutor_number __hdiv(gemm_tutor_number a, gemm_tutor_number b) { return (float)a / (float)b; }
gemm_tutor_inline gemm_tutor_pair __hdiv2(gemm_tutor_pair a, gemm_tutor_pair b) { return {__hdiv(a.x, b.x), __hdiv(a.y, b.y)}; }
gemm_tutor_inline gemm_tutor_pair __h2div(gemm_tutor_pair a, gemm_tutor_pair b) { return __hdiv2(a, b); }
gemm_tutor_operator(/, __hdiv)
#undef gemm_tutor_operator
gemm_tutor_inline gemm_tutor_number operator-(gemm_tutor_number a) { return __hneg(a); }
gemm_tutor_inline gemm_tutor_pair operator-(gemm_tutor_pair a) { return __hneg2(a); }
gemm_tutor_inline bool __hisnan(gemm_tutor_number a) { return isnan((float)a); }
gemm_tutor_inline int __hisinf(gemm_tutor_number a) { return isinf((float)a) ? (float)a > 0 ? 1 : -1 : 0; }

// Computed in FP32.
#define gemm_tutor_function(name, of_pair, expression) \
  gemm_tutor_inline gemm_tutor_number name(gemm_tutor_number value) { \
    const float a = value; \
    return gemm_tutor_number(expression); \
  } \
  gemm_tutor_inline gemm_tutor_pair of_pair(gemm_tutor_pair value) { return {name(value.x), name(value.y)}; }
gemm_tutor_function(hexp, h2exp, expf(a))
gemm_tutor_function(hexp2, h2exp2, exp2f(a))
gemm_tutor_function(hexp10, h2exp10, __exp10f(a))
gemm_tutor_function(hlog, h2log, logf(a))
gemm_tutor_function(hlog2, h2log2, log2f(a))
gemm_tutor_function(hlog10, h2log10, log10f(a))
gemm_tutor_function(hsqrt, h2sqrt, sqrtf(a))
gemm_tutor_function(hrsqrt, h2rsqrt, rsqrtf(a))
gemm_tutor_function(hrcp, h2rcp, 1.0f / a)
gemm_tutor_function(hsin, h2sin, __sinf(a))
gemm_tutor_function(hcos, h2cos, __cosf(a))
gemm_tutor_function(htanh, h2tanh, tanhf(a))
gemm_tutor_function(hfloor, h2floor, floorf(a))
gemm_tutor_function(hceil, h2ceil, ceilf(a))
gemm_tutor_function(htrunc, h2trunc, truncf(a))
gemm_tutor_function(hrint, h2rint, rintf(a))
#undef gemm_tutor_function

gemm_tutor_inline gemm_tutor_number atomicAdd(gemm_tutor_number* at, gemm_tutor_number value) {
  gemm_tutor_number r;
  asm volatile("atom.add.noftz." gemm_tutor_type " %0, [%1], %2;" : "=h"(r.bits) : "l"(at), "h"(value.bits) : "memory");
  return r;
}
gemm_tutor_inline gemm_tutor_pair atomicAdd(gemm_tutor_pair* at, gemm_tutor_pair value) {
  unsigned r;
  asm volatile("atom.add.noftz." gemm_tutor_type "x2 %0, [%1], %2;"
               : "=r"(r) : "l"(at), "r"(__builtin_bit_cast(unsigned, value)) : "memory");
  return __builtin_bit_cast(gemm_tutor_pair, r);
}

#define gemm_tutor_exchange(name) \
  gemm_tutor_inline gemm_tutor_pair name(unsigned lanes, gemm_tutor_pair value, int by, int width = 32) { \
    return __builtin_bit_cast(gemm_tutor_pair, name(lanes, __builtin_bit_cast(unsigned, value), by, width)); \
  }
gemm_tutor_exchange(__shfl_sync)
gemm_tutor_exchange(__shfl_up_sync)
gemm_tutor_exchange(__shfl_down_sync)
gemm_tutor_exchange(__shfl_xor_sync)
#undef gemm_tutor_exchange

#undef gemm_tutor_inline
#undef gemm_tutor_member
#undef gemm_tutor_number
#undef gemm_tutor_pair
#undef gemm_tutor_type
#undef gemm_tutor_from_float
#undef gemm_tutor_from_float_rn
#undef gemm_tutor_to_float
#undef gemm_tutor_pair_of_one
#undef gemm_tutor_pair_of_floats
#undef gemm_tutor_pair_of_float2
#undef gemm_tutor_pair_to_float2
#undef gemm_tutor_pair_of_numbers
#undef gemm_tutor_pair_of_number
#undef gemm_tutor_to_bits
#undef gemm_tutor_from_bits
#undef gemm_tutor_low
#undef gemm_tutor_high
#undef gemm_tutor_from_int
#undef gemm_tutor_to_int_rn
#undef gemm_tutor_to_int_rz
