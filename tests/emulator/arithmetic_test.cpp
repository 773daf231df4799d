// Arithmetic of several instructions: numbers in pieces, carries, and what the compilers make of
// CUDA's headers and of wide integers.
#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>

#include "catch.hpp"
#include "cuda_kernel.hpp"
#include "ptx_kernel.hpp"

using namespace gemm_tutor;
using namespace gemm_tutor::simt;

namespace {

using Word = std::uint64_t;

// What one thread leaves in %rd20.
Word one_thread(const std::string& body) {
  std::vector<Word> out(1);
  const Result result = run_ptx(ptx_module(body + "  st.global.b64 [%buffer0], %rd20;\n", 1),
                                {{1, 1, 1}, {1, 1, 1}, 0}, {buffer_of(out, "out")});
  CHECK(kinds(result) == "");
  return out[0];
}

constexpr int block_threads = 64;

// What "kernel(const float* in, float* out)" with this body makes of each of the inputs; t is the
// thread's number.
std::vector<float> computed(const std::string& headers, const std::string& body,
                            std::vector<float> in) {
  std::vector<float> out(block_threads);
  const std::string source = headers +
                             "\nextern \"C\" __global__ void kernel(const float* in, float* out) "
                             "{\n  const int t = threadIdx.x;\n" +
                             body + "\n}\n";
  const Result result =
      Program::decode(cuda_to_ptx(source), "kernel", "kernel.cu")
          .run({{1, 1, 1}, {block_threads, 1, 1}, 0}, {buffer_of(in, "in"), buffer_of(out, "out")},
               {Argument::pointer(0), Argument::pointer(1)});
  CHECK(kinds(result) == "");
  return out;
}

// Small multiples of 1/8, of both signs: exact in every format.
std::vector<float> eighths() {
  std::vector<float> in(4 * block_threads);
  for (std::size_t i = 0; i < in.size(); ++i)
    in[i] = static_cast<float>(static_cast<int>(i * 37 % 41) - 20) / 8;
  return in;
}

void check_all(const std::vector<float>& out, const std::vector<float>& in,
               const std::function<float(const float*)>& expected) {
  for (std::size_t t = 0; t < block_threads; ++t) {
    INFO("thread " << t);
    CHECK(out[t] == expected(in.data() + 4 * t));
  }
}

// Of x, a small positive number.
void check_function(const std::string& expression, double (*exact)(double),
                    double relative = 1e-6) {
  const std::vector<float> in = eighths();
  const auto out = computed(
      "", "  const float x = fabsf(in[4 * t]) + 0.125f;\n  out[t] = " + expression + ";", in);
  for (std::size_t t = 0; t < block_threads; ++t) {
    const double expected = exact(std::abs(in[4 * t]) + 0.125);
    INFO(expression << " in thread " << t);
    CHECK(std::abs(out[t] - expected) <= relative * std::abs(expected) + 1e-6);
  }
}

}  // namespace

TEST_CASE("numbers are put together of pieces, and taken apart") {
  const std::string four =
      "  mov.b16 %rs1, 0x1111;\n  mov.b16 %rs2, 0x2222;\n"
      "  mov.b16 %rs3, 0x3333;\n  mov.b16 %rs4, 0x4444;\n";
  CHECK(one_thread(four + "  mov.b64 %rd20, {%rs1, %rs2, %rs3, %rs4};\n") == 0x4444333322221111);
  CHECK(one_thread(four + "  mov.b32 %r1, {%rs1, %rs2};\n  cvt.u64.u32 %rd20, %r1;\n") ==
        0x22221111);
  CHECK(one_thread("  mov.b64 %rd1, 0x4444333322221111;\n"
                   "  mov.b64 {%rs1, _, %rs2, %rs3}, %rd1;\n"
                   "  mov.b64 %rd20, {%rs3, %rs1, %rs2, %rs2};\n") == 0x3333333311114444);
  // A piece may take the place of the whole, which is needed no longer.
  CHECK(one_thread("  mov.b32 %r1, 0x22221111;\n"
                   "  mov.b32 {%rs1, %rs2}, %r1;\n"
                   "  mov.b32 %r2, {%rs2, %rs1};\n"
                   "  cvt.u64.u32 %rd20, %r2;\n") == 0x11112222);
}

TEST_CASE("128 bits are moved, loaded and stored") {
  const std::string two = "  .reg .b128 %rq<3>;\n  mov.u64 %rd1, 5;\n  mov.u64 %rd2, 7;\n";
  CHECK(one_thread(two + "  mov.b128 %rq1, {%rd1, %rd2};\n  mov.b128 %rq2, %rq1;\n"
                         "  mov.b128 {%rd2, %rd1}, %rq2;\n  mul.lo.u64 %rd1, %rd1, 100;\n"
                         "  add.u64 %rd20, %rd1, %rd2;\n") == 705);
  CHECK(one_thread(two + "  .shared .align 16 .b8 s[16];\n  mov.b128 %rq1, {%rd1, %rd2};\n"
                         "  st.shared.b128 [s], %rq1;\n  ld.shared.b128 %rq2, [s];\n"
                         "  mov.b128 {_, %rd20}, %rq2;\n") == 7);
}

TEST_CASE("a parameter whose address is taken is in constant memory") {
  const std::string address = "  mov.b64 %rd1, p0;\n  cvta.param.u64 %rd2, %rd1;\n";
  CHECK(one_thread(address + "  ld.u64 %rd3, [%rd2];\n  ld.param.u64 %rd4, [%rd1];\n"
                             "  sub.u64 %rd5, %rd3, %buffer0;\n  sub.u64 %rd6, %rd4, %buffer0;\n"
                             "  or.b64 %rd20, %rd5, %rd6;\n") == 0);
  CHECK(one_thread(address + "  isspacep.const %p1, %rd2;\n  isspacep.global %p2, %rd2;\n"
                             "  selp.b64 %rd3, 1, 0, %p1;\n  selp.b64 %rd4, 2, 0, %p2;\n"
                             "  or.b64 %rd20, %rd3, %rd4;\n") == 1);
}

TEST_CASE("constant memory is read at generic addresses, too") {
  std::string module = ptx_module(
      "  mov.u64 %rd1, seven;\n  cvta.const.u64 %rd2, %rd1;\n  ld.u64 %rd3, [%rd2];\n"
      "  cvta.to.const.u64 %rd4, %rd2;\n  ld.const.u64 %rd5, [%rd4];\n"
      "  isspacep.const %p1, %rd2;\n  selp.b64 %rd6, 100, 0, %p1;\n"
      "  add.u64 %rd7, %rd3, %rd5;\n  add.u64 %rd7, %rd7, %rd6;\n"
      "  st.global.b64 [%buffer0], %rd7;\n",
      1);
  module.insert(module.find(".visible"), ".const .align 8 .b64 seven = 7;\n");
  std::vector<Word> out(1);
  CHECK(kinds(run_ptx(module, {{1, 1, 1}, {1, 1, 1}, 0}, {buffer_of(out, "out")})) == "");
  CHECK(out[0] == 114);
}

TEST_CASE("fences of all orders and scopes leave a thread's own values as they are") {
  std::string body = "  mov.u64 %rd20, 3;\n";
  for (const char* fence :
       {"membar.cta", "membar.gl", "membar.sys", "fence.sc.sys", "fence.acq_rel.cluster",
        "fence.acquire.gpu", "fence.proxy.alias", "fence.proxy.async.global"}) {
    body += fmt::format("  {};\n", fence);
  }
  CHECK(one_thread(body) == 3);
}

TEST_CASE("inline assembly has registers of its own, of the same names") {
  CHECK(one_thread("  mov.b16 %rs1, 0x4000;\n"
                   "{.reg.b32 f;\n .reg .f16 h;\n mov.b16 h, %rs1;\n cvt.f32.f16 f, h;\n"
                   "{.reg.b16 f;\n mov.b16 f, 7;\n}\n"
                   " cvt.rn.f64.f32 %rd20, f;\n}\n") == 0x4000000000000000);
}

TEST_CASE("carries go from one addition to the next") {
  const std::string numbers =  // 2^128 - 2^64 + 5 and 2^64 - 4, as words of 32 bits
      "  mov.u32 %r1, 5;\n  mov.u32 %r2, 0;\n  mov.u32 %r3, -1;\n  mov.u32 %r4, -1;\n"
      "  mov.u32 %r5, -4;\n  mov.u32 %r6, -1;\n  mov.u32 %r7, 0;\n  mov.u32 %r8, 0;\n";
  const std::string sum = numbers +
                          "  add.cc.u32 %r11, %r1, %r5;\n  addc.cc.u32 %r12, %r2, %r6;\n"
                          "  addc.cc.u32 %r13, %r3, %r7;\n  addc.cc.u32 %r14, %r4, %r8;\n"
                          "  addc.u32 %r15, 0, 0;\n";
  CHECK(one_thread(sum + "  mov.b64 %rd20, {%r11, %r12};\n") == 1);
  CHECK(one_thread(sum + "  mov.b64 %rd20, {%r13, %r14};\n") == 0);
  CHECK(one_thread(sum + "  cvt.u64.u32 %rd20, %r15;\n") == 1);
  const std::string difference = numbers +
                                 "  sub.cc.u32 %r11, %r1, %r5;\n  subc.cc.u32 %r12, %r2, %r6;\n"
                                 "  subc.cc.u32 %r13, %r3, %r7;\n  subc.u32 %r14, %r4, %r8;\n";
  CHECK(one_thread(difference + "  mov.b64 %rd20, {%r11, %r12};\n") == 9);
  CHECK(one_thread(difference + "  mov.b64 %rd20, {%r13, %r14};\n") == ~Word{0} - 1);
  // (2^32 - 1)² + 2^32 - 1, of which the lower half and its carry
  CHECK(one_thread("  mov.u32 %r1, -1;\n  mad.lo.cc.u32 %r2, %r1, %r1, %r1;\n"
                   "  madc.hi.u32 %r3, %r1, %r1, 0;\n  mov.b64 %rd20, {%r2, %r3};\n") ==
        0xffffffff00000000);
  CHECK(one_thread("  mov.u64 %rd1, -1;\n  add.cc.u64 %rd2, %rd1, 1;\n"
                   "  addc.u64 %rd20, %rd1, 7;\n") == 7);
}

TEST_CASE("two comparisons in one instruction give two predicates") {
  const auto run = [](const std::string& compare) {
    return one_thread(
        "  mov.b32 %r1, 0x3c004000;\n  mov.b32 %r2, 0x40003c00;\n"
        "  setp.eq.u32 %p3, %r1, %r1;\n" +
        compare +
        "  selp.b64 %rd1, 1, 0, %p1;\n  selp.b64 %rd2, 2, 0, %p2;\n"
        "  or.b64 %rd20, %rd1, %rd2;\n");
  };
  CHECK(run("  setp.lt.f16x2 %p1|%p2, %r1, %r2;\n") == 2);  // 2 < 1 no, 1 < 2 yes
  CHECK(run("  setp.gt.f16x2 %p1|%p2, %r1, %r2;\n") == 1);
  CHECK(run("  setp.lt.u32 %p1|%p2, %r1, %r2;\n") == 1);  // and whether not
  CHECK(run("  setp.gt.u32 %p1|%p2, %r1, %r2;\n") == 2);
  CHECK(run("  setp.gt.xor.u32 %p1|%p2, %r1, %r2, %p3;\n") == 1);
}

TEST_CASE("wide integers are what the CPU computes") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  const std::string source = R"(
extern "C" __global__ void kernel(const unsigned long long* in, unsigned long long* out) {
  const int t = threadIdx.x;
  typedef unsigned __int128 Wide;
  const Wide a = (Wide)in[4 * t] << 64 | in[4 * t + 1], b = (Wide)in[4 * t + 2] << 64 | in[4 * t + 3];
  Wide r = t % 4 == 0 ? a + b : t % 4 == 1 ? a - b : t % 4 == 2 ? a * b : (a << (t % 100)) ^ (b >> 7);
  if (a < b) r += 3;
  out[2 * t] = (unsigned long long)r;
  out[2 * t + 1] = (unsigned long long)(r >> 64);
})";
  std::vector<Word> in(4 * block_threads), out(2 * block_threads);
  Word state = 1;
  for (Word& word : in) word = state = state * 6364136223846793005u + 1442695040888963407u;
  for (std::size_t i = 0; i < in.size(); i += 5) in[i] = i % 2 == 0 ? 0 : ~Word{0};
  Program::decode(cuda_to_ptx(source), "kernel", "kernel.cu")
      .run({{1, 1, 1}, {block_threads, 1, 1}, 0}, {buffer_of(in, "in"), buffer_of(out, "out")},
           {Argument::pointer(0), Argument::pointer(1)});
  using Wide = unsigned __int128;
  for (std::size_t t = 0; t < block_threads; ++t) {
    const Wide a = static_cast<Wide>(in[4 * t]) << 64 | in[4 * t + 1];
    const Wide b = static_cast<Wide>(in[4 * t + 2]) << 64 | in[4 * t + 3];
    Wide r = t % 4 == 0   ? a + b
             : t % 4 == 1 ? a - b
             : t % 4 == 2 ? a * b
                          : (a << (t % 100)) ^ (b >> 7);
    if (a < b) r += 3;
    INFO("thread " << t);
    CHECK(out[2 * t] == static_cast<Word>(r));
    CHECK(out[2 * t + 1] == static_cast<Word>(r >> 64));
  }
}

TEST_CASE("half2 of cuda_fp16.h computes") {
  if (!no_nvrtc().empty()) SKIP_BECAUSE(no_nvrtc());
  const std::vector<float> in = eighths();
  const auto out = computed("#include <cuda_fp16.h>", R"(
  const __half2 a = __floats2half2_rn(in[4 * t], in[4 * t + 1]);
  const __half2 b = __float22half2_rn(make_float2(in[4 * t + 2], in[4 * t + 3]));
  __half2 sum = __hfma2(a, b, __float2half2_rn(0.5f));
  sum = __hadd2(sum, __hmul2(a, __lowhigh2highlow(b)));
  sum = __hsub2(sum, __hneg2(__habs2(b)));
  sum = __hmax2(sum, __hmin2(a, b));
  const float2 both = __half22float2(sum);
  const __half low = __low2half(a);
  float result = both.x + 2 * both.y + __half2float(__high2half(a) * low);
  if (__hlt(low, __high2half(b))) result += 100;
  if (__hbgt2(a, b)) result += 200;
  result += __low2float(__hgt2(a, b));
  result += (float)__half2int_rn(low) + (float)__half2uint_rz(__habs(low)) + __half2float(__int2half_rn(t));
  out[t] = result;)",
                            in);
  check_all(out, in, [&, t = 0](const float* x) mutable {
    const float low =
        std::max(x[0] * x[2] + 0.5f + x[0] * x[3] + std::abs(x[2]), std::min(x[0], x[2]));
    const float high =
        std::max(x[1] * x[3] + 0.5f + x[1] * x[2] + std::abs(x[3]), std::min(x[1], x[3]));
    float result = low + 2 * high + x[1] * x[0];
    if (x[0] < x[3]) result += 100;
    if (x[0] > x[2] && x[1] > x[3]) result += 200;
    result += x[0] > x[2] ? 1.0f : 0.0f;
    return result + std::nearbyint(x[0]) + std::trunc(std::abs(x[0])) + static_cast<float>(t++);
  });
}

TEST_CASE("bfloat16 of cuda_bf16.h computes") {
  if (!no_nvrtc().empty()) SKIP_BECAUSE(no_nvrtc());
  const std::vector<float> in = eighths();
  const auto out = computed("#include <cuda_bf16.h>", R"(
  const __nv_bfloat162 a = __floats2bfloat162_rn(in[4 * t], in[4 * t + 1]);
  const __nv_bfloat162 b = __floats2bfloat162_rn(in[4 * t + 2], in[4 * t + 3]);
  const __nv_bfloat162 least = __hmin2(a, b), sum = __hadd2(a, b);
  const float2 both = __bfloat1622float2(sum);
  float result = both.x + 3 * both.y + __low2float(least) - __high2float(least);
  const __nv_bfloat16 x = __float2bfloat16(in[4 * t]);
  result += __bfloat162float(__hfma(x, __float2bfloat16(2.0f), __float2bfloat16(0.25f)));
  if (x > __float2bfloat16(0.0f)) result += 100;
  out[t] = result;)",
                            in);
  check_all(out, in, [](const float* x) {
    const float result =
        x[0] + x[2] + 3 * (x[1] + x[3]) + std::min(x[0], x[2]) - std::min(x[1], x[3]);
    return result + (2 * x[0] + 0.25f) + (x[0] > 0 ? 100.0f : 0.0f);
  });
}

TEST_CASE("double precision and roundings are as CUDA's functions have them") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  const std::vector<float> in = eighths();
  const auto out = computed("", R"(
  const double a = in[4 * t], b = 1 + fabs((double)in[4 * t + 1]);
  double sum = __dadd_rn(a, b) + __dmul_rz(a, b) + fma(a, b, 1.0) + rint(a * 1.5) + floor(a) + ceil(b) + trunc(a);
  sum += sqrt(b * b) + fmax(a, b) - fmin(a, b) + copysign(b, a) + (double)llrint(a) + __double2int_rd(a);
  out[t] = (float)sum + __fadd_ru(in[4 * t], 1e-30f) + __fmaf_rz(in[4 * t], 2.0f, 1e-30f) + __saturatef(in[4 * t]);)",
                            in);
  check_all(out, in, [](const float* x) {
    const double a = x[0], b = 1 + std::abs(double{x[1]});
    double sum = a + b + a * b + (a * b + 1) + std::rint(a * 1.5) + std::floor(a) + std::ceil(b) +
                 std::trunc(a);
    sum += b + std::max(a, b) - std::min(a, b) + std::copysign(b, a) + std::rint(a) + std::floor(a);
    const float up = x[0] == 0 ? 1e-30f : std::nextafter(x[0], INFINITY);
    const float product = 2 * x[0];
    const float towards_zero = product == 0  ? 1e-30f
                               : product < 0 ? std::nextafter(product, 0.0f)
                                             : product;
    return static_cast<float>(sum) + up + towards_zero + std::min(std::max(x[0], 0.0f), 1.0f);
  });
}

TEST_CASE(
    "functions without an instruction are right, and fast ones within the bounds that NVIDIA "
    "states") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  check_function("__expf(x)", std::exp);
  check_function("__logf(x)", std::log);
  check_function("__log2f(x)", std::log2);
  check_function("__sinf(x)", std::sin);
  check_function("__cosf(x)", std::cos);
  check_function(
      "__powf(x, 1.5f)", [](double x) { return std::pow(x, 1.5); }, 3e-6);
  check_function("__fdividef(3.0f, x)", [](double x) { return 3 / x; });
  check_function("__frsqrt_rn(x)", [](double x) { return 1 / std::sqrt(x); });
  check_function("rsqrtf(x)", [](double x) { return 1 / std::sqrt(x); });
  check_function("__frcp_rn(x)", [](double x) { return 1 / x; });
  check_function("expf(x)", std::exp);
  check_function("logf(x)", std::log);
  check_function("tanhf(x)", std::tanh);
  check_function("powf(x, 1.5f)", [](double x) { return std::pow(x, 1.5); });
  check_function("(float)(1 / (double)x)", [](double x) { return 1 / x; });
  check_function("(float)rsqrt((double)x)", [](double x) { return 1 / std::sqrt(x); });
  check_function("(float)ldexp((double)x, -3)", [](double x) { return std::ldexp(x, -3); });
  check_function("log2f(x)", std::log2);
  check_function("roundf(3 * x)", [](double x) { return std::round(3 * x); });
  check_function("powf(-x, 3)", [](double x) { return -x * x * x; });
  check_function("powf(x, -2)", [](double x) { return 1 / (x * x); });
  check_function("64 * expm1f(x / 64)", [](double x) { return 64 * std::expm1(x / 64); });
  check_function("64 * log1pf(x / 64)", [](double x) { return 64 * std::log1p(x / 64); });
  check_function("log10f(x)", std::log10);
}

// With clang the program has none of these.
TEST_CASE("angles, the error function, remainders and powers of doubles are right with NVRTC") {
  if (!no_nvrtc().empty()) SKIP_BECAUSE(no_nvrtc());
  check_function("erff(x)", std::erf);
  check_function("(float)exp((double)x)", std::exp);
  check_function("(float)log((double)x)", std::log);
  check_function("sinf(1e30f * x)", [](double x) {
    return std::sin(static_cast<double>(1e30f * static_cast<float>(x)));
  });
  check_function("cosf(300 * x)", [](double x) { return std::cos(300 * x); });
  check_function("tanf(x)", std::tan);
  check_function("(float)sin(1e22 * (double)x)", [](double x) { return std::sin(1e22 * x); });
  check_function("(float)cos(-1e5 * (double)x)", [](double x) { return std::cos(-1e5 * x); });
  check_function("(float)pow((double)x, 0.3)", [](double x) { return std::pow(x, 0.3); });
  check_function("(float)pow((double)-x, 3)", [](double x) { return -x * x * x; });
  check_function("(float)exp2((double)x)", std::exp2);
  check_function("(float)log10((double)x)", std::log10);
  check_function("(float)tanh((double)x)", std::tanh);
  check_function("(float)erf((double)x)", std::erf);
  check_function("(float)cbrt((double)x)", std::cbrt);
  check_function("(float)atan2((double)x, -2.0)", [](double x) { return std::atan2(x, -2.0); });
  check_function("(float)hypot((double)x, 3.0)", [](double x) { return std::hypot(x, 3.0); });
  check_function("fmodf(x, 0.3f)", [](double x) { return std::fmod(x, double{0.3f}); });
  check_function("acosf(x / 4)", [](double x) { return std::acos(x / 4); });
}

TEST_CASE("bytes and bits are counted and multiplied") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  const auto out = computed("", R"(
  const unsigned x = t * 2654435761u, y = x ^ x >> 13;
  unsigned sum = __dp4a((int)x, (int)y, 7) + __dp4a(x, y, 7u) + __dp2a_lo((int)x, (int)y, 3);
  sum += __popc(x) + __clz(y) + __ffs(x) + __brev(y) + __byte_perm(x, y, 0x6240) + __sad((int)x, (int)y, 1u);
  sum += __vadd4(x, y) + __vabsdiffu4(x, y) + __vmaxs2(x, y) + __vcmpgtu4(x, y) + __mul24((int)x, 3) + __umulhi(x, y);
  sum += __funnelshift_l(x, y, t) + __fns(x, 0, 1 + t % 5) + __hadd((int)x, (int)y) + __rhadd((int)x, (int)y);
  out[t] = __uint_as_float((sum & 0x007fffff) | 0x3f800000);)",
                            eighths());
  for (std::uint32_t t = 0; t < block_threads; ++t) {
    const std::uint32_t x = t * 2654435761u, y = x ^ x >> 13;
    const auto byte = [](std::uint32_t v, int k) { return v >> (8 * k) & 255; };
    const auto s8 = [&](std::uint32_t v, int k) { return static_cast<std::int8_t>(byte(v, k)); };
    const auto s16 = [](std::uint32_t v, int k) {
      return static_cast<std::int16_t>(v >> (16 * k));
    };
    const auto sx = static_cast<std::int64_t>(static_cast<std::int32_t>(x));
    const auto sy = static_cast<std::int64_t>(static_cast<std::int32_t>(y));
    std::uint32_t sum = 7 + 7 + 3, bytes = 0;
    for (int k = 0; k < 4; ++k) {
      sum += static_cast<std::uint32_t>(s8(x, k) * s8(y, k)) + byte(x, k) * byte(y, k);
      bytes = static_cast<std::uint32_t>(
          std::abs(static_cast<int>(byte(x, k)) - static_cast<int>(byte(y, k))));
      sum += (byte(x, k) + byte(y, k)) % 256 << (8 * k);
      sum += bytes << (8 * k);
      sum += (byte(x, k) > byte(y, k) ? 255u : 0u) << (8 * k);
    }
    for (int k = 0; k < 2; ++k) {
      sum += static_cast<std::uint32_t>(s16(x, k) * s8(y, k));
      sum += static_cast<std::uint32_t>(static_cast<std::uint16_t>(std::max(s16(x, k), s16(y, k))))
             << (16 * k);
    }
    sum += static_cast<std::uint32_t>(std::popcount(x) + std::countl_zero(y) +
                                      (x == 0 ? 0 : std::countr_zero(x) + 1));
    for (int k = 0; k < 32; ++k) sum += (y >> k & 1) << (31 - k);
    sum += byte(x, 0) | byte(y, 0) << 8 | byte(x, 2) << 16 | byte(y, 2) << 24;
    sum += static_cast<std::uint32_t>(std::abs(sx - sy)) + 1;
    const auto low = static_cast<std::int32_t>(x << 8) >> 8;
    sum += static_cast<std::uint32_t>(low * 3) +
           static_cast<std::uint32_t>(std::uint64_t{x} * y >> 32);
    sum += t % 32 == 0 ? y : y << (t % 32) | x >> (32 - t % 32);
    std::uint32_t rest = x;
    for (std::uint32_t k = 0; k < t % 5; ++k) rest &= rest - 1;
    sum += rest == 0 ? ~0u : static_cast<std::uint32_t>(std::countr_zero(rest));
    sum +=
        static_cast<std::uint32_t>((sx + sy) >> 1) + static_cast<std::uint32_t>((sx + sy + 1) >> 1);
    INFO("thread " << t);
    CHECK(std::bit_cast<std::uint32_t>(out[t]) == ((sum & 0x007fffff) | 0x3f800000));
  }
}

// The files in kernels/ compute C = A·B in the ways of people who know their numbers: digits in
// halves, integers, sums of several words. The first line of each says its block and tile; one uses
// what only NVRTC has, and says so.
TEST_CASE("kernels of unusual arithmetic are right") {
  if (!no_compiler().empty()) SKIP_BECAUSE(no_compiler());
  struct Shape {
    std::size_t m, n, k;
  };
  int files = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(PROJECT_SOURCE_DIR "/tests/emulator/kernels")) {
    std::ifstream file(entry.path());
    const std::string source(std::istreambuf_iterator<char>(file), {});
    if (source.find("// Only for NVRTC") != source.npos && !no_nvrtc().empty()) continue;
    unsigned block_x = 0, block_y = 0, rows = 0, columns = 0;
    REQUIRE(std::sscanf(source.c_str(), "// block %ux%u tile %ux%u", &block_x, &block_y, &rows,
                        &columns) == 4);
    const Program program =
        Program::decode(cuda_to_ptx(source), entry.path().stem().string(), "kernel.cu");
    ++files;
    for (const auto& [m, n, k] : {Shape{45, 50, 67}, Shape{32, 32, 32}, Shape{1, 3, 1}}) {
      std::vector<float> a(m * k), b(k * n), c(m * n);
      for (std::size_t i = 0; i < a.size(); ++i)
        a[i] = static_cast<float>(static_cast<int>(i * 7919 % 20011) - 10005) / 10006;
      for (std::size_t i = 0; i < b.size(); ++i)
        b[i] = static_cast<float>(static_cast<int>(i * 104729 % 30011) - 15005) / 15006;
      const auto tiles = [](std::size_t size, unsigned tile) {
        return (static_cast<unsigned>(size) + tile - 1) / tile;
      };
      const Result result =
          program.run({{tiles(n, columns), tiles(m, rows), 1}, {block_x, block_y, 1}, 0},
                      {buffer_of(a, "A"), buffer_of(b, "B"), buffer_of(c, "C")},
                      {Argument::pointer(0), Argument::pointer(1), Argument::pointer(2),
                       Argument::integer(static_cast<std::int64_t>(m)),
                       Argument::integer(static_cast<std::int64_t>(n)),
                       Argument::integer(static_cast<std::int64_t>(k))});
      INFO(entry.path() << " at " << m << ", " << n << ", " << k);
      CHECK(kinds(result) == "");
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < c.size(); ++i) {
        double sum = 0, size = 0;
        for (std::size_t p = 0; p < k; ++p) {
          const double product = double{a[i / n * k + p]} * b[p * n + i % n];
          sum += product;
          size += std::abs(product);
        }
        if (!(std::abs(c[i] - sum) <= size * 0x1p-20)) ++wrong;
      }
      CHECK(wrong == 0);
    }
  }
  CHECK(files >= 11);
}
