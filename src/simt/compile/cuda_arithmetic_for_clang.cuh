// CUDA's functions for single instructions, for clang: roundings, conversions, approximations, small
// integers, warps. Part of cuda_for_clang.cuh. Each is the PTX that NVIDIA's compiler makes of it.

#define simt_asm_1(name, result, out, first, in, instruction) \
  simt_inline result name(first a) { \
    result r; \
    asm(instruction " %0, %1;" : out(r) : in(a)); \
    return r; \
  }
#define simt_asm_2(name, type, in, instruction) \
  simt_inline type name(type a, type b) { \
    type r; \
    asm(instruction " %0, %1, %2;" : "=" in(r) : in(a), in(b)); \
    return r; \
  }
#define simt_asm_3(name, type, in, instruction) \
  simt_inline type name(type a, type b, type c) { \
    type r; \
    asm(instruction " %0, %1, %2, %3;" : "=" in(r) : in(a), in(b), in(c)); \
    return r; \
  }

// In each direction: _rz, _rd, _ru. (_rn of these is in cuda_for_clang.cuh where it is common.)
#define simt_direction(suffix, rounding) \
  simt_asm_2(__fadd_##suffix, float, "f", "add." rounding ".f32") \
  simt_asm_2(__fsub_##suffix, float, "f", "sub." rounding ".f32") \
  simt_asm_2(__fmul_##suffix, float, "f", "mul." rounding ".f32") \
  simt_asm_3(__fmaf_##suffix, float, "f", "fma." rounding ".f32")
#define simt_rounding(suffix, rounding, integral) \
  simt_asm_2(__fdiv_##suffix, float, "f", "div." rounding ".f32") \
  simt_asm_1(__frcp_##suffix, float, "=f", float, "f", "rcp." rounding ".f32") \
  simt_asm_1(__fsqrt_##suffix, float, "=f", float, "f", "sqrt." rounding ".f32") \
  simt_asm_2(__dadd_##suffix, double, "d", "add." rounding ".f64") \
  simt_asm_2(__dmul_##suffix, double, "d", "mul." rounding ".f64") \
  simt_asm_2(__ddiv_##suffix, double, "d", "div." rounding ".f64") \
  simt_asm_3(__fma_##suffix, double, "d", "fma." rounding ".f64") \
  simt_asm_1(__drcp_##suffix, double, "=d", double, "d", "rcp." rounding ".f64") \
  simt_asm_1(__dsqrt_##suffix, double, "=d", double, "d", "sqrt." rounding ".f64") \
  simt_asm_1(__float2int_##suffix, int, "=r", float, "f", "cvt." integral ".s32.f32") \
  simt_asm_1(__float2uint_##suffix, unsigned, "=r", float, "f", "cvt." integral ".u32.f32") \
  simt_asm_1(__float2ll_##suffix, long long, "=l", float, "f", "cvt." integral ".s64.f32") \
  simt_asm_1(__float2ull_##suffix, unsigned long long, "=l", float, "f", "cvt." integral ".u64.f32") \
  simt_asm_1(__double2int_##suffix, int, "=r", double, "d", "cvt." integral ".s32.f64") \
  simt_asm_1(__double2uint_##suffix, unsigned, "=r", double, "d", "cvt." integral ".u32.f64") \
  simt_asm_1(__double2ll_##suffix, long long, "=l", double, "d", "cvt." integral ".s64.f64") \
  simt_asm_1(__double2ull_##suffix, unsigned long long, "=l", double, "d", "cvt." integral ".u64.f64") \
  simt_asm_1(__double2float_##suffix, float, "=f", double, "d", "cvt." rounding ".f32.f64") \
  simt_asm_1(__int2float_##suffix, float, "=f", int, "r", "cvt." rounding ".f32.s32") \
  simt_asm_1(__uint2float_##suffix, float, "=f", unsigned, "r", "cvt." rounding ".f32.u32") \
  simt_asm_1(__ll2float_##suffix, float, "=f", long long, "l", "cvt." rounding ".f32.s64") \
  simt_asm_1(__ull2float_##suffix, float, "=f", unsigned long long, "l", "cvt." rounding ".f32.u64") \
  simt_asm_1(__ll2double_##suffix, double, "=d", long long, "l", "cvt." rounding ".f64.s64") \
  simt_asm_1(__ull2double_##suffix, double, "=d", unsigned long long, "l", "cvt." rounding ".f64.u64")
simt_direction(rz, "rz")
simt_direction(rd, "rm")
simt_direction(ru, "rp")
simt_rounding(rn, "rn", "rni")
simt_rounding(rz, "rz", "rzi")
simt_rounding(rd, "rm", "rmi")
simt_rounding(ru, "rp", "rpi")
#undef simt_direction
#undef simt_rounding
simt_inline double __int2double_rn(int a) { return a; }
simt_inline double __uint2double_rn(unsigned a) { return a; }
simt_asm_1(__saturatef, float, "=f", float, "f", "cvt.sat.f32.f32")
simt_asm_1(__frsqrt_rn, float, "=f", float, "f", "rsqrt.approx.f32")
simt_asm_1(rintf, float, "=f", float, "f", "cvt.rni.f32.f32")
simt_asm_1(nearbyintf, float, "=f", float, "f", "cvt.rni.f32.f32")
simt_asm_1(rint, double, "=d", double, "d", "cvt.rni.f64.f64")
simt_asm_1(floor, double, "=d", double, "d", "cvt.rmi.f64.f64")
simt_asm_1(ceil, double, "=d", double, "d", "cvt.rpi.f64.f64")
simt_asm_1(trunc, double, "=d", double, "d", "cvt.rzi.f64.f64")
simt_asm_1(lrintf, long, "=l", float, "f", "cvt.rni.s64.f32")
simt_asm_1(llrintf, long long, "=l", float, "f", "cvt.rni.s64.f32")
simt_asm_1(llrint, long long, "=l", double, "d", "cvt.rni.s64.f64")
simt_asm_1(sqrt, double, "=d", double, "d", "sqrt.rn.f64")
simt_inline float copysignf(float size, float sign) { return __builtin_copysignf(size, sign); }
simt_inline double copysign(double size, double sign) { return __builtin_copysign(size, sign); }
simt_inline double fmin(double a, double b) { return __builtin_fmin(a, b); }
simt_inline double fmax(double a, double b) { return __builtin_fmax(a, b); }

// Approximations.
simt_asm_1(simt_ex2, float, "=f", float, "f", "ex2.approx.f32")
simt_asm_1(__log2f, float, "=f", float, "f", "lg2.approx.f32")
simt_asm_1(__sinf, float, "=f", float, "f", "sin.approx.f32")
simt_asm_1(__cosf, float, "=f", float, "f", "cos.approx.f32")
simt_asm_1(__tanhf, float, "=f", float, "f", "tanh.approx.f32")
simt_asm_2(__fdividef, float, "f", "div.approx.f32")
simt_inline float __expf(float a) { return simt_ex2(a * 1.4426950408889634f); }
simt_inline float __exp10f(float a) { return simt_ex2(a * 3.3219280948873623f); }
simt_inline float __logf(float a) { return __log2f(a) * 0.6931471805599453f; }
simt_inline float __log10f(float a) { return __log2f(a) * 0.3010299956639812f; }
simt_inline float __powf(float a, float b) { return simt_ex2(b * __log2f(a)); }
simt_inline float __tanf(float a) { return __fdividef(__sinf(a), __cosf(a)); }
simt_inline void __sincosf(float a, float* sine, float* cosine) {
  *sine = __sinf(a);
  *cosine = __cosf(a);
}

// With more places, though fewer than NVIDIA's. A power of two is exact.
simt_inline float exp2f(float a) { return simt_ex2(a); }
simt_inline float log2f(float a) { return __log2f(a); }
simt_inline float logf(float a) { return __logf(a); }
simt_inline float ldexpf(float a, int exponent) {
  const int half = exponent / 2;
  return a * simt_ex2((float)half) * simt_ex2((float)(exponent - half));
}
simt_inline float expf(float a) {
  const float whole = rintf(a * 1.4426950408889634f);
  if (!(whole > -300.0f && whole < 300.0f)) return simt_ex2(whole);
  const float rest = __builtin_fmaf(whole, 1.9046542e-9f, __builtin_fmaf(whole, -0.69314718f, a));
  return ldexpf(simt_ex2(rest * 1.4426950408889634f), (int)whole);
}
simt_inline float tanhf(float a) {
  const float size = __builtin_fabsf(a), square = a * a;
  if (size < 0.2f) return a - a * square * (0.33333333f - square * (0.13333333f - square * 0.053968254f));
  return __builtin_copysignf(1.0f - 2.0f / (expf(2.0f * size) + 1.0f), a);
}

// Integers.
simt_asm_3(__byte_perm, unsigned, "r", "prmt.b32")
simt_asm_3(__dp4a, int, "r", "dp4a.s32.s32")
simt_asm_3(__dp4a, unsigned, "r", "dp4a.u32.u32")
simt_asm_3(__dp2a_lo, int, "r", "dp2a.lo.s32.s32")
simt_asm_3(__dp2a_lo, unsigned, "r", "dp2a.lo.u32.u32")
simt_asm_3(__dp2a_hi, int, "r", "dp2a.hi.s32.s32")
simt_asm_3(__dp2a_hi, unsigned, "r", "dp2a.hi.u32.u32")
simt_asm_2(__umul24, unsigned, "r", "mul24.lo.u32")
simt_asm_2(__mul64hi, long long, "l", "mul.hi.s64")
simt_asm_2(__umul64hi, unsigned long long, "l", "mul.hi.u64")
simt_inline unsigned __sad(int a, int b, unsigned c) { return c + (a < b ? (unsigned)b - a : (unsigned)a - b); }
simt_inline unsigned __usad(unsigned a, unsigned b, unsigned c) { return c + (a < b ? b - a : a - b); }
simt_inline int __popcll(unsigned long long value) { return __builtin_popcountll(value); }
simt_inline int __clzll(long long value) { return value == 0 ? 64 : __builtin_clzll(value); }
simt_inline int __ffsll(long long value) { return __builtin_ffsll(value); }
simt_inline unsigned long long __brevll(unsigned long long value) { return __builtin_bitreverse64(value); }
simt_inline long long __double_as_longlong(double value) { return __builtin_bit_cast(long long, value); }
simt_inline double __longlong_as_double(long long value) { return __builtin_bit_cast(double, value); }
simt_inline int __double2hiint(double value) { return (int)(__double_as_longlong(value) >> 32); }
simt_inline int __double2loint(double value) { return (int)__double_as_longlong(value); }
simt_inline char2 make_char2(signed char x, signed char y) { return {x, y}; }
simt_inline char4 make_char4(signed char x, signed char y, signed char z, signed char w) { return {x, y, z, w}; }
simt_inline uchar2 make_uchar2(unsigned char x, unsigned char y) { return {x, y}; }
simt_inline uchar4 make_uchar4(unsigned char x, unsigned char y, unsigned char z, unsigned char w) { return {x, y, z, w}; }
simt_inline short2 make_short2(short x, short y) { return {x, y}; }
simt_inline short4 make_short4(short x, short y, short z, short w) { return {x, y, z, w}; }
simt_inline ushort2 make_ushort2(unsigned short x, unsigned short y) { return {x, y}; }

// Warps. volatile: which lanes are there is part of what they answer.
#define simt_reduce(name, type, instruction) \
  simt_inline type name(unsigned lanes, type value) { \
    type r; \
    asm volatile(instruction " %0, %1, %2;" : "=r"(r) : "r"(value), "r"(lanes)); \
    return r; \
  }
simt_reduce(__reduce_add_sync, unsigned, "redux.sync.add.u32")
simt_reduce(__reduce_add_sync, int, "redux.sync.add.s32")
simt_reduce(__reduce_min_sync, unsigned, "redux.sync.min.u32")
simt_reduce(__reduce_min_sync, int, "redux.sync.min.s32")
simt_reduce(__reduce_max_sync, unsigned, "redux.sync.max.u32")
simt_reduce(__reduce_max_sync, int, "redux.sync.max.s32")
simt_reduce(__reduce_and_sync, unsigned, "redux.sync.and.b32")
simt_reduce(__reduce_or_sync, unsigned, "redux.sync.or.b32")
simt_reduce(__reduce_xor_sync, unsigned, "redux.sync.xor.b32")
#undef simt_reduce
template <typename T>
simt_inline unsigned __match_all_sync(unsigned lanes, T value, int* all) {
  unsigned r, agree;
  if constexpr (sizeof(T) == 8) {
    asm volatile("{.reg .pred p;\n match.all.sync.b64 %0|p, %2, %3;\n selp.u32 %1, 1, 0, p;}"
                 : "=r"(r), "=r"(agree) : "l"(__builtin_bit_cast(long long, value)), "r"(lanes));
  } else {
    asm volatile("{.reg .pred p;\n match.all.sync.b32 %0|p, %2, %3;\n selp.u32 %1, 1, 0, p;}"
                 : "=r"(r), "=r"(agree) : "r"(__builtin_bit_cast(int, value)), "r"(lanes));
  }
  *all = agree;
  return r;
}

// Clocks.
simt_inline long long clock64() {
  long long r;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(r));
  return r;
}
simt_inline int clock() { return (int)clock64(); }
simt_inline void __nanosleep(unsigned nanoseconds) {
  asm volatile("nanosleep.u32 %0;" ::"r"(nanoseconds));
}

#undef simt_asm_1
#undef simt_asm_2
#undef simt_asm_3
