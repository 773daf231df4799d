// What clang has to know of CUDA, in place of NVIDIA's own headers: the keywords, the vector types,
// the special registers and the functions that kernels for matrices use. Included before the first line
// of every file that clang compiles. None of these functions has lines of its own (nodebug): what
// they become counts for the line that calls them.
#pragma once

#define __CUDACC__ 1
// inline: clang 14 takes a __shared__ variable that no other file can name for one that no other thread
// can write, and moves its reads to before a barrier.
#define __global__ inline __attribute__((global, used))
#define __simt_instance __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((device))
#define __grid_constant__
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define simt_inline __attribute__((device, always_inline, nodebug)) static inline
#define simt_member __attribute__((host, device, always_inline, nodebug))
#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
#define assert(condition) \
  ((condition) ? (void)0 : __assertfail(#condition, __FILE__, __LINE__, __func__, 1))
#endif
#define NULL 0

typedef __SIZE_TYPE__ size_t;
extern "C" __attribute__((device)) void __assertfail(const char* condition, const char* file,
                                                     unsigned line, const char* function,
                                                     size_t character_bytes);
typedef __PTRDIFF_TYPE__ ptrdiff_t;

// `__shared__ alignas(16) float tile[8]` is no C++ when __shared__ is an attribute of GNU's form, unless
// alignas is another. It takes a number or a type.
template <typename T>
constexpr size_t simt_alignment() { return alignof(T); }
template <size_t bytes>
constexpr size_t simt_alignment() { return bytes; }
#define alignas(...) __attribute__((aligned(simt_alignment<__VA_ARGS__>())))

// --- Vector types

struct __align__(2) char2 { signed char x, y; };
struct __align__(4) char4 { signed char x, y, z, w; };
struct __align__(2) uchar2 { unsigned char x, y; };
struct __align__(4) uchar4 { unsigned char x, y, z, w; };
struct __align__(4) short2 { short x, y; };
struct __align__(8) short4 { short x, y, z, w; };
struct __align__(4) ushort2 { unsigned short x, y; };
struct __align__(8) ushort4 { unsigned short x, y, z, w; };
// Assigned as one value, so that a copy from memory to memory is one load and one store, as with
// NVRTC: clang would split it.
#ifdef simt_plain_vectors  // for a union of them that is assigned: its members must be trivial
#define simt_vector(name, type, count, ...) \
  struct __align__(sizeof(type) * count) name { type __VA_ARGS__; };
#else
#define simt_vector(name, type, count, ...) \
  struct __align__(sizeof(type) * count) name { \
    type __VA_ARGS__; \
    simt_member name& operator=(const name& from) { \
      typedef type all __attribute__((vector_size(sizeof(type) * count))); \
      *reinterpret_cast<all*>(this) = *reinterpret_cast<const all*>(&from); \
      return *this; \
    } \
  };
#endif
struct int1 { int x; };
struct __align__(8) int2 { int x, y; };
struct int3 { int x, y, z; };
simt_vector(int4, int, 4, x, y, z, w)
struct uint1 { unsigned x; };
struct __align__(8) uint2 { unsigned x, y; };
struct uint3 { unsigned x, y, z; };
simt_vector(uint4, unsigned, 4, x, y, z, w)
struct float1 { float x; };
simt_vector(float2, float, 2, x, y)
struct float3 { float x, y, z; };
simt_vector(float4, float, 4, x, y, z, w)
struct double1 { double x; };
struct __align__(16) double2 { double x, y; };
struct __align__(16) longlong2 { long long x, y; };
struct __align__(16) ulonglong2 { unsigned long long x, y; };
#undef simt_vector

simt_inline int2 make_int2(int x, int y) { return {x, y}; }
simt_inline int3 make_int3(int x, int y, int z) { return {x, y, z}; }
simt_inline int4 make_int4(int x, int y, int z, int w) { return {x, y, z, w}; }
simt_inline uint2 make_uint2(unsigned x, unsigned y) { return {x, y}; }
simt_inline uint3 make_uint3(unsigned x, unsigned y, unsigned z) { return {x, y, z}; }
simt_inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return {x, y, z, w}; }
simt_inline float1 make_float1(float x) { return {x}; }
simt_inline float2 make_float2(float x, float y) { return {x, y}; }
simt_inline float3 make_float3(float x, float y, float z) { return {x, y, z}; }
simt_inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
simt_inline double2 make_double2(double x, double y) { return {x, y}; }

struct dim3 {
  unsigned x, y, z;
  simt_member constexpr dim3(unsigned vx = 1, unsigned vy = 1, unsigned vz = 1)
      : x(vx), y(vy), z(vz) {}
  simt_member constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  simt_member constexpr operator uint3() const { return {x, y, z}; }
};

// --- Where a thread is

#define simt_read(letter, register) \
  __declspec(property(get = read_##letter)) unsigned letter; \
  simt_member static unsigned read_##letter() { return __nvvm_read_ptx_sreg_##register##_##letter(); }
#define simt_place(name, register) \
  struct simt_##name { \
    simt_read(x, register) \
    simt_read(y, register) \
    simt_read(z, register) \
    simt_member operator dim3() const { return dim3(x, y, z); } \
    simt_member operator uint3() const { return {x, y, z}; } \
  }; \
  extern const __device__ __attribute__((weak)) simt_##name name;

simt_place(threadIdx, tid)
simt_place(blockIdx, ctaid)
simt_place(blockDim, ntid)
simt_place(gridDim, nctaid)
#undef simt_place
#undef simt_read

constexpr int warpSize = 32;

// --- Threads that wait for and hear of one another; __syncthreads() is clang's own

simt_inline void __syncwarp(unsigned lanes = 0xffffffff) { __nvvm_bar_warp_sync(lanes); }
simt_inline int __syncthreads_count(int condition) { return __nvvm_bar0_popc(condition); }
simt_inline int __syncthreads_and(int condition) { return __nvvm_bar0_and(condition); }
simt_inline int __syncthreads_or(int condition) { return __nvvm_bar0_or(condition); }
simt_inline void __threadfence_block() { __nvvm_membar_cta(); }
simt_inline void __threadfence() { __nvvm_membar_gl(); }
simt_inline void __threadfence_system() { __nvvm_membar_sys(); }

simt_inline unsigned __ballot_sync(unsigned lanes, int condition) {
  return __nvvm_vote_ballot_sync(lanes, condition);
}
simt_inline int __any_sync(unsigned lanes, int condition) {
  return __nvvm_vote_any_sync(lanes, condition);
}
simt_inline int __all_sync(unsigned lanes, int condition) {
  return __nvvm_vote_all_sync(lanes, condition);
}
// The lanes that have the same value.
simt_inline unsigned __match_any_sync(unsigned lanes, unsigned value) {
  return __nvvm_match_any_sync_i32(lanes, value);
}
simt_inline unsigned __match_any_sync(unsigned lanes, int value) {
  return __nvvm_match_any_sync_i32(lanes, static_cast<unsigned>(value));
}
simt_inline unsigned __match_any_sync(unsigned lanes, unsigned long long value) {
  unsigned same;
  asm volatile("match.any.sync.b64 %0, %1, %2;" : "=r"(same) : "l"(value), "r"(lanes));
  return same;
}
simt_inline unsigned __activemask() {
  unsigned lanes;
  asm volatile("activemask.b32 %0;" : "=r"(lanes));
  return lanes;
}

// PTX takes the lanes of a group and the last lane of it in one operand.
#define simt_shuffle(name, instruction, last) \
  simt_inline int name(unsigned lanes, int value, int by, int width = 32) { \
    return __nvvm_shfl_sync_##instruction##_i32(lanes, value, by, ((32 - width) << 8) | last); \
  } \
  simt_inline unsigned name(unsigned lanes, unsigned value, int by, int width = 32) { \
    return static_cast<unsigned>(name(lanes, static_cast<int>(value), by, width)); \
  } \
  simt_inline float name(unsigned lanes, float value, int by, int width = 32) { \
    return __nvvm_shfl_sync_##instruction##_f32(lanes, value, by, ((32 - width) << 8) | last); \
  }
simt_shuffle(__shfl_sync, idx, 0x1f)
simt_shuffle(__shfl_up_sync, up, 0)
simt_shuffle(__shfl_down_sync, down, 0x1f)
simt_shuffle(__shfl_xor_sync, bfly, 0x1f)
#undef simt_shuffle

// --- Memory

simt_inline size_t __cvta_generic_to_shared(const void* pointer) {
  return (size_t)(const __attribute__((address_space(3))) void*)pointer;
}
simt_inline size_t __cvta_generic_to_global(const void* pointer) {
  return (size_t)(const __attribute__((address_space(1))) void*)pointer;
}

template <typename T>
simt_inline T __ldg(const T* pointer) { return *pointer; }
template <typename T>
simt_inline T __ldcg(const T* pointer) { return *pointer; }
template <typename T>
simt_inline T __ldca(const T* pointer) { return *pointer; }
template <typename T>
simt_inline T __ldcs(const T* pointer) { return *pointer; }
// Read again each time.
template <typename T>
simt_inline T __ldcv(const T* pointer) { return *(const volatile T*)pointer; }
template <typename T>
simt_inline void __stcs(T* pointer, T value) { *pointer = value; }
template <typename T>
simt_inline void __stcg(T* pointer, T value) { *pointer = value; }

simt_inline float atomicAdd(float* at, float value) { return __nvvm_atom_add_gen_f(at, value); }
simt_inline double atomicAdd(double* at, double value) { return __nvvm_atom_add_gen_d(at, value); }
simt_inline int atomicAdd(int* at, int value) { return __nvvm_atom_add_gen_i(at, value); }
simt_inline unsigned atomicAdd(unsigned* at, unsigned value) {
  return __nvvm_atom_add_gen_i((int*)at, (int)value);
}
simt_inline unsigned long long atomicAdd(unsigned long long* at, unsigned long long value) {
  return __nvvm_atom_add_gen_ll((long long*)at, (long long)value);
}
simt_inline int atomicSub(int* at, int value) { return atomicAdd(at, -value); }
simt_inline unsigned atomicSub(unsigned* at, unsigned value) { return atomicAdd(at, -value); }
simt_inline int atomicMin(int* at, int value) { return __nvvm_atom_min_gen_i(at, value); }
simt_inline unsigned atomicMin(unsigned* at, unsigned value) { return __nvvm_atom_min_gen_ui(at, value); }
simt_inline int atomicMax(int* at, int value) { return __nvvm_atom_max_gen_i(at, value); }
simt_inline unsigned atomicMax(unsigned* at, unsigned value) { return __nvvm_atom_max_gen_ui(at, value); }
simt_inline int atomicAnd(int* at, int value) { return __nvvm_atom_and_gen_i(at, value); }
simt_inline int atomicOr(int* at, int value) { return __nvvm_atom_or_gen_i(at, value); }
simt_inline int atomicXor(int* at, int value) { return __nvvm_atom_xor_gen_i(at, value); }
simt_inline int atomicExch(int* at, int value) { return __nvvm_atom_xchg_gen_i(at, value); }
simt_inline unsigned atomicExch(unsigned* at, unsigned value) {
  return __nvvm_atom_xchg_gen_i((int*)at, (int)value);
}
simt_inline int atomicCAS(int* at, int expected, int value) {
  return __nvvm_atom_cas_gen_i(at, expected, value);
}
simt_inline unsigned atomicCAS(unsigned* at, unsigned expected, unsigned value) {
  return __nvvm_atom_cas_gen_i((int*)at, (int)expected, (int)value);
}

// --- Bits and numbers

simt_inline int __float_as_int(float value) { return __builtin_bit_cast(int, value); }
simt_inline unsigned __float_as_uint(float value) { return __builtin_bit_cast(unsigned, value); }
simt_inline float __int_as_float(int value) { return __builtin_bit_cast(float, value); }
simt_inline float __uint_as_float(unsigned value) { return __builtin_bit_cast(float, value); }
simt_inline int __popc(unsigned value) { return __builtin_popcount(value); }
simt_inline int __clz(int value) { return value == 0 ? 32 : __builtin_clz(value); }
simt_inline int __ffs(int value) { return __builtin_ffs(value); }
simt_inline unsigned __brev(unsigned value) { return __builtin_bitreverse32(value); }
simt_inline int __mulhi(int a, int b) { return (int)(((long long)a * b) >> 32); }
simt_inline unsigned __umulhi(unsigned a, unsigned b) {
  return (unsigned)(((unsigned long long)a * b) >> 32);
}
simt_inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned by) {
  return (unsigned)((((unsigned long long)high << 32 | low) << (by & 31)) >> 32);
}
simt_inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned by) {
  return (unsigned)(((unsigned long long)high << 32 | low) >> (by & 31));
}
simt_inline int __mul24(int a, int b) { return ((a << 8) >> 8) * ((b << 8) >> 8); }

simt_inline float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
simt_inline double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
simt_inline float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
simt_inline float __fmaf_rn(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
simt_inline float __fmul_rn(float a, float b) { return __nvvm_mul_rn_f(a, b); }
simt_inline float __fadd_rn(float a, float b) { return __nvvm_add_rn_f(a, b); }
simt_inline float __fsub_rn(float a, float b) { return __nvvm_add_rn_f(a, -b); }
simt_inline float fabsf(float value) { return __builtin_fabsf(value); }
simt_inline double fabs(double value) { return __builtin_fabs(value); }
simt_inline float sqrtf(float value) { return __nvvm_sqrt_rn_f(value); }
simt_inline float rsqrtf(float value) { return __nvvm_rsqrt_approx_f(value); }
simt_inline float fminf(float a, float b) { return __builtin_fminf(a, b); }
simt_inline float fmaxf(float a, float b) { return __builtin_fmaxf(a, b); }
simt_inline float floorf(float value) { return __builtin_floorf(value); }
simt_inline float ceilf(float value) { return __builtin_ceilf(value); }
simt_inline float truncf(float value) { return __builtin_truncf(value); }
simt_inline int abs(int value) { return value < 0 ? -value : value; }

#define simt_least_and_most(result, first, second) \
  simt_inline result min(first a, second b) { return (result)a < (result)b ? (result)a : (result)b; } \
  simt_inline result max(first a, second b) { return (result)a > (result)b ? (result)a : (result)b; }
simt_least_and_most(int, int, int)
simt_least_and_most(unsigned, unsigned, unsigned)
simt_least_and_most(unsigned, int, unsigned)
simt_least_and_most(unsigned, unsigned, int)
simt_least_and_most(long, long, long)
simt_least_and_most(unsigned long, unsigned long, unsigned long)
simt_least_and_most(long long, long long, long long)
simt_least_and_most(unsigned long long, unsigned long long, unsigned long long)
#undef simt_least_and_most
simt_inline float min(float a, float b) { return __builtin_fminf(a, b); }
simt_inline float max(float a, float b) { return __builtin_fmaxf(a, b); }
simt_inline double min(double a, double b) { return __builtin_fmin(a, b); }
simt_inline double max(double a, double b) { return __builtin_fmax(a, b); }

// Clang makes a call of vprintf of it.
extern "C" __device__ int printf(const char* format, ...);
simt_inline void __trap() { asm volatile("trap;"); }

#include "cuda_arithmetic_for_clang.cuh"
#include "cuda_mathematics_for_clang.cuh"

#undef simt_inline
#undef simt_member
