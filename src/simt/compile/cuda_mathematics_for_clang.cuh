// Functions that are no single instruction, for clang. Part of cuda_for_clang.cuh. In FP32 they have fewer
// right places than NVIDIA's. An argument may be a product that becomes part of an FMA: a - a need not be 0.

// --- Powers and logarithms, of FP32

simt_inline float log10f(float a) { return __log10f(a); }
simt_inline float expm1f(float a) {
  if (!(__builtin_fabsf(a) < 0.5f)) return expf(a) - 1.0f;
  float sum = 1.0f;
#pragma unroll
  for (int n = 9; n > 1; --n) sum = __builtin_fmaf(sum, a * (1.0f / n), 1.0f);
  return a * sum;
}
// Near 0 the logarithm of (1 + x) / (1 - x).
simt_inline float log1pf(float a) {
  if (!(a > -0.25f && a < 0.375f)) return logf(1.0f + a);
  const float x = a / (2.0f + a), square = x * x;
  float sum = 1.0f / 11;
#pragma unroll
  for (int n = 9; n > 0; n -= 2) sum = __builtin_fmaf(sum, square, 1.0f / n);
  return 2.0f * x * sum;
}
simt_inline float powf(float a, float b) {
  const float size = __builtin_fabsf(a), times = __builtin_fabsf(b);
  if (b == 0.0f || a == 1.0f) return 1.0f;
  if (truncf(b) != b) return __powf(a, b);
  float result = 1.0f;
  if (times <= 16.0f) {
    for (int i = 0; i < (int)times; ++i) result *= size;
    result = b < 0.0f ? 1.0f / result : result;
  } else {
    result = __powf(size, b);
  }
  return times < 0x1p24f && ((int)times & 1) ? __builtin_copysignf(result, a) : result;
}

// --- The nearest whole number, and powers of two, exactly

simt_inline double round(double a) {
  const double size = __builtin_fabs(a), whole = trunc(size);
  return __builtin_copysign(size - whole >= 0.5 ? whole + 1 : whole, a);
}
simt_inline float roundf(float a) { return (float)round((double)a); }
simt_inline long lroundf(float a) { return (long)roundf(a); }
simt_inline long lround(double a) { return (long)round(a); }
simt_inline double ldexp(double a, int exponent) {
  if (exponent > 1023) {
    for (int i = 0; i < 2 && exponent > 1023; ++i, exponent -= 1023) a *= 0x1p1023;
    exponent = exponent > 1023 ? 1023 : exponent;
  } else if (exponent < -1022) {  // in steps that leave 53 bits until the last
    for (int i = 0; i < 2 && exponent < -1022; ++i, exponent += 969) a *= 0x1p-969;
    exponent = exponent < -1022 ? -1022 : exponent;
  }
  return a * __builtin_bit_cast(double, (long long)(exponent + 1023) << 52);
}
simt_inline double scalbn(double a, int exponent) { return ldexp(a, exponent); }
simt_inline float scalbnf(float a, int exponent) { return (float)ldexp((double)a, exponent); }
simt_inline double rsqrt(double a) { return 1 / sqrt(a); }

// --- By the names that C++ has for all types

template <bool, typename T>
struct simt_if {};
template <typename T>
struct simt_if<true, T> {
  typedef T type;
};
template <typename T, typename U>
constexpr bool simt_is_mixed =
    __is_arithmetic(T) && __is_arithmetic(U) && !(__is_same(T, U) && __is_floating_point(T));

#define simt_named_1(name) \
  simt_inline float name(float a) { return name##f(a); } \
  template <typename T, typename simt_if<__is_integral(T), int>::type = 0> \
  simt_inline double name(T a) { return name((double)a); }
#define simt_named_2(name) \
  simt_inline float name(float a, float b) { return name##f(a, b); } \
  template <typename T, typename U, typename simt_if<simt_is_mixed<T, U>, int>::type = 0> \
  simt_inline double name(T a, U b) { return name((double)a, (double)b); }

simt_named_1(sqrt)
simt_named_1(rsqrt)
simt_named_1(floor)
simt_named_1(ceil)
simt_named_1(trunc)
simt_named_1(rint)
simt_named_1(round)
simt_named_1(fabs)
simt_named_2(fmin)
simt_named_2(fmax)
#undef simt_named_1
#undef simt_named_2
simt_inline float abs(float a) { return __builtin_fabsf(a); }
simt_inline double abs(double a) { return __builtin_fabs(a); }
simt_inline long long abs(long long a) { return a < 0 ? -a : a; }
simt_inline long long llabs(long long a) { return a < 0 ? -a : a; }

// --- What only NVRTC has: a call is an error, whose words compiler.cpp reads

#define simt_needs_nvrtc(name, what) \
  template <typename... T> \
  __attribute__((diagnose_if(true, "clang has no " what " here: NVRTC, of the CUDA Toolkit, compiles it", "error"))) \
  simt_inline double name(T...);
// It is there for FP32, to which a double would be rounded without a word.
#define simt_only_of_float(name, parameters, arguments) \
  simt_inline float name parameters { return name##f arguments; } \
  simt_needs_nvrtc(name, #name " of a double (" #name "f is there)")
simt_only_of_float(exp, (float a), (a))
simt_only_of_float(exp2, (float a), (a))
simt_only_of_float(expm1, (float a), (a))
simt_only_of_float(log, (float a), (a))
simt_only_of_float(log2, (float a), (a))
simt_only_of_float(log10, (float a), (a))
simt_only_of_float(log1p, (float a), (a))
simt_only_of_float(tanh, (float a), (a))
simt_only_of_float(pow, (float a, float b), (a, b))
simt_inline float pow(float a, int b) { return powf(a, (float)b); }
#undef simt_only_of_float
#define simt_lacks(name) simt_needs_nvrtc(name, #name) simt_needs_nvrtc(name##f, #name "f")
simt_lacks(acos) simt_lacks(acosh) simt_lacks(asin) simt_lacks(asinh)
simt_lacks(atan) simt_lacks(atan2) simt_lacks(atanh) simt_lacks(cbrt)
simt_lacks(cos) simt_lacks(cosh) simt_lacks(cospi) simt_lacks(erf)
simt_lacks(erfc) simt_lacks(erfcinv) simt_lacks(erfcx) simt_lacks(erfinv)
simt_lacks(exp10) simt_lacks(fdim) simt_lacks(fmod) simt_lacks(frexp)
simt_lacks(hypot) simt_lacks(lgamma) simt_lacks(modf) simt_lacks(nextafter)
simt_lacks(normcdf) simt_lacks(normcdfinv) simt_lacks(rcbrt)
simt_lacks(remainder) simt_lacks(rhypot) simt_lacks(sin) simt_lacks(sincos)
simt_lacks(sincospi) simt_lacks(sinh) simt_lacks(sinpi) simt_lacks(tan)
simt_lacks(tgamma)
#undef simt_lacks
#undef simt_needs_nvrtc

// --- Kinds of numbers

#define simt_kind(name, expression) \
  simt_inline bool name(float a) { return expression; } \
  simt_inline bool name(double a) { return expression; }
simt_kind(isnan, a != a)
simt_kind(isinf, __builtin_fabs(a) == __builtin_inf())
simt_kind(isfinite, __builtin_fabs(a) < __builtin_inf())
simt_kind(signbit, __builtin_signbit(a))
#undef simt_kind

// --- Bytes and halves of a word, each by itself

#define simt_parts(name, bits, type, expression) \
  simt_inline unsigned name(unsigned a, unsigned b) { \
    unsigned r = 0; \
    for (int k = 0; k < 32; k += bits) { \
      const int x = (type)(a >> k), y = (type)(b >> k); \
      r |= ((unsigned)(expression) & ((1u << bits) - 1)) << k; \
    } \
    return r; \
  }
#define simt_parts_of_one(name, bits, type, expression) \
  simt_inline unsigned name(unsigned a) { \
    unsigned r = 0; \
    for (int k = 0; k < 32; k += bits) { \
      const int x = (type)(a >> k); \
      r |= ((unsigned)(expression) & ((1u << bits) - 1)) << k; \
    } \
    return r; \
  }
#define simt_between(value, least, most) \
  ((value) < (least) ? (least) : (value) > (most) ? (most) : (value))
#define simt_comparisons(width, suffix, type, sign, bits) \
  simt_parts(__vcmp##suffix##width, bits, type, x sign y ? -1 : 0) \
  simt_parts(__vset##suffix##width, bits, type, x sign y)
#define simt_words(width, bits, signed_type, unsigned_type) \
  simt_parts(__vadd##width, bits, unsigned_type, x + y) \
  simt_parts(__vsub##width, bits, unsigned_type, x - y) \
  simt_parts(__vaddss##width, bits, signed_type, simt_between(x + y, -(1 << (bits - 1)), (1 << (bits - 1)) - 1)) \
  simt_parts(__vsubss##width, bits, signed_type, simt_between(x - y, -(1 << (bits - 1)), (1 << (bits - 1)) - 1)) \
  simt_parts(__vaddus##width, bits, unsigned_type, simt_between(x + y, 0, (1 << bits) - 1)) \
  simt_parts(__vsubus##width, bits, unsigned_type, simt_between(x - y, 0, (1 << bits) - 1)) \
  simt_parts(__vmins##width, bits, signed_type, x < y ? x : y) \
  simt_parts(__vmaxs##width, bits, signed_type, x > y ? x : y) \
  simt_parts(__vminu##width, bits, unsigned_type, x < y ? x : y) \
  simt_parts(__vmaxu##width, bits, unsigned_type, x > y ? x : y) \
  simt_parts(__vabsdiffs##width, bits, signed_type, x > y ? x - y : y - x) \
  simt_parts(__vabsdiffu##width, bits, unsigned_type, x > y ? x - y : y - x) \
  simt_parts(__vavgs##width, bits, signed_type, (x + y + (x + y >= 0)) >> 1) \
  simt_parts(__vavgu##width, bits, unsigned_type, (x + y + 1) >> 1) \
  simt_parts(__vhaddu##width, bits, unsigned_type, (x + y) >> 1) \
  simt_parts_of_one(__vneg##width, bits, signed_type, -x) \
  simt_parts_of_one(__vabs##width, bits, signed_type, x < 0 ? -x : x) \
  simt_comparisons(width, eq, unsigned_type, ==, bits) \
  simt_comparisons(width, ne, unsigned_type, !=, bits) \
  simt_comparisons(width, gts, signed_type, >, bits) \
  simt_comparisons(width, ges, signed_type, >=, bits) \
  simt_comparisons(width, lts, signed_type, <, bits) \
  simt_comparisons(width, les, signed_type, <=, bits) \
  simt_comparisons(width, gtu, unsigned_type, >, bits) \
  simt_comparisons(width, geu, unsigned_type, >=, bits) \
  simt_comparisons(width, ltu, unsigned_type, <, bits) \
  simt_comparisons(width, leu, unsigned_type, <=, bits)
simt_words(2, 16, short, unsigned short)
simt_words(4, 8, signed char, unsigned char)
#undef simt_words
#undef simt_comparisons
#undef simt_between
#undef simt_parts
#undef simt_parts_of_one
simt_inline int __hadd(int a, int b) { return (int)(((long long)a + b) >> 1); }
simt_inline int __rhadd(int a, int b) { return (int)(((long long)a + b + 1) >> 1); }
simt_inline unsigned __uhadd(unsigned a, unsigned b) { return (unsigned)(((unsigned long long)a + b) >> 1); }
simt_inline unsigned __urhadd(unsigned a, unsigned b) { return (unsigned)(((unsigned long long)a + b + 1) >> 1); }
simt_inline int __vimax3_s32(int a, int b, int c) { return a > b ? (a > c ? a : c) : b > c ? b : c; }
simt_inline int __vimin3_s32(int a, int b, int c) { return a < b ? (a < c ? a : c) : b < c ? b : c; }
simt_inline int __viaddmax_s32(int a, int b, int c) { return (int)((unsigned)a + b) > c ? (int)((unsigned)a + b) : c; }
simt_inline int __viaddmin_s32(int a, int b, int c) { return (int)((unsigned)a + b) < c ? (int)((unsigned)a + b) : c; }
simt_inline unsigned __fns(unsigned mask, unsigned base, int offset) {
  unsigned r;
  asm("fns.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(mask), "r"(base), "r"(offset));
  return r;
}

// --- Atomic operations of other types, and shuffles of 64 bits

#define simt_atomic(name, type, letter, instruction) \
  simt_inline type name(type* at, type value) { \
    type r; \
    asm volatile(instruction " %0, [%1], %2;" : "=" letter(r) : "l"(at), letter(value) : "memory"); \
    return r; \
  }
simt_atomic(atomicInc, unsigned, "r", "atom.inc.u32")
simt_atomic(atomicDec, unsigned, "r", "atom.dec.u32")
simt_atomic(atomicAnd, unsigned, "r", "atom.and.b32")
simt_atomic(atomicOr, unsigned, "r", "atom.or.b32")
simt_atomic(atomicXor, unsigned, "r", "atom.xor.b32")
simt_atomic(atomicAnd, unsigned long long, "l", "atom.and.b64")
simt_atomic(atomicOr, unsigned long long, "l", "atom.or.b64")
simt_atomic(atomicXor, unsigned long long, "l", "atom.xor.b64")
simt_atomic(atomicMin, unsigned long long, "l", "atom.min.u64")
simt_atomic(atomicMax, unsigned long long, "l", "atom.max.u64")
simt_atomic(atomicMin, long long, "l", "atom.min.s64")
simt_atomic(atomicMax, long long, "l", "atom.max.s64")
simt_atomic(atomicExch, float, "f", "atom.exch.b32")
simt_atomic(atomicExch, unsigned long long, "l", "atom.exch.b64")
#undef simt_atomic
simt_inline unsigned long long atomicCAS(unsigned long long* at, unsigned long long expected,
                                               unsigned long long value) {
  unsigned long long r;
  asm volatile("atom.cas.b64 %0, [%1], %2, %3;" : "=l"(r) : "l"(at), "l"(expected), "l"(value) : "memory");
  return r;
}
simt_inline unsigned short atomicCAS(unsigned short* at, unsigned short expected, unsigned short value) {
  unsigned short r;
  asm volatile("atom.cas.b16 %0, [%1], %2, %3;" : "=h"(r) : "l"(at), "h"(expected), "h"(value) : "memory");
  return r;
}

#define simt_shuffle(name, type) \
  simt_inline type name(unsigned lanes, type value, int by, int width = 32) { \
    const int2 halves = __builtin_bit_cast(int2, value); \
    const int low = name(lanes, halves.x, by, width), high = name(lanes, halves.y, by, width); \
    return __builtin_bit_cast(type, int2{low, high}); \
  }
#define simt_shuffles(type) \
  simt_shuffle(__shfl_sync, type) \
  simt_shuffle(__shfl_up_sync, type) \
  simt_shuffle(__shfl_down_sync, type) \
  simt_shuffle(__shfl_xor_sync, type)
simt_shuffles(double)
simt_shuffles(long)
simt_shuffles(unsigned long)
simt_shuffles(long long)
simt_shuffles(unsigned long long)
#undef simt_shuffles
#undef simt_shuffle
