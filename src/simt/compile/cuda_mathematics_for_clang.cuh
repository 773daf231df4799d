// Functions that are no single instruction, for clang. Part of cuda_for_clang.cuh. In FP32 they have fewer
// right places than NVIDIA's. An argument may be a product that becomes part of an FMA: a - a need not be 0.

// --- Powers and logarithms, of FP32

gemm_tutor_inline float log10f(float a) { return __log10f(a); }
gemm_tutor_inline float expm1f(float a) {
  if (!(__builtin_fabsf(a) < 0.5f)) return expf(a) - 1.0f;
  float sum = 1.0f;
#pragma unroll
  for (int n = 9; n > 1; --n) sum = __builtin_fmaf(sum, a * (1.0f / n), 1.0f);
  return a * sum;
}
// Near 0 the logarithm of (1 + x) / (1 - x).
gemm_tutor_inline float log1pf(float a) {
  if (!(a > -0.25f && a < 0.375f)) return logf(1.0f + a);
  const float x = a / (2.0f + a), square = x * x;
  float sum = 1.0f / 11;
#pragma unroll
  for (int n = 9; n > 0; n -= 2) sum = __builtin_fmaf(sum, square, 1.0f / n);
  return 2.0f * x * sum;
}
gemm_tutor_inline float powf(float a, float b) {
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

gemm_tutor_inline double round(double a) {
  const double size = __builtin_fabs(a), whole = trunc(size);
  return __builtin_copysign(size - whole >= 0.5 ? whole + 1 : whole, a);
}
gemm_tutor_inline float roundf(float a) { return (float)round((double)a); }
gemm_tutor_inline long lroundf(float a) { return (long)roundf(a); }
gemm_tutor_inline long lround(double a) { return (long)round(a); }
gemm_tutor_inline double ldexp(double a, int exponent) {
  if (exponent > 1023) {
    for (int i = 0; i < 2 && exponent > 1023; ++i, exponent -= 1023) a *= 0x1p1023;
    exponent = exponent > 1023 ? 1023 : exponent;
  } else if (exponent < -1022) {  // in steps that leave 53 bits until the last
    for (int i = 0; i < 2 && exponent < -1022; ++i, exponent += 969) a *= 0x1p-969;
    exponent = exponent < -1022 ? -1022 : exponent;
  }
  return a * __builtin_bit_cast(double, (long long)(exponent + 1023) << 52);
}
gemm_tutor_inline double scalbn(double a, int exponent) { return ldexp(a, exponent); }
gemm_tutor_inline float scalbnf(float a, int exponent) { return (float)ldexp((double)a, exponent); }
gemm_tutor_inline double rsqrt(double a) { return 1 / sqrt(a); }

// --- By the names that C++ has for all types

template <bool, typename T>
struct gemm_tutor_if {};
template <typename T>
struct gemm_tutor_if<true, T> {
  typedef T type;
};
template <typename T, typename U>
constexpr bool gemm_tutor_is_mixed =
    __is_arithmetic(T) && __is_arithmetic(U) && !(__is_same(T, U) && __is_floating_point(T));

#define gemm_tutor_named_1(name) \
  gemm_tutor_inline float name(float a) { return name##f(a); } \
  template <typename T, typename gemm_tutor_if<__is_integral(T), int>::type = 0> \
  gemm_tutor_inline double name(T a) { return name((double)a); }
#define gemm_tutor_named_2(name) \
  gemm_tutor_inline float name(float a, float b) { return name##f(a, b); } \
  template <typename T, typename U, typename gemm_tutor_if<gemm_tutor_is_mixed<T, U>, int>::type = 0> \
  gemm_tutor_inline double name(T a, U b) { return name((double)a, (double)b); }

gemm_tutor_named_1(sqrt)
gemm_tutor_named_1(rsqrt)
gemm_tutor_named_1(floor)
gemm_tutor_named_1(ceil)
gemm_tutor_named_1(trunc)
gemm_tutor_named_1(rint)
gemm_tutor_named_1(round)
gemm_tutor_named_1(fabs)
gemm_tutor_named_2(fmin)
gemm_tutor_named_2(fmax)
#undef gemm_tutor_named_1
#undef gemm_tutor_named_2
gemm_tutor_inline float abs(float a) { return __builtin_fabsf(a); }
gemm_tutor_inline double abs(double a) { return __builtin_fabs(a); }
gemm_tutor_inline long long abs(long long a) { return a < 0 ? -a : a; }
gemm_tutor_inline long long llabs(long long a) { return a < 0 ? -a : a; }

// --- What only NVRTC has: a call is an error, whose words compiler.cpp reads

#define gemm_tutor_needs_nvrtc(name, what) \
  template <typename... T> \
  __attribute__((diagnose_if(true, "clang has no " what " here: NVRTC, of the CUDA Toolkit, compiles it", "error"))) \
  gemm_tutor_inline double name(T...);
// It is there for FP32, to which a double would be rounded without a word.
#define gemm_tutor_only_of_float(name, parameters, arguments) \
  gemm_tutor_inline float name parameters { return name##f arguments; } \
  gemm_tutor_needs_nvrtc(name, #name " of a double (" #name "f is there)")
gemm_tutor_only_of_float(exp, (float a), (a))
gemm_tutor_only_of_float(exp2, (float a), (a))
gemm_tutor_only_of_float(expm1, (float a), (a))
gemm_tutor_only_of_float(log, (float a), (a))
gemm_tutor_only_of_float(log2, (float a), (a))
gemm_tutor_only_of_float(log10, (float a), (a))
gemm_tutor_only_of_float(log1p, (float a), (a))
gemm_tutor_only_of_float(tanh, (float a), (a))
gemm_tutor_only_of_float(pow, (float a, float b), (a, b))
gemm_tutor_inline float pow(float a, int b) { return powf(a, (float)b); }
#undef gemm_tutor_only_of_float
#define gemm_tutor_lacks(name) gemm_tutor_needs_nvrtc(name, #name) gemm_tutor_needs_nvrtc(name##f, #name "f")
gemm_tutor_lacks(acos) gemm_tutor_lacks(acosh) gemm_tutor_lacks(asin) gemm_tutor_lacks(asinh)
gemm_tutor_lacks(atan) gemm_tutor_lacks(atan2) gemm_tutor_lacks(atanh) gemm_tutor_lacks(cbrt)
gemm_tutor_lacks(cos) gemm_tutor_lacks(cosh) gemm_tutor_lacks(cospi) gemm_tutor_lacks(erf)
gemm_tutor_lacks(erfc) gemm_tutor_lacks(erfcinv) gemm_tutor_lacks(erfcx) gemm_tutor_lacks(erfinv)
gemm_tutor_lacks(exp10) gemm_tutor_lacks(fdim) gemm_tutor_lacks(fmod) gemm_tutor_lacks(frexp)
gemm_tutor_lacks(hypot) gemm_tutor_lacks(lgamma) gemm_tutor_lacks(modf) gemm_tutor_lacks(nextafter)
gemm_tutor_lacks(normcdf) gemm_tutor_lacks(normcdfinv) gemm_tutor_lacks(rcbrt)
gemm_tutor_lacks(remainder) gemm_tutor_lacks(rhypot) gemm_tutor_lacks(sin) gemm_tutor_lacks(sincos)
gemm_tutor_lacks(sincospi) gemm_tutor_lacks(sinh) gemm_tutor_lacks(sinpi) gemm_tutor_lacks(tan)
gemm_tutor_lacks(tgamma)
#undef gemm_tutor_lacks
#undef gemm_tutor_needs_nvrtc

// --- Kinds of numbers

#define gemm_tutor_kind(name, expression) \
  gemm_tutor_inline bool name(float a) { return expression; } \
  gemm_tutor_inline bool name(double a) { return expression; }
gemm_tutor_kind(isnan, a != a)
gemm_tutor_kind(isinf, __builtin_fabs(a) == __builtin_inf())
gemm_tutor_kind(isfinite, __builtin_fabs(a) < __builtin_inf())
gemm_tutor_kind(signbit, __builtin_signbit(a))
#undef gemm_tutor_kind

// --- Bytes and halves of a word, each by itself

#define gemm_tutor_parts(name, bits, type, expression) \
  gemm_tutor_inline unsigned name(unsigned a, unsigned b) { \
    unsigned r = 0; \
    for (int k = 0; k < 32; k += bits) { \
      const int x = (type)(a >> k), y = (type)(b >> k); \
      r |= ((unsigned)(expression) & ((1u << bits) - 1)) << k; \
    } \
    return r; \
  }
#define gemm_tutor_parts_of_one(name, bits, type, expression) \
  gemm_tutor_inline unsigned name(unsigned a) { \
    unsigned r = 0; \
    for (int k = 0; k < 32; k += bits) { \
      const int x = (type)(a >> k); \
      r |= ((unsigned)(expression) & ((1u << bits) - 1)) << k; \
    } \
    return r; \
  }
#define gemm_tutor_between(value, least, most) \
  ((value) < (least) ? (least) : (value) > (most) ? (most) : (value))
#define gemm_tutor_comparisons(width, suffix, type, sign, bits) \
  gemm_tutor_parts(__vcmp##suffix##width, bits, type, x sign y ? -1 : 0) \
  gemm_tutor_parts(__vset##suffix##width, bits, type, x sign y)
#define gemm_tutor_words(width, bits, signed_type, unsigned_type) \
  gemm_tutor_parts(__vadd##width, bits, unsigned_type, x + y) \
  gemm_tutor_parts(__vsub##width, bits, unsigned_type, x - y) \
  gemm_tutor_parts(__vaddss##width, bits, signed_type, gemm_tutor_between(x + y, -(1 << (bits - 1)), (1 << (bits - 1)) - 1)) \
  gemm_tutor_parts(__vsubss##width, bits, signed_type, gemm_tutor_between(x - y, -(1 << (bits - 1)), (1 << (bits - 1)) - 1)) \
  gemm_tutor_parts(__vaddus##width, bits, unsigned_type, gemm_tutor_between(x + y, 0, (1 << bits) - 1)) \
  gemm_tutor_parts(__vsubus##width, bits, unsigned_type, gemm_tutor_between(x - y, 0, (1 << bits) - 1)) \
  gemm_tutor_parts(__vmins##width, bits, signed_type, x < y ? x : y) \
  gemm_tutor_parts(__vmaxs##width, bits, signed_type, x > y ? x : y) \
  gemm_tutor_parts(__vminu##width, bits, unsigned_type, x < y ? x : y) \
  gemm_tutor_parts(__vmaxu##width, bits, unsigned_type, x > y ? x : y) \
  gemm_tutor_parts(__vabsdiffs##width, bits, signed_type, x > y ? x - y : y - x) \
  gemm_tutor_parts(__vabsdiffu##width, bits, unsigned_type, x > y ? x - y : y - x) \
  gemm_tutor_parts(__vavgs##width, bits, signed_type, (x + y + (x + y >= 0)) >> 1) \
  gemm_tutor_parts(__vavgu##width, bits, unsigned_type, (x + y + 1) >> 1) \
  gemm_tutor_parts(__vhaddu##width, bits, unsigned_type, (x + y) >> 1) \
  gemm_tutor_parts_of_one(__vneg##width, bits, signed_type, -x) \
  gemm_tutor_parts_of_one(__vabs##width, bits, signed_type, x < 0 ? -x : x) \
  gemm_tutor_comparisons(width, eq, unsigned_type, ==, bits) \
  gemm_tutor_comparisons(width, ne, unsigned_type, !=, bits) \
  gemm_tutor_comparisons(width, gts, signed_type, >, bits) \
  gemm_tutor_comparisons(width, ges, signed_type, >=, bits) \
  gemm_tutor_comparisons(width, lts, signed_type, <, bits) \
  gemm_tutor_comparisons(width, les, signed_type, <=, bits) \
  gemm_tutor_comparisons(width, gtu, unsigned_type, >, bits) \
  gemm_tutor_comparisons(width, geu, unsigned_type, >=, bits) \
  gemm_tutor_comparisons(width, ltu, unsigned_type, <, bits) \
  gemm_tutor_comparisons(width, leu, unsigned_type, <=, bits)
gemm_tutor_words(2, 16, short, unsigned short)
gemm_tutor_words(4, 8, signed char, unsigned char)
#undef gemm_tutor_words
#undef gemm_tutor_comparisons
#undef gemm_tutor_between
#undef gemm_tutor_parts
#undef gemm_tutor_parts_of_one
gemm_tutor_inline int __hadd(int a, int b) { return (int)(((long long)a + b) >> 1); }
gemm_tutor_inline int __rhadd(int a, int b) { return (int)(((long long)a + b + 1) >> 1); }
gemm_tutor_inline unsigned __uhadd(unsigned a, unsigned b) { return (unsigned)(((unsigned long long)a + b) >> 1); }
gemm_tutor_inline unsigned __urhadd(unsigned a, unsigned b) { return (unsigned)(((unsigned long long)a + b + 1) >> 1); }
gemm_tutor_inline int __vimax3_s32(int a, int b, int c) { return a > b ? (a > c ? a : c) : b > c ? b : c; }
gemm_tutor_inline int __vimin3_s32(int a, int b, int c) { return a < b ? (a < c ? a : c) : b < c ? b : c; }
gemm_tutor_inline int __viaddmax_s32(int a, int b, int c) { return (int)((unsigned)a + b) > c ? (int)((unsigned)a + b) : c; }
gemm_tutor_inline int __viaddmin_s32(int a, int b, int c) { return (int)((unsigned)a + b) < c ? (int)((unsigned)a + b) : c; }
gemm_tutor_inline unsigned __fns(unsigned mask, unsigned base, int offset) {
  unsigned r;
  asm("fns.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(mask), "r"(base), "r"(offset));
  return r;
}

// --- Atomic operations of other types, and shuffles of 64 bits

#define gemm_tutor_atomic(name, type, letter, instruction) \
  gemm_tutor_inline type name(type* at, type value) { \
    type r; \
    asm volatile(instruction " %0, [%1], %2;" : "=" letter(r) : "l"(at), letter(value) : "memory"); \
    return r; \
  }
gemm_tutor_atomic(atomicInc, unsigned, "r", "atom.inc.u32")
gemm_tutor_atomic(atomicDec, unsigned, "r", "atom.dec.u32")
gemm_tutor_atomic(atomicAnd, unsigned, "r", "atom.and.b32")
gemm_tutor_atomic(atomicOr, unsigned, "r", "atom.or.b32")
gemm_tutor_atomic(atomicXor, unsigned, "r", "atom.xor.b32")
gemm_tutor_atomic(atomicAnd, unsigned long long, "l", "atom.and.b64")
gemm_tutor_atomic(atomicOr, unsigned long long, "l", "atom.or.b64")
gemm_tutor_atomic(atomicXor, unsigned long long, "l", "atom.xor.b64")
gemm_tutor_atomic(atomicMin, unsigned long long, "l", "atom.min.u64")
gemm_tutor_atomic(atomicMax, unsigned long long, "l", "atom.max.u64")
gemm_tutor_atomic(atomicMin, long long, "l", "atom.min.s64")
gemm_tutor_atomic(atomicMax, long long, "l", "atom.max.s64")
gemm_tutor_atomic(atomicExch, float, "f", "atom.exch.b32")
gemm_tutor_atomic(atomicExch, unsigned long long, "l", "atom.exch.b64")
#undef gemm_tutor_atomic
gemm_tutor_inline unsigned long long atomicCAS(unsigned long long* at, unsigned long long expected,
                                               unsigned long long value) {
  unsigned long long r;
  asm volatile("atom.cas.b64 %0, [%1], %2, %3;" : "=l"(r) : "l"(at), "l"(expected), "l"(value) : "memory");
  return r;
}
gemm_tutor_inline unsigned short atomicCAS(unsigned short* at, unsigned short expected, unsigned short value) {
  unsigned short r;
  asm volatile("atom.cas.b16 %0, [%1], %2, %3;" : "=h"(r) : "l"(at), "h"(expected), "h"(value) : "memory");
  return r;
}

#define gemm_tutor_shuffle(name, type) \
  gemm_tutor_inline type name(unsigned lanes, type value, int by, int width = 32) { \
    const int2 halves = __builtin_bit_cast(int2, value); \
    const int low = name(lanes, halves.x, by, width), high = name(lanes, halves.y, by, width); \
    return __builtin_bit_cast(type, int2{low, high}); \
  }
#define gemm_tutor_shuffles(type) \
  gemm_tutor_shuffle(__shfl_sync, type) \
  gemm_tutor_shuffle(__shfl_up_sync, type) \
  gemm_tutor_shuffle(__shfl_down_sync, type) \
  gemm_tutor_shuffle(__shfl_xor_sync, type)
gemm_tutor_shuffles(double)
gemm_tutor_shuffles(long)
gemm_tutor_shuffles(unsigned long)
gemm_tutor_shuffles(long long)
gemm_tutor_shuffles(unsigned long long)
#undef gemm_tutor_shuffles
#undef gemm_tutor_shuffle
