#include "instruction_cases.hpp"

#include <algorithm>
#include <bit>
#include <fstream>

#include "simt/exec/address_space.hpp"

namespace gemm_tutor::emulator {
namespace {

constexpr Bits n(std::int64_t value) { return static_cast<Bits>(value); }
constexpr Bits f(float value) { return std::bit_cast<std::uint32_t>(value); }
constexpr Bits d(double value) { return std::bit_cast<std::uint64_t>(value); }

constexpr Bits nan = 0x7fffffff;        // what arithmetic makes
constexpr Bits other_nan = 0x7fc12345;  // what it may be given
constexpr Bits infinity = 0x7f800000, minus_infinity = 0xff800000, minus_zero = 0x80000000;
constexpr Bits largest = 0x7f7fffff, smallest = 0x00000001, smallest_normal = 0x00800000;
constexpr Bits double_nan = 0x7ff8000000000000, double_minus_zero = Bits{1} << 63;
constexpr Bits all = ~Bits{0};
constexpr Bits least32 = 0x80000000, most32 = 0x7fffffff;
constexpr Bits least64 = Bits{1} << 63, most64 = least64 - 1;

using Cases = std::vector<InstructionCase>;

void add_integer_arithmetic(Cases& out) {
  const Cases cases = {
      {"add.s16 add.u16", "rs rs rs", {{1, 2, 3}, {0xffff, 1, 0}, {0x7fff, 1, 0x8000}}},
      {"add.s32 add.u32", "r r r", {{1, 2, 3}, {0xffffffff, 1, 0}, {most32, 1, least32}}},
      {"add.s64 add.u64", "rd rd rd", {{0xffffffff, 1, 0x100000000}, {all, 1, 0}}},
      {"sub.s16 sub.u16", "rs rs rs", {{1, 2, 0xffff}, {0x8000, 1, 0x7fff}}},
      {"sub.s32 sub.u32", "r r r", {{1, 2, 0xffffffff}, {least32, 1, most32}}},
      {"sub.s64 sub.u64", "rd rd rd", {{0, 1, all}, {0x100000000, 1, 0xffffffff}}},
      // (2^16 - 1)² = 2^32 - 2^17 + 1
      {"mul.lo.s16 mul.lo.u16", "rs rs rs", {{0xffff, 0xffff, 1}, {300, 300, 24464}}},
      {"mul.lo.s32 mul.lo.u32", "r r r", {{n(-3), 5, n(-15)}, {0x10001, 0x10001, 0x20001}}},
      {"mul.lo.s64 mul.lo.u64",
       "rd rd rd",
       {{n(-3), 5, n(-15)}, {0x100000001, 0x100000001, 0x200000001}}},
      // (-1)² = 1, (-2^15)² = 2^30, and 300² = 90,000 = 2^16 + 24,464
      {"mul.hi.s16", "rs rs rs", {{0xffff, 0xffff, 0}, {0x8000, 0x8000, 0x4000}, {300, 300, 1}}},
      {"mul.hi.u16",
       "rs rs rs",
       {{0xffff, 0xffff, 0xfffe}, {0x8000, 0x8000, 0x4000}, {300, 300, 1}}},
      {"mul.hi.s32",
       "r r r",
       {{n(-1), n(-1), 0}, {least32, least32, 0x40000000}, {least32, 2, n(-1)}, {n(-1), 1, n(-1)}}},
      {"mul.hi.u32",
       "r r r",
       {{n(-1), n(-1), 0xfffffffe}, {least32, least32, 0x40000000}, {least32, 2, 1}}},
      {"mul.hi.s64",
       "rd rd rd",
       {{n(-1), n(-1), 0}, {least64, least64, Bits{1} << 62}, {least64, 2, n(-1)}}},
      {"mul.hi.u64",
       "rd rd rd",
       {{all, all, n(-2)}, {least64, least64, Bits{1} << 62}, {least64, 2, 1}}},
      {"mul.wide.s16",
       "r rs rs",
       {{n(-1), n(-1), 1}, {0x8000, 0x8000, 0x40000000}, {n(-2), 3, n(-6)}}},
      {"mul.wide.u16", "r rs rs", {{0xffff, 0xffff, 0xfffe0001}, {0x8000, 2, 0x10000}}},
      {"mul.wide.s32",
       "rd r r",
       {{n(-1), n(-1), 1}, {least32, least32, Bits{1} << 62}, {n(-2), 3, n(-6)}}},
      {"mul.wide.u32", "rd r r", {{n(-1), n(-1), 0xfffffffe00000001}, {least32, 2, 0x100000000}}},
      {"mad.lo.s16 mad.lo.u16", "rs rs rs rs", {{0xffff, 2, 3, 1}, {0x100, 0x100, 7, 7}}},
      {"mad.lo.s32 mad.lo.u32", "r r r r", {{n(-3), 5, 16, 1}, {0x10000, 0x10000, 7, 7}}},
      {"mad.lo.s64 mad.lo.u64", "rd rd rd rd", {{n(-3), 5, 16, 1}, {least64, 2, 7, 7}}},
      {"mad.hi.s32", "r r r r", {{n(-1), n(-1), 5, 5}, {least32, 2, 1, 0}}},
      {"mad.hi.u32", "r r r r", {{n(-1), n(-1), 5, 3}, {least32, 2, n(-1), 0}}},
      {"mad.wide.s32",
       "rd r r rd",
       {{n(-2), 3, 5, n(-1)}, {least32, least32, 1, (Bits{1} << 62) + 1}}},
      {"mad.wide.u32", "rd r r rd", {{n(-1), n(-1), 0x1ffffffff, 0}, {least32, 2, 1, 0x100000001}}},
      {"neg.s16", "rs rs", {{1, 0xffff}, {0x8000, 0x8000}, {0, 0}}},
      {"neg.s32", "r r", {{1, n(-1)}, {least32, least32}, {0, 0}}},
      {"neg.s64", "rd rd", {{1, n(-1)}, {least64, least64}, {0, 0}}},
      {"abs.s32", "r r", {{n(-7), 7}, {7, 7}, {least32, least32}}},
      {"abs.s64", "rd rd", {{n(-7), 7}, {7, 7}, {least64, least64}}},
  };
  out.insert(out.end(), cases.begin(), cases.end());
}

// Division by zero is left open by the language; GPUs give a quotient of all ones.
void add_division(Cases& out) {
  const std::vector<std::vector<Bits>> signed_quotients = {
      {7, 2, 3}, {n(-7), 2, n(-3)}, {7, n(-2), n(-3)}, {n(-7), n(-2), 3}, {0, 5, 0}, {3, 7, 0}};
  const std::vector<std::vector<Bits>> signed_remainders = {
      {7, 2, 1}, {n(-7), 2, n(-1)}, {7, n(-2), 1}, {n(-7), n(-2), n(-1)}, {0, 5, 0}, {3, 7, 3}};
  const Cases cases = {
      {"div.s16", "rs rs rs", signed_quotients},
      {"div.s32", "r r r", signed_quotients},
      {"div.s32", "r r r", {{least32, n(-1), least32}, {5, 0, n(-1)}, {n(-5), 0, n(-1)}}},
      {"div.s64", "rd rd rd", signed_quotients},
      {"div.s64", "rd rd rd", {{least64, n(-1), least64}, {7, 0, all}, {all - 6, 0, all}}},
      {"div.u16", "rs rs rs", {{7, 2, 3}, {0xffff, 2, 0x7fff}, {0xffff, 0xffff, 1}}},
      {"div.u32", "r r r", {{7, 2, 3}, {n(-1), 2, most32}, {1, n(-1), 0}, {5, 0, n(-1)}}},
      {"div.u64", "rd rd rd", {{7, 2, 3}, {all, 2, most64}, {1, all, 0}, {7, 0, all}}},
      {"rem.s16", "rs rs rs", signed_remainders},
      {"rem.s32", "r r r", signed_remainders},
      {"rem.s32", "r r r", {{least32, n(-1), 0}, {7, 0, n(-1)}, {n(-7), 0, n(-1)}}},
      {"rem.s64", "rd rd rd", signed_remainders},
      {"rem.s64", "rd rd rd", {{least64, n(-1), 0}, {7, 0, all}, {all - 6, 0, all}}},
      {"rem.u16", "rs rs rs", {{7, 2, 1}, {0xffff, 16, 15}, {1, 0xffff, 1}}},
      {"rem.u32", "r r r", {{7, 2, 1}, {n(-1), 16, 15}, {1, n(-1), 1}, {7, 0, n(-1)}}},
      {"rem.u64", "rd rd rd", {{7, 2, 1}, {all, 16, 15}, {1, all, 1}, {7, 0, all}}},
  };
  out.insert(out.end(), cases.begin(), cases.end());
}

void add_integer_choices(Cases& out) {
  struct Width {
    std::string bits, register_class;
  };
  for (const auto& [bits, c] : {Width{"16", "rs"}, Width{"32", "r"}, Width{"64", "rd"}}) {
    const std::string two = c + " " + c + " " + c;
    const Cases cases = {
        {"min.s" + bits, two, {{n(-1), 1, n(-1)}, {1, n(-1), n(-1)}, {3, 2, 2}, {2, 2, 2}}},
        {"max.s" + bits, two, {{n(-1), 1, 1}, {1, n(-1), 1}, {3, 2, 3}, {2, 2, 2}}},
        {"min.u" + bits, two, {{n(-1), 1, 1}, {1, n(-1), 1}, {3, 2, 2}}},
        {"max.u" + bits, two, {{n(-1), 1, n(-1)}, {1, n(-1), n(-1)}, {3, 2, 3}}},
        {"selp.b" + bits + " selp.u" + bits + " selp.s" + bits,
         two + " p",
         {{n(-5), 7, 1, n(-5)}, {n(-5), 7, 0, 7}}},
        {"mov.b" + bits + " mov.u" + bits + " mov.s" + bits, c + " " + c, {{n(-5), n(-5)}, {7, 7}}},
        {"and.b" + bits, two, {{n(-1), 0x1234, 0x1234}, {12, 10, 8}}},
        {"or.b" + bits, two, {{n(-16), 3, n(-13)}, {12, 10, 14}}},
        {"xor.b" + bits, two, {{n(-1), 1, n(-2)}, {12, 10, 6}}},
        {"not.b" + bits, c + " " + c, {{0, n(-1)}, {5, n(-6)}}},
    };
    out.insert(out.end(), cases.begin(), cases.end());
  }
  // A NaN that is only moved stays what it is.
  out.push_back(
      {"selp.f32", "r r r p", {{other_nan, 1, 1, other_nan}, {1, 0xffc00001, 0, 0xffc00001}}});
  out.push_back({"selp.f64", "rd rd rd p", {{double_nan + 5, 1, 1, double_nan + 5}, {1, 2, 0, 2}}});
  out.push_back({"mov.f32", "r r", {{other_nan, other_nan}, {minus_zero, minus_zero}}});
  out.push_back({"mov.f64", "rd rd", {{double_nan + 5, double_nan + 5}}});
}

void add_bits(Cases& out) {
  constexpr Bits low = 0x89abcdef, high = 0x01234567;  // for funnel shifts: high then low
  const Cases cases = {
      {"shl.b16",
       "rs rs r",
       {{1, 15, 0x8000}, {1, 16, 0}, {0xffff, 4, 0xfff0}, {1, 0x80000001, 0}}},
      {"shl.b32",
       "r r r",
       {{1, 0, 1},
        {1, 31, least32},
        {1, 32, 0},
        {1, 33, 0},
        {1, least32, 0},
        {n(-1), 4, 0xfffffff0}}},
      {"shl.b64", "rd rd r", {{1, 63, least64}, {1, 64, 0}, {1, 65, 0}, {1, 32, 0x100000000}}},
      {"shr.s16",
       "rs rs r",
       {{n(-8), 1, n(-4)}, {0x8000, 15, n(-1)}, {0x8000, 16, n(-1)}, {0x7fff, 99, 0}}},
      {"shr.u16 shr.b16", "rs rs r", {{n(-8), 1, 0x7ffc}, {0x8000, 15, 1}, {0x8000, 16, 0}}},
      {"shr.s32",
       "r r r",
       {{n(-8), 1, n(-4)},
        {least32, 31, n(-1)},
        {n(-1), 32, n(-1)},
        {most32, 40, 0},
        {least32, least32, n(-1)}}},
      {"shr.u32 shr.b32",
       "r r r",
       {{n(-8), 1, 0x7ffffffc}, {least32, 31, 1}, {n(-1), 32, 0}, {n(-1), n(-1), 0}}},
      {"shr.s64",
       "rd rd r",
       {{n(-8), 1, n(-4)}, {least64, 63, n(-1)}, {n(-1), 64, n(-1)}, {most64, 64, 0}}},
      {"shr.u64 shr.b64", "rd rd r", {{least64, 63, 1}, {all, 64, 0}, {all, 32, 0xffffffff}}},
      {"shf.l.wrap.b32",
       "r r r r",
       {{low, high, 8, 0x23456789},
        {low, high, 40, 0x23456789},
        {low, high, 0, high},
        {low, high, 32, high}}},
      {"shf.r.wrap.b32",
       "r r r r",
       {{low, high, 8, 0x6789abcd},
        {low, high, 40, 0x6789abcd},
        {low, high, 0, low},
        {low, high, 32, low}}},
      {"shf.l.clamp.b32",
       "r r r r",
       {{low, high, 8, 0x23456789},
        {low, high, 31, 0xc4d5e6f7},
        {low, high, 32, low},
        {low, high, 40, low},
        {low, high, 0, high}}},
      {"shf.r.clamp.b32",
       "r r r r",
       {{low, high, 8, 0x6789abcd},
        {low, high, 32, high},
        {low, high, 40, high},
        {low, high, 0, low}}},
      {"bfe.u32",
       "r r r r",
       {{0x12345678, 8, 8, 0x56},
        {0xf0000000, 28, 8, 0xf},
        {n(-1), 0, 0, 0},
        {n(-1), 32, 8, 0},
        {0x12345678, 0, 32, 0x12345678},
        {0x12345678, 0x108, 8, 0x56},
        {0x12345678, 8, 255, 0x123456}}},
      {"bfe.s32",
       "r r r r",
       {{0x12345678, 8, 8, 0x56},
        {0xf000, 12, 4, n(-1)},
        {least32, 28, 8, 0xfffffff8},
        {least32, 32, 8, n(-1)},
        {n(-1), 5, 0, 0},
        {most32, 40, 8, 0},
        {n(-7), 0, 32, n(-7)}}},
      {"bfe.u64",
       "rd rd r r",
       {{0x123456789abcdef0, 32, 16, 0x5678}, {all, 60, 8, 15}, {all, 0, 64, all}}},
      {"bfe.s64",
       "rd rd r r",
       {{0x0000800000000000, 32, 16, n(-0x8000)}, {least64, 60, 8, n(-8)}, {all, 3, 0, 0}}},
      {"bfi.b32",
       "r r r r r",
       {{0xff, 0x12345678, 8, 8, 0x1234ff78},
        {0xf, 0, 30, 4, 0xc0000000},
        {1, 5, 32, 4, 5},
        {n(-1), 5, 4, 0, 5},
        {0xabcdef01, 5, 0, 32, 0xabcdef01},
        {0xab, 0, 0x108, 8, 0xab00}}},
      {"bfi.b64",
       "rd rd rd r r",
       {{0xff, 0x123456789abcdef0, 32, 8, 0x123456ff9abcdef0},
        {0xf, 0, 62, 4, Bits{3} << 62},
        {1, 5, 64, 4, 5},
        {all, 5, 4, 0, 5},
        {7, 5, 0, 64, 7},
        {1, 2, 32, 32, 0x100000002}}},
      {"prmt.b32",
       "r r r r",
       {{0x33221100, 0x77665544, 0x3210, 0x33221100},
        {0x33221100, 0x77665544, 0x7654, 0x77665544},
        {0x33221100, 0x77665544, 0x0123, 0x00112233},
        {0x33221100, 0x77665544, 0x6240, 0x66224400},
        {0x8000007f, 0, 0x8b8b, 0x00ff00ff}}},
      // and, or, exclusive or, a ? b : c, and constants
      {"lop3.b32",
       "r r r r r",
       {{0xff00ff00, 0xf0f0f0f0, 0xcccccccc, 0x80, 0xc000c000},
        {0xff00ff00, 0xf0f0f0f0, 0xcccccccc, 0xfe, 0xfffcfffc},
        {0xff00ff00, 0xf0f0f0f0, 0xcccccccc, 0x96, 0xc33cc33c},
        {0xff00ff00, 0xf0f0f0f0, 0xcccccccc, 0xca, 0xf0ccf0cc},
        {1, 2, 3, 0, 0},
        {1, 2, 3, 0xff, n(-1)},
        {1, 2, 3, 0xf0, 1},
        {1, 2, 3, 0xcc, 2},
        {1, 2, 3, 0xaa, 3}}},
      {"brev.b32", "r r", {{1, least32}, {0x12345678, 0x1e6a2c48}, {n(-1), n(-1)}}},
      {"popc.b32", "r r", {{0, 0}, {n(-1), 32}, {0x80000001, 2}}},
      {"popc.b64", "r rd", {{0, 0}, {all, 64}, {0x8000000000000001, 2}}},
      {"bfind.u32", "r r", {{1, 0}, {0, n(-1)}, {least32, 31}, {0xffff, 15}}},
      {"bfind.shiftamt.u32", "r r", {{1, 31}, {0, n(-1)}, {least32, 0}, {0xffff, 16}}},
      {"clz.b32", "r r", {{0, 32}, {1, 31}, {least32, 0}, {0xffff, 16}}},
      {"clz.b64", "r rd", {{0, 64}, {1, 63}, {least64, 0}, {0xffffffff, 32}}},
      {"pack.b64",
       "rd r r",
       {{0x11111111, 0x22222222, 0x2222222211111111}, {n(-1), 0, 0xffffffff}}},
      {"low.b64", "r rd", {{0x2222222211111111, 0x11111111}}},
      {"high.b64", "r rd", {{0x2222222211111111, 0x22222222}}},
      {"and.pred", "p p p", {{0, 0, 0}, {0, 1, 0}, {1, 0, 0}, {1, 1, 1}}},
      {"or.pred", "p p p", {{0, 0, 0}, {0, 1, 1}, {1, 0, 1}, {1, 1, 1}}},
      {"xor.pred", "p p p", {{0, 0, 0}, {0, 1, 1}, {1, 0, 1}, {1, 1, 0}}},
      {"not.pred", "p p", {{0, 1}, {1, 0}}},
      {"mov.pred", "p p", {{0, 0}, {1, 1}}},
  };
  out.insert(out.end(), cases.begin(), cases.end());
}

void add_single_precision(Cases& out) {
  constexpr Bits square_root_of_one_half_ulp = 0x3f800800;  // 1 + 2^-12
  constexpr Bits x = square_root_of_one_half_ulp;
  const Cases cases = {
      // 2^24 + 1 lies between two floats and goes to the even one, as does 2^24 + 3.
      {"add.f32 add.rn.f32",
       "r r r",
       {{f(0x1p24f), f(1), f(0x1p24f)},
        {f(0x1p24f + 2), f(1), f(0x1p24f + 4)},
        {smallest, smallest, 2},
        {largest, largest, infinity},
        {infinity, minus_infinity, nan},
        {other_nan, f(1), nan},
        {minus_zero, minus_zero, minus_zero},
        {minus_zero, 0, 0},
        {f(1), f(-1), 0}}},
      {"sub.f32 sub.rn.f32",
       "r r r",
       {{f(3), f(5), f(-2)},
        {smallest_normal, smallest, 0x007fffff},
        {infinity, infinity, nan},
        {0, 0, 0},
        {minus_zero, 0, minus_zero},
        {f(1), 0xffc00001, nan}}},
      // (1 + 2^-12)² = 1 + 2^-11 + 2^-24: half an ulp over, to even. Half the smallest denormal
      // goes
      // to 0, one and a half to 2.
      {"mul.f32 mul.rn.f32",
       "r r r",
       {{f(3), f(-5), f(-15)},
        {x, x, 0x3f801000},
        {smallest_normal, f(0.5f), 0x00400000},
        {smallest, f(0.5f), 0},
        {3, f(0.5f), 2},
        {largest, f(2), infinity},
        {infinity, 0, nan},
        {other_nan, 0, nan},
        {minus_zero, f(3), minus_zero}}},
      // What the product alone would have lost is still there: 2^-24.
      {"fma.rn.f32",
       "r r r r",
       {{f(3), f(5), f(7), f(22)},
        {x, x, 0xbf801000, f(0x1p-24f)},
        {smallest, f(0.5f), smallest, 2},
        {largest, f(2), minus_infinity, minus_infinity},
        {largest, f(2), 0xff7fffff, largest},
        {infinity, 0, f(1), nan},
        {f(1), f(1), other_nan, nan},
        {minus_zero, f(1), minus_zero, minus_zero},
        {f(1), f(1), f(-1), 0}}},
      {"div.rn.f32",
       "r r r",
       {{f(1), f(3), 0x3eaaaaab},
        {f(-1), 0, minus_infinity},
        {f(1), 0, infinity},
        {0, 0, nan},
        {smallest_normal, f(2), 0x00400000},
        {smallest, f(2), 0},
        {other_nan, f(1), nan}}},
      // 1 / largest = 2^-128 · (1 + 2^-24), a denormal of 21 places
      {"rcp.rn.f32",
       "r r",
       {{f(3), 0x3eaaaaab},
        {0, infinity},
        {minus_zero, minus_infinity},
        {largest, 0x00200000},
        {other_nan, nan}}},
      {"sqrt.rn.f32",
       "r r",
       {{f(4), f(2)},
        {f(2), 0x3fb504f3},
        {f(-1), nan},
        {minus_zero, minus_zero},
        {2, f(0x1p-74f)},
        {infinity, infinity}}},
      {"min.f32",
       "r r r",
       {{f(1), f(2), f(1)},
        {f(2), f(-1), f(-1)},
        {0, minus_zero, minus_zero},
        {minus_zero, 0, minus_zero},
        {other_nan, f(1), f(1)},
        {f(1), other_nan, f(1)},
        {other_nan, other_nan, nan},
        {minus_infinity, f(1), minus_infinity},
        {smallest, 0, 0}}},
      {"max.f32",
       "r r r",
       {{f(1), f(2), f(2)},
        {f(2), f(-1), f(2)},
        {0, minus_zero, 0},
        {minus_zero, 0, 0},
        {other_nan, f(1), f(1)},
        {f(1), other_nan, f(1)},
        {other_nan, other_nan, nan},
        {infinity, f(1), infinity},
        {smallest, 0, smallest}}},
      {"neg.f32",
       "r r",
       {{f(1), f(-1)},
        {other_nan, nan},
        {0, minus_zero},
        {minus_infinity, infinity},
        {smallest, 0x80000001}}},
      {"abs.f32",
       "r r",
       {{f(-1), f(1)},
        {0xffc00001, nan},
        {minus_zero, 0},
        {minus_infinity, infinity},
        {f(2), f(2)}}},
  };
  out.insert(out.end(), cases.begin(), cases.end());
}

void add_double_precision(Cases& out) {
  constexpr Bits x = 0x3ff0000002000000;  // 1 + 2^-27
  const Cases cases = {
      {"add.f64 add.rn.f64",
       "rd rd rd",
       {{d(1), d(0x1p-53), d(1)},
        {0x3ff0000000000001, d(0x1p-53), 0x3ff0000000000002},
        {1, 1, 2},
        {d(1e308), d(1e308), 0x7ff0000000000000}}},
      {"sub.f64 sub.rn.f64",
       "rd rd rd",
       {{d(3), d(5), d(-2)}, {0x0010000000000000, 1, 0x000fffffffffffff}}},
      {"mul.f64 mul.rn.f64",
       "rd rd rd",
       {{d(3), d(-5), d(-15)}, {x, x, 0x3ff0000004000000}, {3, d(0.5), 2}}},
      {"fma.rn.f64",
       "rd rd rd rd",
       {{d(3), d(5), d(7), d(22)}, {x, x, 0xbff0000004000000, d(0x1p-54)}}},
      {"div.rn.f64", "rd rd rd", {{d(1), d(3), 0x3fd5555555555555}, {d(1), 0, 0x7ff0000000000000}}},
      {"min.f64",
       "rd rd rd",
       {{d(1), d(2), d(1)},
        {0, double_minus_zero, double_minus_zero},
        {double_nan, d(1), d(1)},
        {d(1), double_nan, d(1)}}},
      {"max.f64",
       "rd rd rd",
       {{d(1), d(2), d(2)},
        {0, double_minus_zero, 0},
        {double_nan, d(1), d(1)},
        {d(1), double_nan, d(1)}}},
      {"neg.f64", "rd rd", {{d(1), d(-1)}, {0, double_minus_zero}}},
      {"abs.f64", "rd rd", {{d(-1), d(1)}, {double_minus_zero, 0}}},
  };
  out.insert(out.end(), cases.begin(), cases.end());
}

// Rows for -1 < 1 and others as signed numbers, or as unsigned ones of `bits` bits.
std::vector<std::vector<Bits>> relation(const std::string& name, bool is_signed) {
  const bool less = name == "lt" || name == "le" || name == "lo" || name == "ls" || name == "ne";
  const bool greater = name == "gt" || name == "ge" || name == "hi" || name == "hs" || name == "ne";
  const bool equal = name == "le" || name == "ge" || name == "ls" || name == "hs" || name == "eq";
  const bool minus_one_below = is_signed ? less : greater;
  const bool minus_one_above = is_signed ? greater : less;
  return {{2, 3, less},
          {3, 2, greater},
          {5, 5, equal},
          {n(-1), 1, minus_one_below},
          {1, n(-1), minus_one_above},
          {n(-1), n(-1), equal},
          {n(-2), n(-1), less}};
}

void add_comparisons(Cases& out) {
  struct Width {
    std::string bits, operands;
    bool narrow;
  };
  for (const auto& [bits, operands, narrow] :
       {Width{"16", "p rs rs", true}, Width{"32", "p r r", false}, Width{"64", "p rd rd", false}}) {
    for (const std::string name : {"eq", "ne"}) {
      for (const std::string type : {"s", "u", "b"})
        out.push_back({"setp." + name + "." + type + bits, operands, relation(name, true)});
    }
    for (const std::string name : {"lt", "le", "gt", "ge"}) {
      if (narrow && name.ends_with("e")) continue;
      out.push_back({"setp." + name + ".s" + bits, operands, relation(name, true)});
      out.push_back({"setp." + name + ".u" + bits, operands, relation(name, false)});
    }
    for (const std::string name : {"lo", "ls", "hi", "hs"}) {
      if (!narrow) out.push_back({"setp." + name + ".u" + bits, operands, relation(name, false)});
    }
  }

  // For 1 and 2, 2 and 1, 1 and 1, 0 and -0, NaN and 1, 1 and NaN, two NaNs
  struct Relation {
    std::string name;
    bool less, greater, equal, unordered;
  };
  for (const auto& [name, less, greater, equal, unordered] :
       {Relation{"eq", false, false, true, false}, Relation{"ne", true, true, false, false},
        Relation{"lt", true, false, false, false}, Relation{"le", true, false, true, false},
        Relation{"gt", false, true, false, false}, Relation{"ge", false, true, true, false},
        Relation{"equ", false, false, true, true}, Relation{"neu", true, true, false, true},
        Relation{"ltu", true, false, false, true}, Relation{"leu", true, false, true, true},
        Relation{"gtu", false, true, false, true}, Relation{"geu", false, true, true, true},
        Relation{"num", true, true, true, false}, Relation{"nan", false, false, false, true}}) {
    out.push_back({"setp." + name + ".f32",
                   "p r r",
                   {{f(1), f(2), less},
                    {f(2), f(1), greater},
                    {f(1), f(1), equal},
                    {0, minus_zero, equal},
                    {smallest, 0, greater},
                    {minus_infinity, infinity, less},
                    {other_nan, f(1), unordered},
                    {f(1), other_nan, unordered},
                    {other_nan, other_nan, unordered}}});
    const bool for_double = name.size() == 2 ? name != "ne" : name == "neu";
    if (!for_double) continue;
    out.push_back({"setp." + name + ".f64",
                   "p rd rd",
                   {{d(1), d(2), less},
                    {d(2), d(1), greater},
                    {d(1), d(1), equal},
                    {0, double_minus_zero, equal},
                    {double_nan, d(1), unordered},
                    {d(1), double_nan, unordered}}});
  }
}

void add_integer_conversions(Cases& out) {
  const Cases cases = {
      {"cvt.u16.u8", "rs rs", {{0x1ff, 0xff}, {0x80, 0x80}}},
      {"cvt.u32.u8", "r rs", {{0x1ff, 0xff}, {0x80, 0x80}}},
      {"cvt.s16.s8", "rs rs", {{0x1ff, n(-1)}, {0x80, n(-128)}, {0x7f, 0x7f}}},
      {"cvt.s32.s8 cvt.u32.s8", "r rs", {{0x1ff, n(-1)}, {0x80, n(-128)}, {0x7f, 0x7f}}},
      {"cvt.u8.u16", "rs rs", {{0x1234, 0x34}}},
      {"cvt.u8.u32 cvt.u8.s32", "rs r", {{0x12345678, 0x78}, {n(-1), 0xff}}},
      {"cvt.u16.u32 cvt.u16.s32 cvt.s16.s32 cvt.s16.u32",
       "rs r",
       {{0x12345678, 0x5678}, {n(-1), 0xffff}}},
      {"cvt.u16.u64 cvt.u16.s64 cvt.s16.s64", "rs rd", {{0x123456789abcdef0, 0xdef0}}},
      {"cvt.u32.u16 cvt.s32.u16", "r rs", {{0xffff, 0xffff}, {1, 1}}},
      {"cvt.s32.s16 cvt.u32.s16", "r rs", {{0xffff, n(-1)}, {0x7fff, 0x7fff}}},
      {"cvt.u64.u16 cvt.s64.u16", "rd rs", {{0xffff, 0xffff}}},
      {"cvt.s64.s16 cvt.u64.s16", "rd rs", {{0xffff, n(-1)}, {0x7fff, 0x7fff}}},
      {"cvt.u64.u32 cvt.s64.u32", "rd r", {{n(-1), 0xffffffff}}},
      {"cvt.s64.s32 cvt.u64.s32", "rd r", {{n(-1), n(-1)}, {most32, most32}}},
      {"cvt.u32.u64 cvt.s32.s64 cvt.u32.s64 cvt.s32.u64",
       "r rd",
       {{0x123456789abcdef0, 0x9abcdef0}}},
  };
  out.insert(out.end(), cases.begin(), cases.end());
}

void add_float_conversions(Cases& out) {
  const Cases cases = {
      {"cvt.rn.f32.s32",
       "r r",
       {{16777217, f(16777216)},
        {16777219, f(16777220)},
        {n(-1), f(-1)},
        {least32, f(-0x1p31f)},
        {most32, f(0x1p31f)}}},
      {"cvt.rn.f32.u32",
       "r r",
       {{n(-1), f(0x1p32f)}, {0xffffff7f, 0x4f7fffff}, {0xffffff80, f(0x1p32f)}}},
      // Floats are 2^39 apart at 2^62: just over half, exactly half of that.
      {"cvt.rn.f32.s64",
       "r rd",
       {{(Bits{1} << 62) + (Bits{1} << 38) + 1, 0x5e800001},
        {(Bits{1} << 62) + (Bits{1} << 38), 0x5e800000},
        {n(-1), f(-1)},
        {least64, f(-0x1p63f)}}},
      {"cvt.rn.f32.u64",
       "r rd",
       {{all, f(0x1p64f)},
        {least64 + (Bits{1} << 39) + 1, 0x5f000001},
        {least64 + (Bits{1} << 39), 0x5f000000},
        {least64 + (Bits{3} << 39), 0x5f000002},
        {7, f(7)}}},
      {"cvt.rn.f32.u16", "r rs", {{0xffff, f(65535)}, {0, 0}}},
      {"cvt.rn.f32.s16", "r rs", {{0xffff, f(-1)}, {0x8000, f(-32768)}}},
      {"cvt.rn.f64.s32", "rd r", {{n(-1), d(-1)}, {least32, d(-0x1p31)}}},
      {"cvt.rn.f64.u32", "rd r", {{n(-1), d(4294967295.0)}}},
      {"cvt.f64.f32",
       "rd r",
       {{f(1.5f), d(1.5)}, {smallest, d(0x1p-149)}, {minus_zero, double_minus_zero}}},
      {"cvt.rn.f32.f64",
       "r rd",
       {{d(1.5), f(1.5f)},
        {d(1 + 0x1p-24), f(1)},
        {d(1 + 0x1p-24 + 0x1p-52), 0x3f800001},
        {d(1e300), infinity},
        {d(0x1p-150), 0},
        {d(0x1p-150) + 1, smallest},
        {double_nan, 0x7fc00000}}},
      {"cvt.rzi.s32.f32",
       "r r",
       {{f(2.9f), 2},
        {f(-2.9f), n(-2)},
        {f(3e9f), most32},
        {f(-3e9f), least32},
        {other_nan, 0},
        {infinity, most32},
        {smallest, 0}}},
      {"cvt.rzi.u32.f32",
       "r r",
       {{f(2.9f), 2},
        {f(-1.5f), 0},
        {f(0x1p32f), n(-1)},
        {0x4f7fffff, 0xffffff00},
        {other_nan, 0},
        {minus_infinity, 0}}},
      // To or from 64 bits, a NaN becomes the number with only the sign bit.
      {"cvt.rzi.s64.f32",
       "rd r",
       {{f(-2.9f), n(-2)}, {f(1e20f), most64}, {f(-1e20f), least64}, {other_nan, least64}}},
      {"cvt.rzi.u64.f32",
       "rd r",
       {{f(2.9f), 2}, {f(-1), 0}, {f(1e20f), all}, {other_nan, least64}}},
      {"cvt.rzi.s32.f64",
       "r rd",
       {{d(-2.9), n(-2)},
        {d(2147483647.5), most32},
        {d(-2147483648.9), least32},
        {d(1e10), most32},
        {double_nan, least32}}},
      {"cvt.rni.s32.f32",
       "r r",
       {{f(0.5f), 0}, {f(1.5f), 2}, {f(2.5f), 2}, {f(-1.5f), n(-2)}, {f(3e9f), most32}}},
      {"cvt.rmi.s32.f32", "r r", {{f(-0.5f), n(-1)}, {f(1.9f), 1}, {f(-3e9f), least32}}},
      {"cvt.rpi.s32.f32", "r r", {{f(1.1f), 2}, {f(-1.9f), n(-1)}}},
      {"cvt.rni.f32.f32",
       "r r",
       {{f(2.5f), f(2)},
        {f(3.5f), f(4)},
        {f(-0.5f), minus_zero},
        {f(1e10f), f(1e10f)},
        {other_nan, nan}}},
      {"cvt.rzi.f32.f32", "r r", {{f(-1.9f), f(-1)}, {f(-0.9f), minus_zero}, {infinity, infinity}}},
      {"cvt.rmi.f32.f32", "r r", {{f(-0.5f), f(-1)}, {f(1.9f), f(1)}}},
      {"cvt.rpi.f32.f32", "r r", {{f(0.5f), f(1)}, {f(-0.5f), minus_zero}}},
  };
  out.insert(out.end(), cases.begin(), cases.end());
}

void add_rarer_integer_arithmetic(Cases& out) {
  const Cases cases = {
      {"abs.s16", "rs rs", {{0xfff9, 7}, {7, 7}, {0x8000, 0x8000}}},
      {"add.sat.s32", "r r r", {{most32, 1, most32}, {least32, n(-1), least32}, {n(-3), 5, 2}}},
      {"sub.sat.s32", "r r r", {{most32, n(-1), most32}, {least32, 1, least32}, {n(-3), 5, n(-8)}}},
      {"mad.hi.sat.s32",
       "r r r r",
       {{least32, least32, most32, most32}, {least32, 2, least32, least32}, {n(-1), 1, 3, 2}}},
      {"mad.hi.s16", "rs rs rs rs", {{0x8000, 0x8000, 1, 0x4001}, {0xffff, 1, 1, 0}}},
      {"mad.hi.u16", "rs rs rs rs", {{0xffff, 0xffff, 3, 1}, {0x8000, 2, 1, 2}}},
      {"mad.hi.s64",
       "rd rd rd rd",
       {{least64, 2, 1, 0}, {least64, least64, 1, (Bits{1} << 62) + 1}}},
      {"mad.hi.u64", "rd rd rd rd", {{least64, 2, 1, 2}, {all, all, 3, 1}}},
      {"mad.wide.s16", "r rs rs r", {{0xfffe, 3, 5, n(-1)}, {0x8000, 0x8000, 1, 0x40000001}}},
      {"mad.wide.u16", "r rs rs r", {{0xffff, 0xffff, 1, 0xfffe0002}}},
      // 0x800000 is -2^23 as a signed number of 24 bits.
      {"mul24.lo.s32", "r r r", {{0x800000, 2, n(-0x1000000)}, {0x7f000003, 0xffffffff, n(-3)}}},
      {"mul24.lo.u32", "r r r", {{0xff800000, 2, 0x1000000}, {0xffffff, 0xffffff, 0xfe000001}}},
      {"mul24.hi.s32", "r r r", {{0x800000, 0x800000, 0x40000000}, {0xffffff, 1, n(-1)}}},
      {"mul24.hi.u32", "r r r", {{0xffffff, 0xffffff, 0xfffffe00}, {0x1000000, 5, 0}}},
      {"mad24.lo.s32", "r r r r", {{0x800000, 2, 1, n(-0xffffff)}}},
      {"mad24.lo.u32", "r r r r", {{0xff800000, 2, 1, 0x1000001}}},
      {"mad24.hi.s32", "r r r r", {{0xffffff, 1, 5, 4}}},
      {"mad24.hi.u32", "r r r r", {{0xffffff, 0xffffff, 1, 0xfffffe01}}},
      {"sad.s16", "rs rs rs rs", {{0xffff, 3, 10, 14}, {3, 0xffff, 10, 14}}},
      {"sad.u16", "rs rs rs rs", {{0xffff, 3, 10, 6}, {3, 0xffff, 10, 6}}},
      {"sad.s32", "r r r r", {{n(-1), 3, 10, 14}, {least32, most32, 1, 0}}},
      {"sad.u32", "r r r r", {{n(-1), 3, 10, 6}, {3, 7, 10, 14}}},
      {"sad.s64", "rd rd rd rd", {{n(-1), 3, 10, 14}, {3, n(-1), 10, 14}, {least64, most64, 1, 0}}},
      {"sad.u64", "rd rd rd rd", {{all, 3, 10, 6}, {3, 7, 10, 14}}},
      // -1·1 + 2·2 + 3·3 + 4·4; without signs 255·1
      {"dp4a.s32.s32", "r r r r", {{0x040302ff, 0x04030201, 100, 128}, {0x80, 0x80, 0, 16384}}},
      {"dp4a.s32.u32", "r r r r", {{0x040302ff, 0x04030201, 100, 128}, {0x80, 0x80, 0, n(-16384)}}},
      {"dp4a.u32.s32", "r r r r", {{0x040302ff, 0x04030201, 100, 384}, {0x80, 0x80, 0, n(-16384)}}},
      {"dp4a.u32.u32", "r r r r", {{0x040302ff, 0x04030201, 100, 384}, {0x80, 0x80, 0, 16384}}},
      // -1·2 + 3·-1 with the lower bytes, of which the first is the lowest
      {"dp2a.lo.s32.s32", "r r r r", {{0x0003ffff, 0x0908ff02, 100, 95}}},
      {"dp2a.lo.s32.u32", "r r r r", {{0x0003ffff, 0x0908ff02, 100, 863}}},
      {"dp2a.lo.u32.s32", "r r r r", {{0x0003ffff, 0x0908ff02, 0, 131067}}},
      {"dp2a.lo.u32.u32", "r r r r", {{0x0003ffff, 0x0908ff02, 0, 131835}}},
      {"dp2a.hi.s32.s32", "r r r r", {{0x0003ffff, 0xff080000, 100, 89}}},
      {"dp2a.hi.s32.u32", "r r r r", {{0x0003ffff, 0xff080000, 100, 857}}},
      {"dp2a.hi.u32.s32", "r r r r", {{0x0003ffff, 0xff080000, 0, 524277}}},
      {"dp2a.hi.u32.u32", "r r r r", {{0x0003ffff, 0xff080000, 0, 525045}}},
      {"vabsdiff4.u32.u32.u32", "r r r r", {{0x01ff0005, 0x03010203, 7, 0x02fe0202}}},
      {"vabsdiff4.u32.u32.u32.add", "r r r r", {{0x01ff0005, 0x03010203, 7, 267}}},
      {"vabsdiff2.u32.u32.u32.add", "r r r r", {{0x01ff0005, 0x03010203, 7, 775}}},
      {"add.s16x2 add.u16x2",
       "r r r",
       {{0x0001ffff, 0xffff0001, 0}, {0x7fff0002, 0x00010003, 0x80000005}}},
      {"min.s16x2", "r r r", {{0xffff0003, 0x00010002, 0xffff0002}}},
      {"max.s16x2", "r r r", {{0xffff0003, 0x00010002, 0x00010003}}},
      {"min.u16x2", "r r r", {{0xffff0003, 0x00010002, 0x00010002}}},
      {"max.u16x2", "r r r", {{0xffff0003, 0x00010002, 0xffff0003}}},
      {"min.s16x2.relu", "r r r", {{0xffff0003, 0x00010002, 2}}},
      {"max.s16x2.relu", "r r r", {{0xfffffffe, 0xfffe0001, 1}}},
      {"min.s32.relu", "r r r", {{n(-5), 3, 0}, {7, 3, 3}}},
      {"max.s32.relu", "r r r", {{n(-5), n(-3), 0}, {7, 3, 7}}},
      {"relu.s16x2", "r r", {{0xffff0003, 3}}},
      {"relu.s32", "r r", {{n(-1), 0}, {5, 5}}},
      {"add_b32", "r r r p", {{n(-1), 1, 0, 0}, {n(-1), 1, 1, 1}, {5, 6, 1, 12}}},
      {"add_b64", "rd rd rd p", {{all, 1, 0, 0}, {all, 1, 1, 1}, {5, 6, 1, 12}}},
      {"subtract_b32", "r r r p", {{5, 6, 0, n(-1)}, {5, 3, 1, 1}}},
      {"subtract_b64", "rd rd rd p", {{5, 6, 0, n(-1)}, {5, 3, 1, 1}}},
      {"carry_of_add_b32",
       "p r r p",
       {{n(-1), 1, 0, 1}, {n(-1), 0, 1, 1}, {n(-1), 0, 0, 0}, {n(-1), n(-1), 1, 1}, {5, 6, 1, 0}}},
      {"carry_of_add_b64",
       "p rd rd p",
       {{all, 1, 0, 1}, {all, 0, 1, 1}, {all, 0, 0, 0}, {all, all, 1, 1}, {5, 6, 1, 0}}},
      {"carry_of_subtract_b32",
       "p r r p",
       {{5, 6, 0, 1}, {5, 5, 0, 0}, {5, 5, 1, 1}, {0, n(-1), 1, 1}, {6, 5, 1, 0}}},
      {"carry_of_subtract_b64",
       "p rd rd p",
       {{5, 6, 0, 1}, {5, 5, 0, 0}, {5, 5, 1, 1}, {0, all, 1, 1}, {6, 5, 1, 0}}},
      {"setp.lo.u16", "p rs rs", {{1, 0xffff, 1}, {0xffff, 1, 0}, {1, 1, 0}}},
      {"setp.le.s16", "p rs rs", {{1, 0xffff, 0}, {0xffff, 1, 1}, {1, 1, 1}}},
      {"setp.ge.s16", "p rs rs", {{1, 0xffff, 1}, {0xffff, 1, 0}, {1, 1, 1}}},
      {"setp.le.u16 setp.ls.u16", "p rs rs", {{1, 0xffff, 1}, {0xffff, 1, 0}, {1, 1, 1}}},
      {"setp.hi.u16", "p rs rs", {{1, 0xffff, 0}, {0xffff, 1, 1}, {1, 1, 0}}},
      {"setp.ge.u16 setp.hs.u16", "p rs rs", {{1, 0xffff, 0}, {0xffff, 1, 1}, {1, 1, 1}}},
      {"setp.lt.and.s32", "p r r p", {{1, 2, 1, 1}, {1, 2, 0, 0}, {2, 1, 1, 0}}},
      {"set.lt.u32.s32", "r r r", {{n(-1), 2, n(-1)}, {2, n(-1), 0}}},
  };
  out.insert(out.end(), cases.begin(), cases.end());
}

void add_rarer_bits(Cases& out) {
  const Cases cases = {
      {"bfind.s32",
       "r r",
       {{1, 0}, {0, n(-1)}, {n(-1), n(-1)}, {n(-2), 0}, {most32, 30}, {least32, 30}}},
      {"bfind.u64", "r rd", {{1, 0}, {0, n(-1)}, {least64, 63}, {0xffff, 15}}},
      {"bfind.s64", "r rd", {{1, 0}, {0, n(-1)}, {all, n(-1)}, {least64, 62}, {0xffff, 15}}},
      {"bfind.shiftamt.s32", "r r", {{1, 31}, {0, n(-1)}, {n(-2), 31}, {least32, 1}}},
      {"bfind.shiftamt.u64", "r rd", {{1, 63}, {0, n(-1)}, {least64, 0}, {0xffff, 48}}},
      {"bfind.shiftamt.s64", "r rd", {{1, 63}, {all, n(-1)}, {least64, 1}}},
      {"brev.b64", "rd rd", {{1, least64}, {0x0123456789abcdef, 0xf7b3d591e6a2c480}}},
      // Bits 1, 4 and 5: the second from bit 0 up, the second from bit 31 down.
      {"fns.b32",
       "r r r r",
       {{0x32, 0, 2, 4},
        {0x32, 31, n(-2), 4},
        {0x32, 4, 0, 4},
        {0x32, 3, 0, n(-1)},
        {0x32, 0, 4, n(-1)},
        {0x32, 4, 1, 4},
        {0x32, 4, n(-2), 1}}},
      {"bmsk.clamp.b32",
       "r r r",
       {{4, 8, 0xff0},
        {28, 8, 0xf0000000},
        {32, 1, 0},
        {0, 32, n(-1)},
        {3, 0, 0},
        {31, 1, least32}}},
      {"bmsk.wrap.b32",
       "r r r",
       {{4, 8, 0xff0}, {28, 8, 0xf0000000}, {36, 8, 0xff0}, {0, 33, 1}, {0, 32, 0}}},
      {"szext.clamp.s32",
       "r r r",
       {{0x80, 8, n(-128)}, {0x7f, 8, 0x7f}, {n(-5), 32, n(-5)}, {0xff, 0, 0}}},
      {"szext.clamp.u32", "r r r", {{0xff80, 8, 0x80}, {n(-5), 40, n(-5)}, {0xff, 0, 0}}},
      {"szext.wrap.s32", "r r r", {{0x80, 8, n(-128)}, {0x80, 40, n(-128)}, {n(-5), 32, 0}}},
      {"szext.wrap.u32", "r r r", {{0xff80, 8, 0x80}, {0xff80, 40, 0x80}, {n(-5), 32, 0}}},
      {"prmt.b32.f4e",
       "r r r r",
       {{0x33221100, 0x77665544, 0, 0x33221100}, {0x33221100, 0x77665544, 3, 0x66554433}}},
      {"prmt.b32.b4e",
       "r r r r",
       {{0x33221100, 0x77665544, 0, 0x55667700},
        {0x33221100, 0x77665544, 1, 0x66770011},
        {0x33221100, 0x77665544, 3, 0x00112233}}},
      {"prmt.b32.rc8",
       "r r r r",
       {{0x33221100, 0x77665544, 2, 0x22222222}, {0x33221100, 0, 7, 0x33333333}}},
      {"prmt.b32.ecl",
       "r r r r",
       {{0x33221100, 0, 0, 0x33221100},
        {0x33221100, 0, 1, 0x33221111},
        {0x33221100, 0, 2, 0x33222222},
        {0x33221100, 0, 3, 0x33333333}}},
      {"prmt.b32.ecr",
       "r r r r",
       {{0x33221100, 0, 0, 0},
        {0x33221100, 0, 1, 0x11111100},
        {0x33221100, 0, 2, 0x22221100},
        {0x33221100, 0, 3, 0x33221100}}},
      {"prmt.b32.rc16",
       "r r r r",
       {{0x33221100, 0, 0, 0x11001100}, {0x33221100, 0, 3, 0x33223322}}},
      {"pack.b32", "r rs rs", {{0x1111, 0x2222, 0x22221111}}},
      {"pack.b16", "rs rs rs", {{0x11, 0x22, 0x2211}}},
      {"low.b32", "rs r", {{0x22221111, 0x1111}}},
      {"high.b32", "rs r", {{0x22221111, 0x2222}}},
      {"low.b16", "rs rs", {{0x2211, 0x11}}},
      {"high.b16", "rs rs", {{0x2211, 0x22}}},
      {"slct.b16.s32 slct.u16.s32 slct.s16.s32", "rs rs rs r", {{5, 6, 0, 5}, {5, 6, n(-1), 6}}},
      {"slct.b32.s32 slct.u32.s32 slct.s32.s32 slct.f32.s32",
       "r r r r",
       {{5, 6, 0, 5}, {5, 6, n(-1), 6}}},
      {"slct.b64.s32 slct.u64.s32 slct.s64.s32 slct.f64.s32",
       "rd rd rd r",
       {{5, 6, 0, 5}, {5, 6, n(-1), 6}}},
      {"slct.b16.f32 slct.u16.f32 slct.s16.f32",
       "rs rs rs r",
       {{5, 6, minus_zero, 5}, {5, 6, f(-1), 6}, {5, 6, other_nan, 6}}},
      {"slct.b32.f32 slct.u32.f32 slct.s32.f32 slct.f32.f32",
       "r r r r",
       {{5, 6, minus_zero, 5}, {5, 6, f(-1), 6}, {5, 6, other_nan, 6}}},
      {"slct.b64.f32 slct.u64.f32 slct.s64.f32 slct.f64.f32",
       "rd rd rd r",
       {{5, 6, minus_zero, 5}, {5, 6, f(-1), 6}, {5, 6, other_nan, 6}}},
      {"isspacep.global",
       "p rd",
       {{shared_window + 4, 0}, {local_window, 0}, {global_address(0), 1}}},
      {"isspacep.const", "p rd", {{shared_window, 0}, {local_window, 0}, {global_address(0), 0}}},
      {"isspacep.shared isspacep.shared::cta isspacep.shared::cluster",
       "p rd",
       {{shared_window + 4, 1}, {local_window, 0}, {global_address(0), 0}}},
      {"isspacep.local",
       "p rd",
       {{shared_window, 0}, {local_window + 8, 1}, {global_address(0), 0}}},
  };
  out.insert(out.end(), cases.begin(), cases.end());
}

void add_rarer_floating_point(Cases& out) {
  struct Class {
    std::string name;
    bool zero, one, denormal, infinite, not_a_number;
  };
  for (const auto& [name, zero, one, denormal, infinite, not_a_number] :
       {Class{"finite", true, true, true, false, false},
        Class{"infinite", false, false, false, true, false},
        Class{"number", true, true, true, true, false},
        Class{"notanumber", false, false, false, false, true},
        Class{"normal", true, true, false, false, false},  // 0, too, on an H200
        Class{"subnormal", false, false, true, false, false}}) {
    out.push_back({"testp." + name + ".f32",
                   "p r",
                   {{minus_zero, zero},
                    {f(-1), one},
                    {smallest_normal, one},
                    {0x807fffff, denormal},
                    {minus_infinity, infinite},
                    {other_nan, not_a_number}}});
    out.push_back({"testp." + name + ".f64",
                   "p rd",
                   {{double_minus_zero, zero},
                    {d(-1), one},
                    {0x0010000000000000, one},
                    {0x800fffffffffffff, denormal},
                    {0xfff0000000000000, infinite},
                    {double_nan, not_a_number}}});
  }
  const Cases cases = {
      {"copysign.f32",
       "r r r",
       {{f(-1), f(3), f(-3)}, {0, f(-3), f(3)}, {minus_zero, other_nan, 0xffc12345}}},
      {"copysign.f64", "rd rd rd", {{d(-1), d(3), d(-3)}, {0, d(-3), d(3)}}},
      {"min.xorsign.abs.f32",
       "r r r",
       {{f(-1), f(3), f(-1)}, {f(-4), f(-3), f(3)}, {f(1), f(2), f(1)}}},
      {"max.xorsign.abs.f32",
       "r r r",
       {{f(-1), f(3), f(-3)}, {f(-4), f(-3), f(4)}, {f(1), f(2), f(2)}}},
      {"flush.f32",
       "r r",
       {{0x807fffff, minus_zero}, {smallest_normal, smallest_normal}, {smallest, 0}}},
      {"flush.f16", "rs rs", {{0x83ff, 0x8000}, {0x0400, 0x0400}, {1, 0}}},
      {"flush.f16x2", "r r", {{0x83ff0400, 0x80000400}}},
      {"flush.f32x2", "rd rd", {{0x807fffff00800000, 0x8000000000800000}}},
      {"sat.f32",
       "r r",
       {{f(2), f(1)}, {f(-2), 0}, {f(0.5f), f(0.5f)}, {other_nan, 0}, {minus_zero, 0}}},
      {"sat.f64", "rd rd", {{d(2), d(1)}, {d(-2), 0}, {d(0.5), d(0.5)}, {double_nan, 0}}},
      {"relu.f32", "r r", {{f(2), f(2)}, {f(-2), 0}, {other_nan, nan}}},
      {"sat.f16", "rs rs", {{0x4000, 0x3c00}, {0xc000, 0}, {0x7e00, 0}, {1, 1}}},
      {"sat.f16x2", "r r", {{0x4000c000, 0x3c000000}}},
      {"sat.bf16", "rs rs", {{0x4000, 0x3f80}, {0xc000, 0}, {0x7fc1, 0}}},
      {"sat.bf16x2", "r r", {{0x4000c000, 0x3f800000}}},
      {"relu.f16", "rs rs", {{0x4000, 0x4000}, {0xc000, 0}, {0x7e00, 0x7fff}}},
      {"relu.f16x2", "r r", {{0x4000c000, 0x40000000}}},
      {"relu.bf16", "rs rs", {{0x4000, 0x4000}, {0xc000, 0}, {0x7fc1, 0x7fff}}},
      {"relu.bf16x2", "r r", {{0x4000c000, 0x40000000}}},
      {"sub.f32x2 sub.rn.f32x2",
       "rd rd rd",
       {{f(5) << 32 | f(1), f(7) << 32 | f(4), f(-2) << 32 | f(-3)}}},
      {"add.f32x2", "rd rd rd", {{f(5) << 32 | f(1), f(7) << 32 | f(4), f(12) << 32 | f(5)}}},
      {"mul.f32x2", "rd rd rd", {{f(5) << 32 | f(1), f(7) << 32 | f(4), f(35) << 32 | f(4)}}},
      // 10 bits remain; halfway goes away from 0.
      {"cvt.rna.tf32.f32",
       "r r",
       {{0x3f801000, 0x3f802000},
        {0x3f800fff, f(1)},
        {0xbf801000, 0xbf802000},
        {other_nan, 0x7fc12000},
        {nan, 0x7fffe000},
        {0xff800001, minus_infinity},
        {largest, infinity},
        {f(-3), f(-3)}}},
      // 2^53 + 1 keeps its place with a bit for what was lost.
      {"to_odd.f64.s64",
       "rd rd",
       {{n(-5), d(-5)},
        {(Bits{1} << 53) + 1, d(0x1p53 + 2048)},
        {least64, d(-0x1p63)},
        {0, 0},
        {n(-((std::int64_t{1} << 62) + 1)), d(-(0x1p62 + 2048))}}},
      {"to_odd.f64.u64",
       "rd rd",
       {{5, d(5)}, {all, d(0x1p64 - 2048)}, {least64, d(0x1p63)}, {0, 0}}},
      {"setp.f64",
       "p rd rd r",
       {{d(1), d(2), 1, 1},
        {d(1), d(1), 2, 1},
        {d(2), d(1), 4, 1},
        {double_nan, 0, 8, 1},
        {d(1), d(2), 14, 0}}},
      {"setp.f16",
       "p rs rs r",
       {{0x3c00, 0x4000, 1, 1},
        {0x8000, 0, 2, 1},
        {0x4000, 1, 4, 1},
        {0x7e00, 0, 8, 1},
        {0x3c00, 0x4000, 14, 0}}},
      {"setp.bf16",
       "p rs rs r",
       {{0x3f80, 0x4000, 1, 1},
        {0x8000, 0, 2, 1},
        {0x4000, 1, 4, 1},
        {0x7fc0, 0, 8, 1},
        {0x3f80, 0x4000, 14, 0}}},
      // By the upper 32 bits of the number, with 20 places of the result.
      {"rcp.approx.ftz.f64",
       "rd rd",
       {{d(3), 0x3fd5555500000000},
        {d(-4) | 5, d(-0.25)},
        {0x000fffffffffffff, 0x7ff0000000000000},
        {d(0x1p1023), 0},
        {double_minus_zero, 0xfff0000000000000},
        {0x7ff0000000000000, 0},
        {double_nan, 0x7fffffff00000000}}},
      {"rsqrt.approx.ftz.f64",
       "rd rd",
       {{d(4), d(0.5)}, {d(2), 0x3fe6a09e00000000}, {0, 0x7ff0000000000000}}},
      {"rsqrt.approx.f64", "rd rd", {{d(4), d(0.5)}, {d(0x1p-1060), d(0x1p530)}}},
      {"rcp.approx.f32", "r r", {{0, infinity}, {minus_infinity, minus_zero}, {other_nan, nan}}},
      {"rcp.approx.ftz.f32", "r r", {{f(0x1p127f), 0}, {smallest, infinity}}},
      {"div.approx.f32",
       "r r r",
       {{f(3), f(0x1p127f), 0}, {infinity, f(-0x1p127f), nan}, {f(3), infinity, 0}}},
      {"div.full.f32", "r r r", {{f(0x1p127f), f(0x1p127f), f(1)}}},
      {"lg2.approx.f32",
       "r r",
       {{0, minus_infinity}, {f(-1), nan}, {smallest, f(-149)}, {infinity, infinity}}},
      {"lg2.approx.ftz.f32", "r r", {{smallest, minus_infinity}}},
      {"ex2.approx.f32", "r r", {{minus_infinity, 0}, {f(128), infinity}, {f(-149), smallest}}},
      {"ex2.approx.ftz.f32", "r r", {{f(-149), 0}, {f(-126), smallest_normal}}},
      {"sin.approx.f32", "r r", {{minus_zero, minus_zero}, {infinity, nan}}},
      {"cos.approx.f32", "r r", {{minus_zero, f(1)}, {infinity, nan}}},
      {"rsqrt.approx.f32", "r r", {{minus_zero, minus_infinity}, {infinity, 0}, {f(-1), nan}}},
      {"sqrt.approx.f32", "r r", {{minus_zero, minus_zero}, {f(-1), nan}}},
  };
  out.insert(out.end(), cases.begin(), cases.end());
}

// Numbers of 8 bits, as an H200 has them: rounded to the nearest, never infinite.
void add_bytes(Cases& out) {
  const Cases cases = {
      {"cvt.rn.satfinite.e4m3x2.f32",
       "rs r r",
       {{f(1), f(-1), 0x38b8},
        {f(464), infinity, 0x7e7e},
        {f(-1e9f), f(479), 0xfe7e},
        {f(0x1p-9f), f(0x1p-10f), 0x0100},
        {0x3a800347, f(3 * 0x1p-10f), 0x0102},
        {0x3c7851ec, f(-0.3f), 0x08aa},
        {f(17), f(17.5f), 0x5859},
        {other_nan, minus_zero, 0x7f80}}},
      {"cvt.rn.satfinite.e5m2x2.f32",
       "rs r r",
       {{f(479), f(480), 0x5f60},
        {f(57344), f(61441), 0x7b7b},
        {minus_infinity, f(0x1p-16f), 0xfb01},
        {f(0x1p-17f), 0x370147ae, 0x0001},
        {f(17.5f), f(1.1f), 0x4c3c},
        {0xffc12345, minus_zero, 0x7f80}}},
      {"cvt.rn.satfinite.relu.e4m3x2.f32",
       "rs r r",
       {{f(-1), f(17), 0x0058}, {other_nan, minus_zero, 0x7f00}}},
      {"cvt.rn.satfinite.relu.e5m2x2.f32", "rs r r", {{f(-1), f(17), 0x004c}, {nan, 0, 0x7f00}}},
      {"cvt.rn.satfinite.e4m3x2.f16x2",
       "rs r",
       {{0xd0d07c00, 0xe27e}, {0x5f405f41, 0x7e7e}, {0x14001401, 0x0001}, {0xfe01fc00, 0x7ffe}}},
      {"cvt.rn.satfinite.e5m2x2.f16x2", "rs r", {{0x3c00c000, 0x3cc0}, {0x7e007c00, 0x7f7b}}},
      {"cvt.rn.f16x2.e4m3x2",
       "r rs",
       {{0x7e7f, 0x5f007fff}, {0xff07, 0x7fff2300}, {0xf00f, 0xd8002780}}},
      {"cvt.rn.f16x2.e5m2x2",
       "r rs",
       {{0x7b7c, 0x7b007c00}, {0xfd07, 0x7fff0700}, {0xfc0f, 0xfc000f00}}},
      {"relu.e4m3x2 relu.e5m2x2", "rs rs", {{0x7f80, 0x7f00}, {0x8142, 0x0042}}},
  };
  out.insert(out.end(), cases.begin(), cases.end());
}

// Which NaN an H200 makes, measured. In FP64 it passes on an operand's, made quiet.
void add_nans(Cases& out) {
  constexpr Bits one = d(1), plus = 0x7ff0000000000000, minus = 0xfff0000000000000;
  constexpr Bits quiet = 0x7ff8000000000001, signed_nan = 0xfff8000000000002;
  constexpr Bits signalling = 0x7ff0000000000003, own = 0xfff8000000000000;
  constexpr Bits quieted = signalling | Bits{1} << 51;
  const std::vector<std::vector<Bits>> second_first = {{quiet, signed_nan, signed_nan},
                                                       {signed_nan, signalling, quieted},
                                                       {signalling, one, quieted},
                                                       {plus, signed_nan, signed_nan}};
  const std::vector<std::vector<Bits>> of_one = {
      {quiet, quiet}, {signed_nan, signed_nan}, {signalling, quieted}};
  const Cases cases = {
      {"add.rn.f64 sub.rn.f64 mul.rn.f64 add.rm.f64", "rd rd rd", second_first},
      {"add.rn.f64", "rd rd rd", {{plus, minus, own}}},
      {"mul.rn.f64", "rd rd rd", {{plus, 0, own}}},
      {"div.rn.f64",
       "rd rd rd",
       {{quiet, signed_nan, quiet},
        {signalling, quiet, quieted},
        {one, signed_nan, signed_nan},
        {0, 0, own},
        {plus, minus, own}}},
      {"fma.rn.f64",
       "rd rd rd rd",
       {{quiet, signed_nan, signalling, signed_nan},
        {quiet, one, signed_nan, signed_nan},
        {signalling, one, one, quieted},
        {one, signalling, quiet, quieted}}},
      {"min.f64 max.f64",
       "rd rd rd",
       {{quiet, signed_nan, signed_nan}, {signed_nan, signalling, quieted}, {one, quiet, one}}},
      {"neg.f64 abs.f64 rcp.rn.f64 sqrt.rn.f64 cvt.rni.f64.f64 cvt.rmi.f64.f64", "rd rd", of_one},
      {"sqrt.rn.f64", "rd rd", {{minus, own}}},
      {"cvt.rn.f32.f64 cvt.rz.f32.f64",
       "r rd",
       {{0x7ffffffffffffffa, nan},
        {quiet, 0x7fc00000},
        {signed_nan, 0xffc00000},
        {signalling, 0x7fc00000}}},
      {"cvt.rn.f16.f64", "rs rd", {{0x7ffffffffffffffa, 0x7fff}, {signed_nan, 0xfe00}}},
      {"cvt.rn.bf16.f64", "rs rd", {{0x7ffffffffffffffa, 0x7fff}, {signed_nan, 0xffc0}}},
      {"cvt.f64.f32",
       "rd r",
       {{other_nan, 0x7ff82468a0000000},
        {0x7f812345, 0x7ff82468a0000000},
        {0xff800001, 0xfff8000020000000}}},
      {"cvt.f64.f16", "rd rs", {{0x7ffa, 0x7fffe80000000000}, {0xfd04, 0xfffc100000000000}}},
      {"cvt.f32.f16", "r rs", {{0x7ffa, nan}, {0xfd04, nan}}},
      {"cvt.f32.bf16", "r rs", {{0x7fc1, 0x7fc10000}, {0xff84, 0xff840000}}},
  };
  out.insert(out.end(), cases.begin(), cases.end());
}

// What arithmetic_cases.py has written: "add.rn.f16,rs rs rs,3c00,4000,4200", the lines of one
// instruction together.
void add_calculated_cases(Cases& out) {
  std::ifstream file(ARITHMETIC_CASES);
  for (std::string line; std::getline(file, line);) {
    std::replace(line.begin(), line.end(), ' ', '_');
    std::replace(line.begin(), line.end(), ',', ' ');
    std::vector<std::string> words = words_of(line);
    std::replace(words[1].begin(), words[1].end(), '_', ' ');
    if (out.empty() || out.back().names != words[0]) out.push_back({words[0], words[1], {}});
    std::vector<Bits> row;
    for (std::size_t i = 2; i < words.size(); ++i)
      row.push_back(std::stoull(words[i], nullptr, 16));
    out.back().rows.push_back(row);
  }
}

}  // namespace

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t space = text.find(' ');
    if (space != 0) words.emplace_back(text.substr(0, space));
    text.remove_prefix(space == std::string_view::npos ? text.size() : space + 1);
  }
  return words;
}

Bits truncate(Bits value, std::string_view register_class) {
  if (register_class == "rd") return value;
  if (register_class == "r") return static_cast<std::uint32_t>(value);
  if (register_class == "rs") return static_cast<std::uint16_t>(value);
  return value & 1;
}

const std::vector<InstructionCase>& instruction_cases() {
  static const std::vector<InstructionCase> cases = [] {
    std::vector<InstructionCase> all_cases;
    add_integer_arithmetic(all_cases);
    add_division(all_cases);
    add_integer_choices(all_cases);
    add_bits(all_cases);
    add_single_precision(all_cases);
    add_double_precision(all_cases);
    add_comparisons(all_cases);
    add_integer_conversions(all_cases);
    add_float_conversions(all_cases);
    add_rarer_integer_arithmetic(all_cases);
    add_rarer_bits(all_cases);
    add_rarer_floating_point(all_cases);
    add_bytes(all_cases);
    add_nans(all_cases);
    add_calculated_cases(all_cases);
    return all_cases;
  }();
  return cases;
}

}  // namespace gemm_tutor::emulator
