// Functions that are no single instruction, for clang. Part of cuda_for_clang.cuh. Those of FP64 are
// right to a few of the last places. Those of FP32 are computed in FP64 and rounded. An argument may be a
// product that becomes part of an FMA: a - a need not be 0.

// --- Powers and logarithms

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
// e^a and what it has more than 1, for |a| up to ln 2.
gemm_tutor_inline double gemm_tutor_exp_minus_1(double a) {
  double sum = 1;
#pragma unroll
  for (int n = 18; n > 1; --n) sum = __builtin_fma(sum, a * (1.0 / n), 1.0);
  return a * sum;
}
gemm_tutor_inline double gemm_tutor_exp_of(double whole, double rest) {
  return ldexp(1 + gemm_tutor_exp_minus_1(rest), (int)whole);
}
gemm_tutor_inline double exp(double a) {
  const double whole = rint(a * 1.4426950408889634);
  if (!(whole > -1100 && whole < 1100)) return a != a ? a : whole > 0 ? __builtin_inf() : 0.0;
  const double rest = __builtin_fma(whole, -0.693147180369123816490, a);
  return gemm_tutor_exp_of(whole, __builtin_fma(whole, -1.90821492927058770002e-10, rest));
}
gemm_tutor_inline double exp2(double a) {
  const double whole = rint(a);
  if (!(whole > -1100 && whole < 1100)) return a != a ? a : whole > 0 ? __builtin_inf() : 0.0;
  return gemm_tutor_exp_of(whole, (a - whole) * 0.69314718055994531);
}
gemm_tutor_inline double expm1(double a) {
  return __builtin_fabs(a) < 0.5 ? gemm_tutor_exp_minus_1(a) : exp(a) - 1;
}
// log((1 + a) / (1 - a)), for |a| up to 3 - 2 √2.
gemm_tutor_inline double gemm_tutor_log_of_ratio(double a) {
  const double square = a * a;
  double sum = 1.0 / 25;
#pragma unroll
  for (int n = 23; n > 0; n -= 2) sum = __builtin_fma(sum, square, 1.0 / n);
  return 2 * a * sum;
}
// The logarithm is that of `number`, between √½ and √2, and `exponent` times that of 2.
gemm_tutor_inline double gemm_tutor_number_and_exponent(double a, double* exponent) {
  const double larger = a < 0x1p-1022 ? a * 0x1p54 : a;
  const long long bits = __builtin_bit_cast(long long, larger);
  const bool is_high = (bits & 0xfffffffffffff) > 0x6a09e667f3bcd;
  *exponent = (double)((bits >> 52) - 1023 + is_high - (larger != a ? 54 : 0));
  return __builtin_bit_cast(double, (bits & 0xfffffffffffff) | (long long)(1023 - is_high) << 52);
}
gemm_tutor_inline bool gemm_tutor_has_log(double a) { return a > 0 && a < __builtin_inf(); }
gemm_tutor_inline double gemm_tutor_log_otherwise(double a) {
  return a == 0 ? -__builtin_inf() : a > 0 ? a : __builtin_nan("");
}
gemm_tutor_inline double log(double a) {
  if (!gemm_tutor_has_log(a)) return gemm_tutor_log_otherwise(a);
  double exponent;
  const double number = gemm_tutor_number_and_exponent(a, &exponent);
  const double part = gemm_tutor_log_of_ratio((number - 1) / (number + 1));
  return __builtin_fma(exponent, 0.693147180369123816490,
                       __builtin_fma(exponent, 1.90821492927058770002e-10, part));
}
gemm_tutor_inline double log2(double a) {
  if (!gemm_tutor_has_log(a)) return gemm_tutor_log_otherwise(a);
  double exponent;
  const double number = gemm_tutor_number_and_exponent(a, &exponent);
  const double part = gemm_tutor_log_of_ratio((number - 1) / (number + 1));
  return __builtin_fma(part, 1.4426950408889634, exponent);
}
gemm_tutor_inline double log10(double a) { return log2(a) * 0.30102999566398120; }
gemm_tutor_inline double log1p(double a) {
  return a > -0.25 && a < 0.375 ? gemm_tutor_log_of_ratio(a / (2 + a)) : log(1 + a);
}
gemm_tutor_inline double pow(double a, double b) {
  if (b == 0 || a == 1) return 1;
  if (a != a || b != b) return a + b;
  const double size = __builtin_fabs(a), times = __builtin_fabs(b);
  const bool is_whole = trunc(b) == b;
  const bool is_odd = is_whole && times < 0x1p53 && ((long long)b & 1);
  if (a < 0 && !is_whole) return __builtin_nan("");
  double result = 1;
  if (is_whole && times <= 16) {
    for (int i = 0; i < (int)times; ++i) result *= size;
    result = b < 0 ? 1 / result : result;
  } else {
    result = exp(b * log(size));
  }
  return is_odd ? __builtin_copysign(result, a) : result;
}
gemm_tutor_inline double exp10(double a) { return pow(10.0, a); }
gemm_tutor_inline double cbrt(double a) {
  const double size = __builtin_fabs(a);
  if (!(size > 0 && size < __builtin_inf())) return a;
  const double root = exp(log(size) / 3);
  return __builtin_copysign(root - (root * root * root - size) / (3 * root * root), a);
}
gemm_tutor_inline double rcbrt(double a) { return 1 / cbrt(a); }
gemm_tutor_inline double rsqrt(double a) { return 1 / sqrt(a); }
gemm_tutor_inline double hypot(double a, double b) {
  const double x = __builtin_fabs(a), y = __builtin_fabs(b), most = x > y ? x : y;
  if (!(most > 0 && most < __builtin_inf())) return most == most ? most : x + y;
  return most * sqrt(x / most * (x / most) + y / most * (y / most));
}
gemm_tutor_inline double rhypot(double a, double b) { return 1 / hypot(a, b); }

// --- Angles

// 2/π, in words of 64 bits; the first is what comes before the point.
static __constant__ const unsigned long long gemm_tutor_two_by_pi[20] = {
    0, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
    0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
    0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d, 0x7527bac7ebe5f17b,
    0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab};
// Which quarter of the circle a is nearest to the beginning of, modulo 4, and how far it is from there.
// A large number has its place in 2/π from where the product is less than a whole circle (Payne and
// Hanek, 1983).
gemm_tutor_inline int gemm_tutor_quarter_of_large(double a, double* rest) {
  const unsigned long long bits = __builtin_bit_cast(unsigned long long, __builtin_fabs(a));
  const unsigned long long digits = (bits & 0xfffffffffffff) | 0x10000000000000;
  const int place = (int)(bits >> 52) - 1075 - 2 + 64, word = place / 64, shift = place % 64;
  unsigned long long part[3];
  for (int i = 0; i < 3; ++i) {
    const unsigned long long high = gemm_tutor_two_by_pi[word + i], low = gemm_tutor_two_by_pi[word + i + 1];
    part[i] = shift == 0 ? high : high << shift | low >> (64 - shift);
  }
  const unsigned __int128 low = (unsigned __int128)digits * part[2];
  const unsigned __int128 middle = (unsigned __int128)digits * part[1] + (unsigned long long)(low >> 64);
  const unsigned long long high = digits * part[0] + (unsigned long long)(middle >> 64);
  const unsigned long long next = (unsigned long long)middle;
  const long long fraction = (long long)(high << 2 | next >> 62);  // of a quarter, from -1/2 to 1/2
  const double size = (double)fraction * 0x1p-64 + (double)(next << 2) * 0x1p-128;
  const int quarter = (int)(high >> 62) + (fraction < 0);
  *rest = (a < 0 ? -size : size) * 1.5707963267948966;
  return (a < 0 ? -quarter : quarter) & 3;
}
gemm_tutor_inline int gemm_tutor_quarter(double a, double* rest) {
  if (!(__builtin_fabs(a) < 0x1p30)) return gemm_tutor_quarter_of_large(a, rest);
  const double whole = rint(a * 0.63661977236758134);
  double left = __builtin_fma(whole, -1.5707963267948966, a);
  left = __builtin_fma(whole, -6.1232339957367660e-17, left);
  *rest = __builtin_fma(whole, 1.4973849048591833e-33, left);
  return (int)whole & 3;
}
gemm_tutor_inline double gemm_tutor_sine(double a) {
  const double square = a * a;
  double sum = 1;
#pragma unroll
  for (int n = 18; n > 1; n -= 2) sum = __builtin_fma(sum, square * (-1.0 / (n * (n + 1))), 1.0);
  return a * sum;
}
gemm_tutor_inline double gemm_tutor_cosine(double a) {
  const double square = a * a;
  double sum = 1;
#pragma unroll
  for (int n = 17; n > 0; n -= 2) sum = __builtin_fma(sum, square * (-1.0 / (n * (n + 1))), 1.0);
  return sum;
}
gemm_tutor_inline double gemm_tutor_sine_from(int quarter, double rest) {
  const double size = quarter & 1 ? gemm_tutor_cosine(rest) : gemm_tutor_sine(rest);
  return quarter & 2 ? -size : size;
}
gemm_tutor_inline void sincos(double a, double* sine, double* cosine) {
  double rest = __builtin_nan("");
  const int quarter = __builtin_fabs(a) < __builtin_inf() ? gemm_tutor_quarter(a, &rest) : 0;
  *sine = gemm_tutor_sine_from(quarter, rest);
  *cosine = gemm_tutor_sine_from(quarter + 1, rest);
}
gemm_tutor_inline double sin(double a) {
  double sine, cosine;
  sincos(a, &sine, &cosine);
  return a == 0 ? a : sine;
}
gemm_tutor_inline double cos(double a) {
  double sine, cosine;
  sincos(a, &sine, &cosine);
  return cosine;
}
gemm_tutor_inline double tan(double a) {
  double sine, cosine;
  sincos(a, &sine, &cosine);
  return a == 0 ? a : sine / cosine;
}
gemm_tutor_inline double sinpi(double a) {
  const double halves = rint(2 * a);
  return gemm_tutor_sine_from((int)(long long)halves & 3, (a - halves / 2) * 3.1415926535897931);
}
gemm_tutor_inline double cospi(double a) {
  const double halves = rint(2 * a);
  return gemm_tutor_sine_from((int)((long long)halves + 1) & 3, (a - halves / 2) * 3.1415926535897931);
}
gemm_tutor_inline double atan(double a) {
  const double size = __builtin_fabs(a);
  const double small = size > 1 ? 1 / size : size;
  const double half = small / (1 + sqrt(1 + small * small));  // tan of half the angle
  const double quarter = half / (1 + sqrt(1 + half * half)), square = quarter * quarter;
  double sum = 1.0 / 25;
#pragma unroll
  for (int n = 23; n > 0; n -= 2) sum = __builtin_fma(-sum, square, 1.0 / n);
  const double angle = 4 * quarter * sum;
  return __builtin_copysign(size > 1 ? 1.5707963267948966 - angle : angle, a);
}
gemm_tutor_inline double atan2(double y, double x) {
  if (x != x || y != y) return x + y;
  const double up = __builtin_fabs(y), along = __builtin_fabs(x);
  const bool is_even = up == along;  // also of two infinities, and of two zeros
  double angle = is_even ? (up == 0 ? 0.0 : 0.78539816339744828) : up > along ? 1.5707963267948966 - atan(along / up) : atan(up / along);
  if (__builtin_signbit(x)) angle = 3.1415926535897931 - angle;
  return __builtin_copysign(angle, y);
}
gemm_tutor_inline double asin(double a) { return atan2(a, sqrt((1 - a) * (1 + a))); }
gemm_tutor_inline double acos(double a) { return atan2(sqrt((1 - a) * (1 + a)), a); }
gemm_tutor_inline double sinh(double a) { return (expm1(a) - expm1(-a)) / 2; }
gemm_tutor_inline double cosh(double a) { return (exp(a) + exp(-a)) / 2; }
gemm_tutor_inline double tanh(double a) {
  const double more = expm1(2 * __builtin_fabs(a));
  return __builtin_copysign(more < 0x1p60 ? more / (more + 2) : more == more ? 1.0 : more, a);
}

// --- The normal distribution

// A series, and for large numbers a continued fraction.
gemm_tutor_inline double erfc(double a) {
  const double size = __builtin_fabs(a), square = a * a;
  double rest;
  if (!(size < 2.5)) {
    double fraction = size;
    for (int n = 60; n > 0; --n) fraction = size + n / (2 * fraction);
    rest = exp(-square) * 0.56418958354775629 / fraction;
  } else {
    double sum = 1;
    for (int n = 60; n > 0; --n) sum = __builtin_fma(sum, 2 * square / (2 * n + 1), 1.0);
    rest = 1 - 1.1283791670955126 * size * exp(-square) * sum;
  }
  return a < 0 ? 2 - rest : rest;
}
gemm_tutor_inline double erf(double a) {
  const double square = a * a;
  if (!(__builtin_fabs(a) < 2.5)) return a < 0 ? erfc(-a) - 1 : 1 - erfc(a);
  double sum = 1;
  for (int n = 60; n > 0; --n) sum = __builtin_fma(sum, 2 * square / (2 * n + 1), 1.0);
  return 1.1283791670955126 * a * exp(-square) * sum;
}

// --- Remainders, the nearest whole number

gemm_tutor_inline double round(double a) {
  const double size = __builtin_fabs(a), whole = trunc(size);
  return __builtin_copysign(size - whole >= 0.5 ? whole + 1 : whole, a);
}
// Takes off b, doubled as often as it goes, until less is left: each difference is exact.
gemm_tutor_inline double fmod(double a, double b) {
  const double less = __builtin_fabs(b);
  double left = __builtin_fabs(a);
  if (!(left < __builtin_inf()) || less != less || less == 0) return __builtin_nan("");
  while (left >= less && less < __builtin_inf()) {
    double most = less;
    const long long apart = (__builtin_bit_cast(long long, left) >> 52) - (__builtin_bit_cast(long long, less) >> 52);
    if (less >= 0x1p-1022) most = __builtin_bit_cast(double, __builtin_bit_cast(long long, less) + (apart << 52));
    left -= most > left ? most / 2 : most;
  }
  return __builtin_copysign(left, a);
}
gemm_tutor_inline double remainder(double a, double b) {
  const double by = __builtin_fabs(b);
  double left = __builtin_fabs(fmod(a, by < 0x1p1022 ? 2 * by : by));
  if (left + left > by) {
    left -= by;
    if (left + left >= by) left -= by;
  }
  return __builtin_signbit(a) ? -left : left;
}
gemm_tutor_inline double fdim(double a, double b) { return a > b ? a - b : a != a || b != b ? a + b : 0.0; }

// --- The same of FP32, and by the names that C++ has for both

#define gemm_tutor_both_1(name) \
  gemm_tutor_inline float name##f(float a) { return (float)name((double)a); } \
  gemm_tutor_named_1(name)
#define gemm_tutor_both_2(name) \
  gemm_tutor_inline float name##f(float a, float b) { return (float)name((double)a, (double)b); } \
  gemm_tutor_named_2(name)
#define gemm_tutor_named_1(name) \
  gemm_tutor_inline float name(float a) { return name##f(a); } \
  template <typename T, typename gemm_tutor_if<__is_integral(T), int>::type = 0> \
  gemm_tutor_inline double name(T a) { return name((double)a); }
#define gemm_tutor_named_2(name) \
  gemm_tutor_inline float name(float a, float b) { return name##f(a, b); } \
  template <typename T, typename U, typename gemm_tutor_if<gemm_tutor_is_mixed<T, U>, int>::type = 0> \
  gemm_tutor_inline double name(T a, U b) { return name((double)a, (double)b); }

template <bool, typename T>
struct gemm_tutor_if {};
template <typename T>
struct gemm_tutor_if<true, T> {
  typedef T type;
};
template <typename T, typename U>
constexpr bool gemm_tutor_is_mixed =
    __is_arithmetic(T) && __is_arithmetic(U) && !(__is_same(T, U) && __is_floating_point(T));

gemm_tutor_both_1(expm1)
gemm_tutor_both_1(log1p)
gemm_tutor_both_1(log10)
gemm_tutor_both_1(exp10)
gemm_tutor_both_1(cbrt)
gemm_tutor_both_1(rcbrt)
gemm_tutor_both_1(sin)
gemm_tutor_both_1(cos)
gemm_tutor_both_1(tan)
gemm_tutor_both_1(sinpi)
gemm_tutor_both_1(cospi)
gemm_tutor_both_1(asin)
gemm_tutor_both_1(acos)
gemm_tutor_both_1(atan)
gemm_tutor_both_1(sinh)
gemm_tutor_both_1(cosh)
gemm_tutor_both_1(erf)
gemm_tutor_both_1(erfc)
gemm_tutor_both_1(round)
gemm_tutor_both_2(pow)
gemm_tutor_both_2(hypot)
gemm_tutor_both_2(rhypot)
gemm_tutor_both_2(atan2)
gemm_tutor_both_2(fmod)
gemm_tutor_both_2(remainder)
gemm_tutor_both_2(fdim)
gemm_tutor_named_1(sqrt)
gemm_tutor_named_1(rsqrt)
gemm_tutor_named_1(exp)
gemm_tutor_named_1(exp2)
gemm_tutor_named_1(log)
gemm_tutor_named_1(log2)
gemm_tutor_named_1(tanh)
gemm_tutor_named_1(floor)
gemm_tutor_named_1(ceil)
gemm_tutor_named_1(trunc)
gemm_tutor_named_1(rint)
gemm_tutor_named_1(fabs)
gemm_tutor_named_2(fmin)
gemm_tutor_named_2(fmax)
#undef gemm_tutor_both_1
#undef gemm_tutor_both_2
#undef gemm_tutor_named_1
#undef gemm_tutor_named_2
gemm_tutor_inline void sincosf(float a, float* sine, float* cosine) {
  *sine = sinf(a);
  *cosine = cosf(a);
}
gemm_tutor_inline float scalbnf(float a, int exponent) { return (float)ldexp((double)a, exponent); }
gemm_tutor_inline float abs(float a) { return __builtin_fabsf(a); }
gemm_tutor_inline double abs(double a) { return __builtin_fabs(a); }
gemm_tutor_inline long long abs(long long a) { return a < 0 ? -a : a; }
gemm_tutor_inline long long llabs(long long a) { return a < 0 ? -a : a; }
gemm_tutor_inline float normf(int count, const float* a) {
  double sum = 0;
  for (int i = 0; i < count; ++i) sum += (double)a[i] * a[i];
  return (float)sqrt(sum);
}
gemm_tutor_inline long lroundf(float a) { return (long)roundf(a); }
gemm_tutor_inline long lround(double a) { return (long)round(a); }

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

// --- The spaces of addresses

#define gemm_tutor_space(name, space) \
  gemm_tutor_inline unsigned name(const void* pointer) { \
    unsigned r; \
    asm("{.reg .pred p;\n isspacep." space " p, %1;\n selp.u32 %0, 1, 0, p;}" : "=r"(r) : "l"(pointer)); \
    return r; \
  }
gemm_tutor_space(__isGlobal, "global")
gemm_tutor_space(__isShared, "shared")
gemm_tutor_space(__isLocal, "local")
gemm_tutor_space(__isConstant, "const")
#undef gemm_tutor_space

// --- Atomic operations of other types and scopes, and shuffles of 64 bits

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
// What one GPU runs makes no difference between the scopes.
#define gemm_tutor_scopes(name) \
  template <typename T, typename... Values> \
  gemm_tutor_inline auto name##_block(T* at, Values... values) { return name(at, values...); } \
  template <typename T, typename... Values> \
  gemm_tutor_inline auto name##_system(T* at, Values... values) { return name(at, values...); }
gemm_tutor_scopes(atomicAdd)
gemm_tutor_scopes(atomicSub)
gemm_tutor_scopes(atomicMin)
gemm_tutor_scopes(atomicMax)
gemm_tutor_scopes(atomicInc)
gemm_tutor_scopes(atomicDec)
gemm_tutor_scopes(atomicAnd)
gemm_tutor_scopes(atomicOr)
gemm_tutor_scopes(atomicXor)
gemm_tutor_scopes(atomicExch)
gemm_tutor_scopes(atomicCAS)
#undef gemm_tutor_scopes

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
