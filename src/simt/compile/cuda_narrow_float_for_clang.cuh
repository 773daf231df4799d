// cuda_fp16.h and cuda_bf16.h for clang: a number of 16 bits and two of them in 32. Included with
//   simt_number, simt_pair   __half and __half2
//   simt_type                      "f16", as PTX has it
//   simt_from_float, simt_to_float, …   the names of conversions
// defined. Every function is the PTX instruction that NVIDIA's header has in it.
#define simt_inline __attribute__((device, always_inline, nodebug)) static inline
#define simt_member __attribute__((device, always_inline, nodebug))

struct simt_number;

simt_inline unsigned short simt_rounded(simt_number*, float value) {
  unsigned short r;
  asm("cvt.rn." simt_type ".f32 %0, %1;" : "=h"(r) : "f"(value));
  return r;
}
simt_inline float simt_widened(simt_number*, unsigned short bits) {
  float r;
  asm("cvt.f32." simt_type " %0, %1;" : "=f"(r) : "h"(bits));
  return r;
}

struct __align__(2) simt_number {
  unsigned short bits;
  simt_number() = default;
  template <typename T, typename = decltype((float)T())>
  simt_member simt_number(T value) : bits(simt_rounded((simt_number*)0, (float)value)) {}
  simt_member operator float() const { return simt_widened((simt_number*)0, bits); }
};
struct __align__(4) simt_pair {
  simt_number x, y;
  simt_pair() = default;
  simt_member simt_pair(simt_number a, simt_number b) : x(a), y(b) {}
};

simt_inline simt_number simt_from_float(float value) { return simt_number(value); }
simt_inline simt_number simt_from_float_rn(float value) { return simt_number(value); }
simt_inline float simt_to_float(simt_number value) { return value; }
simt_inline simt_pair simt_pair_of_one(float value) {
  return {simt_number(value), simt_number(value)};
}
simt_inline simt_pair simt_pair_of_floats(float low, float high) {
  return {simt_number(low), simt_number(high)};
}
simt_inline simt_pair simt_pair_of_float2(float2 value) {
  return simt_pair_of_floats(value.x, value.y);
}
simt_inline float2 simt_pair_to_float2(simt_pair value) {
  return {simt_to_float(value.x), simt_to_float(value.y)};
}
simt_inline simt_pair simt_pair_of_numbers(simt_number low, simt_number high) {
  return {low, high};
}
simt_inline simt_pair simt_pair_of_number(simt_number value) { return {value, value}; }
simt_inline simt_number simt_low(simt_pair value) { return value.x; }
simt_inline simt_number simt_high(simt_pair value) { return value.y; }
simt_inline simt_pair __lowhigh2highlow(simt_pair value) { return {value.y, value.x}; }
simt_inline simt_number simt_from_int(int value) { return simt_number((float)value); }
simt_inline int simt_to_int_rn(simt_number value) { return __float2int_rn(value); }
simt_inline int simt_to_int_rz(simt_number value) { return __float2int_rz(value); }
simt_inline float __low2float(simt_pair value) { return value.x; }
simt_inline float __high2float(simt_pair value) { return value.y; }
simt_inline unsigned short simt_to_bits(simt_number value) { return value.bits; }
simt_inline simt_number simt_from_bits(unsigned short bits) {
  simt_number r;
  r.bits = bits;
  return r;
}

#define simt_arithmetic(name, instruction) \
  simt_inline simt_number name(simt_number a, simt_number b) { \
    asm(instruction "." simt_type " %0, %0, %1;" : "+h"(a.bits) : "h"(b.bits)); \
    return a; \
  } \
  simt_inline simt_pair name##2(simt_pair a, simt_pair b) { \
    unsigned r = __builtin_bit_cast(unsigned, a); \
    asm(instruction "." simt_type "x2 %0, %0, %1;" : "+r"(r) : "r"(__builtin_bit_cast(unsigned, b))); \
    return __builtin_bit_cast(simt_pair, r); \
  }
simt_arithmetic(__hadd, "add")
simt_arithmetic(__hsub, "sub")
simt_arithmetic(__hmul, "mul")
simt_arithmetic(__hmin, "min")
simt_arithmetic(__hmax, "max")
#undef simt_arithmetic
simt_inline simt_number __hfma(simt_number a, simt_number b, simt_number c) {
  asm("fma.rn." simt_type " %0, %0, %1, %2;" : "+h"(a.bits) : "h"(b.bits), "h"(c.bits));
  return a;
}
simt_inline simt_pair __hfma2(simt_pair a, simt_pair b, simt_pair c) {
  unsigned r = __builtin_bit_cast(unsigned, a);
  asm("fma.rn." simt_type "x2 %0, %0, %1, %2;"
      : "+r"(r) : "r"(__builtin_bit_cast(unsigned, b)), "r"(__builtin_bit_cast(unsigned, c)));
  return __builtin_bit_cast(simt_pair, r);
}
simt_inline simt_number __hneg(simt_number a) { return simt_from_bits(a.bits ^ 0x8000); }
simt_inline simt_number __habs(simt_number a) { return simt_from_bits(a.bits & 0x7fff); }
simt_inline simt_pair __hneg2(simt_pair a) { return {__hneg(a.x), __hneg(a.y)}; }
simt_inline simt_pair __habs2(simt_pair a) { return {__habs(a.x), __habs(a.y)}; }

#define simt_comparison(name, of_both, sign) \
  simt_inline bool name(simt_number a, simt_number b) { return (float)a sign (float)b; } \
  simt_inline simt_pair name##2(simt_pair a, simt_pair b) { \
    return simt_pair_of_floats(name(a.x, b.x), name(a.y, b.y)); \
  } \
  simt_inline bool of_both(simt_pair a, simt_pair b) { return name(a.x, b.x) && name(a.y, b.y); } \
  simt_inline bool operator sign(simt_number a, simt_number b) { return name(a, b); }
simt_comparison(__heq, __hbeq2, ==)
simt_comparison(__hlt, __hblt2, <)
simt_comparison(__hle, __hble2, <=)
simt_comparison(__hgt, __hbgt2, >)
simt_comparison(__hge, __hbge2, >=)
simt_comparison(__hne, __hbne2, !=)
#undef simt_comparison

#define simt_operator(sign, name) \
  simt_inline simt_number operator sign(simt_number a, simt_number b) { return name(a, b); } \
  simt_inline simt_pair operator sign(simt_pair a, simt_pair b) { return name##2(a, b); } \
  simt_inline simt_number& operator sign##=(simt_number& a, simt_number b) { return a = name(a, b); } \
  simt_inline simt_pair& operator sign##=(simt_pair& a, simt_pair b) { return a = name##2(a, b); }
simt_operator(+, __hadd)
simt_operator(-, __hsub)
simt_operator(*, __hmul)
simt_inline simt_number __hdiv(simt_number a, simt_number b) { return (float)a / (float)b; }
simt_inline simt_pair __hdiv2(simt_pair a, simt_pair b) { return {__hdiv(a.x, b.x), __hdiv(a.y, b.y)}; }
simt_inline simt_pair __h2div(simt_pair a, simt_pair b) { return __hdiv2(a, b); }
simt_operator(/, __hdiv)
#undef simt_operator
simt_inline simt_number operator-(simt_number a) { return __hneg(a); }
simt_inline simt_pair operator-(simt_pair a) { return __hneg2(a); }
simt_inline bool __hisnan(simt_number a) { return isnan((float)a); }
simt_inline int __hisinf(simt_number a) { return isinf((float)a) ? (float)a > 0 ? 1 : -1 : 0; }

// Computed in FP32.
#define simt_function(name, of_pair, expression) \
  simt_inline simt_number name(simt_number value) { \
    const float a = value; \
    return simt_number(expression); \
  } \
  simt_inline simt_pair of_pair(simt_pair value) { return {name(value.x), name(value.y)}; }
simt_function(hexp, h2exp, expf(a))
simt_function(hexp2, h2exp2, exp2f(a))
simt_function(hexp10, h2exp10, __exp10f(a))
simt_function(hlog, h2log, logf(a))
simt_function(hlog2, h2log2, log2f(a))
simt_function(hlog10, h2log10, log10f(a))
simt_function(hsqrt, h2sqrt, sqrtf(a))
simt_function(hrsqrt, h2rsqrt, rsqrtf(a))
simt_function(hrcp, h2rcp, 1.0f / a)
simt_function(hsin, h2sin, __sinf(a))
simt_function(hcos, h2cos, __cosf(a))
simt_function(htanh, h2tanh, tanhf(a))
simt_function(hfloor, h2floor, floorf(a))
simt_function(hceil, h2ceil, ceilf(a))
simt_function(htrunc, h2trunc, truncf(a))
simt_function(hrint, h2rint, rintf(a))
#undef simt_function

simt_inline simt_number atomicAdd(simt_number* at, simt_number value) {
  simt_number r;
  asm volatile("atom.add.noftz." simt_type " %0, [%1], %2;" : "=h"(r.bits) : "l"(at), "h"(value.bits) : "memory");
  return r;
}
simt_inline simt_pair atomicAdd(simt_pair* at, simt_pair value) {
  unsigned r;
  asm volatile("atom.add.noftz." simt_type "x2 %0, [%1], %2;"
               : "=r"(r) : "l"(at), "r"(__builtin_bit_cast(unsigned, value)) : "memory");
  return __builtin_bit_cast(simt_pair, r);
}

#define simt_exchange(name) \
  simt_inline simt_pair name(unsigned lanes, simt_pair value, int by, int width = 32) { \
    return __builtin_bit_cast(simt_pair, name(lanes, __builtin_bit_cast(unsigned, value), by, width)); \
  }
simt_exchange(__shfl_sync)
simt_exchange(__shfl_up_sync)
simt_exchange(__shfl_down_sync)
simt_exchange(__shfl_xor_sync)
#undef simt_exchange

#undef simt_inline
#undef simt_member
#undef simt_number
#undef simt_pair
#undef simt_type
#undef simt_from_float
#undef simt_from_float_rn
#undef simt_to_float
#undef simt_pair_of_one
#undef simt_pair_of_floats
#undef simt_pair_of_float2
#undef simt_pair_to_float2
#undef simt_pair_of_numbers
#undef simt_pair_of_number
#undef simt_to_bits
#undef simt_from_bits
#undef simt_low
#undef simt_high
#undef simt_from_int
#undef simt_to_int_rn
#undef simt_to_int_rz
