// The types of matrices, what is random in them, and the bounds of other precisions.
#include "gemm/scalar.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "checks.hpp"
#include "gemm/matrices.hpp"
#include "gemm/reference.hpp"
#include "gemm/verification.hpp"

namespace gemm_tutor {
namespace {

constexpr Scalar of_sixteen_bits[] = {Scalar::f16, Scalar::bf16};

// The nearest number of the format, with an even last place of two: by rounding a double to a
// multiple of the last place.
double nearest(double value, Scalar element) {
  const bool is_half = element == Scalar::f16;
  const int fraction_bits = is_half ? 10 : 7, least = is_half ? -14 : -126;
  const int exponent = value == 0 ? least : std::max(std::ilogb(value), least);
  const double place = std::ldexp(1.0, exponent - fraction_bits);
  const double rounded = std::nearbyint(value / place) * place;
  const double limit = is_half ? 65536 : 0x1p128;
  return std::abs(rounded) >= limit ? std::copysign(INFINITY, value) : rounded;
}

// A product of small tensor steps: of `at_once` products each, cut as on an A100 (24 bits after the
// largest exponent's place), and the sum cut to FP32.
float by_tensor_cores(const std::vector<float>& a, const std::vector<float>& b,
                      std::size_t at_once) {
  const auto cut = [](double value, double place) { return std::trunc(value / place) * place; };
  float sum = 0;
  for (std::size_t k = 0; k < a.size(); k += at_once) {
    std::vector<double> terms = {sum};
    int top = sum == 0 ? -1000 : std::ilogb(sum);
    for (std::size_t i = k; i < std::min(a.size(), k + at_once); ++i) {
      terms.push_back(double{a[i]} * double{b[i]});
      if (terms.back() != 0) top = std::max(top, std::ilogb(a[i]) + std::ilogb(b[i]));
    }
    double step = 0;
    for (const double term : terms) step += cut(term, std::ldexp(1.0, top - 24));
    sum = step == 0 ? 0 : static_cast<float>(cut(step, std::ldexp(1.0, std::ilogb(step) - 23)));
  }
  return sum;
}

}  // namespace

TEST_CASE("every number of 16 bits comes back from its bits") {
  for (const Scalar element : of_sixteen_bits) {
    int wrong = 0;
    for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
      const float value = value_of(bits, element);
      wrong += std::isnan(value) ? !std::isnan(rounded(value, element))
                                 : bits_of(value, element) != bits;
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("every number of 8 bits comes back from its bits, and others are rounded to one") {
  for (const Scalar element : {Scalar::e4m3, Scalar::e5m2}) {
    int wrong = 0, numbers = 0;
    for (std::uint32_t bits = 0; bits < 0x100; ++bits) {
      const float value = value_of(bits, element);
      if (!std::isfinite(value)) continue;
      ++numbers;
      wrong += bits_of(value, element) != bits;
    }
    CHECK(wrong == 0);
    CHECK(numbers == (element == Scalar::e4m3 ? 254 : 248));
  }
  CHECK(value_of(0x7e, Scalar::e4m3) == 448);
  CHECK(value_of(0x01, Scalar::e4m3) == 0x1p-9f);
  CHECK(value_of(0x7b, Scalar::e5m2) == 57344);
  CHECK(value_of(0x01, Scalar::e5m2) == 0x1p-16f);
  CHECK(rounded(17, Scalar::e4m3) == 16);  // halfway, to even
  CHECK(rounded(19, Scalar::e4m3) == 20);
  CHECK(rounded(1e9f, Scalar::e4m3) == 448);
  CHECK(rounded(0x1p-10f, Scalar::e4m3) == 0);
  CHECK(rounded(3 * 0x1p-10f, Scalar::e4m3) == 0x1p-8f);  // halfway between subnormal numbers
  CHECK(rounded(-9, Scalar::e5m2) == -8);
  CHECK(rounded(-11, Scalar::e5m2) == -12);
  CHECK(rounded(-INFINITY, Scalar::e5m2) == -57344);
  CHECK(std::isnan(rounded(NAN, Scalar::e4m3)));
}

TEST_CASE("a float is rounded to the nearest of its type, to an even one of two") {
  std::mt19937 random(1);
  for (const Scalar element : of_sixteen_bits) {
    int wrong = 0;
    for (int i = 0; i < 1'000'000; ++i) {
      auto bits = static_cast<std::uint32_t>(random());
      if (i % 4 == 0) bits = (bits & 0xffff0000) | (i % 8 ? 0x8000 : 0x7fff);
      if (i % 4 == 1) bits = (bits & 0x8fffffff) | 0x30000000;  // about 2^-30 to 2^2
      if (i % 16 == 2) bits &= 0xfffff000;                      // halfway between two halves
      const auto value = std::bit_cast<float>(bits);
      if (std::isnan(value)) continue;
      wrong += rounded(value, element) != nearest(value, element);
    }
    CHECK(wrong == 0);
  }
  CHECK(rounded(65519.996f, Scalar::f16) == 65504);
  CHECK(std::isinf(rounded(65520, Scalar::f16)));
  CHECK(bits_of(std::numeric_limits<float>::quiet_NaN(), Scalar::bf16) == 0x7fff);
}

TEST_CASE("poison stays poison in each type, and is no result of arithmetic") {
  for (const Scalar element : {Scalar::f32, Scalar::f16, Scalar::bf16, Scalar::s32, Scalar::f64}) {
    std::vector<float> values(3, 1.0f);
    poison(std::span(values).subspan(1, 1));
    const std::vector<std::byte> bytes = encoded(values, element);
    CHECK(bytes.size() == 3 * static_cast<std::size_t>(bytes_of(element)));
    std::vector<float> back(3);
    decode(bytes, element, back);
    CHECK(back[0] == 1);
    CHECK(is_poison(back[1]));
  }
}

TEST_CASE("a pointer's type tells the matrix' type") {
  CHECK(pointed_scalar("__half const*") == Scalar::f16);
  CHECK(pointed_scalar("__half2*") == Scalar::f16);
  CHECK(pointed_scalar("__nv_bfloat16 const*") == Scalar::bf16);
  CHECK(pointed_scalar("float (*) [80]") == Scalar::f32);
  CHECK(pointed_scalar("signed char const*") == Scalar::s8);
  CHECK(pointed_scalar("int*") == Scalar::s32);
  CHECK(pointed_scalar("double const*") == Scalar::f64);
  CHECK_FALSE(pointed_scalar("short*"));
  CHECK_FALSE(pointed_scalar("int4 const*"));
  CHECK_FALSE(pointed_scalar("float"));
}

TEST_CASE("matrices hold what their type does, and whole numbers where the result must be exact") {
  const Problem problem{30, 40, 50};
  const Matrices halves = make_matrices(
      problem, 1, nullptr, {.types = {Scalar::f16, Scalar::bf16, Scalar::f32, Precision::fp16}});
  const Matrices floats = make_matrices(problem, 1);
  for (std::size_t i = 0; i < halves.a.size(); ++i)
    CHECK(halves.a[i] == rounded(floats.a[i], Scalar::f16));
  CHECK(halves.b[7] == rounded(floats.b[7], Scalar::bf16));

  for (const Precision precision : {Precision::fp16_sums, Precision::bf16_sums, Precision::int8}) {
    const PrecisionTerms& terms = terms_of(precision);
    const Scalar element = precision == Precision::int8 ? Scalar::s8 : Scalar::f16;
    for (const int k : {1, 30, 500, 3000, 9000}) {
      const Problem deep{16, 16, k};
      const Matrices m =
          make_matrices(deep, 1, nullptr, {.types = {element, element, Scalar::f32, precision}});
      double largest = 0, sum = 0;
      for (const Strip strip : {Strip{3, 0, 16}, Strip{9, 0, 16}}) {
        const ReferenceSums sums = Reference(deep, m.a, m.b).sums({&strip, 1});
        for (const double one : sums.absolute_products) {
          largest = std::max(largest, one);
          sum += one;
        }
      }
      CAPTURE(terms.name, k);
      CHECK(largest <= terms.exact_to);
      CHECK(sum > 0);
      for (const float value : m.a) CHECK(value == std::round(value));
    }
  }
  const Matrices of_bytes = make_matrices(
      problem, 1, nullptr, {.types = {Scalar::u8, Scalar::s8, Scalar::s32, Precision::int8}});
  CHECK(*std::ranges::min_element(of_bytes.a) == 0);
  CHECK(*std::ranges::max_element(of_bytes.a) == 16);
  CHECK(*std::ranges::min_element(of_bytes.b) == -16);
}

TEST_CASE("the bounds hold for tensor cores, whatever they add at once") {
  std::mt19937 random(3);
  std::uniform_real_distribution<float> uniform(-1, 1);
  for (const int k : {1, 2, 5, 16, 100, 4096}) {
    double worst = 0;
    for (int i = 0; i < 50; ++i) {
      std::vector<float> a, b;
      double exact = 0, absolute = 0;
      for (int j = 0; j < k; ++j) {
        // All of one sign, so that errors of cutting add up.
        a.push_back(rounded(std::abs(uniform(random)), Scalar::f16));
        b.push_back(rounded(std::ldexp(std::abs(uniform(random)), i % 20 - 10), Scalar::f16));
        exact += double{a.back()} * b.back();
        absolute += std::abs(double{a.back()} * b.back());
      }
      const ErrorBound bound(k, {.precision = Precision::fp16});
      for (const std::size_t at_once : {1, 3, 4, 8, 16}) {
        const double ratio = std::abs(by_tensor_cores(a, b, at_once) - exact) / bound(absolute);
        worst = std::max(worst, ratio);
      }
    }
    CAPTURE(k);
    CHECK(worst <= 1);
  }
}

TEST_CASE("three products of pairs of halves are within the bound of fp16-pairs, and not two") {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> uniform(0.5f, 1);
  const auto halves = [](float value) {
    const float hi = rounded(value * 0x1p15f, Scalar::f16);
    return std::pair{hi, rounded(value * 0x1p15f - hi, Scalar::f16)};
  };
  for (const int k : {1, 2, 16, 64}) {
    double of_three = 0, of_two = 0, exact = 0;
    for (int i = 0; i < k; ++i) {
      const float a = uniform(random), b = uniform(random);
      const auto [a_hi, a_lo] = halves(a);
      const auto [b_hi, b_lo] = halves(b);
      const double big = double{a_hi} * b_hi + double{a_hi} * b_lo;
      of_two += 0x1p-30 * big;
      of_three += 0x1p-30 * (big + double{a_lo} * b_hi);
      exact += double{a} * b;
    }
    CAPTURE(k);
    const ErrorBound bound(k, {.precision = Precision::fp16_pairs, .rounds_factors = true});
    CHECK(std::abs(of_three - exact) <= bound(exact));
    CHECK(std::abs(of_two - exact) > bound(exact));
  }
}

TEST_CASE("a bound has the error of rounded factors, of sums and of a C that is stored") {
  const auto of = [](Precision precision, Scalar stored = Scalar::f32) {
    return ErrorBound(64, {.precision = precision, .stored = stored, .rounds_factors = true})(10,
                                                                                              4);
  };
  CHECK(of(Precision::fp32) < of(Precision::tf32));
  CHECK(of(Precision::tf32) > 10 * 0x1p-9);  // both factors cut
  CHECK(of(Precision::bf16) > 10 * 0x1p-7);
  CHECK(ErrorBound(64, {.precision = Precision::bf16})(10) < 10 * 0x1p-15);  // stored so
  CHECK(of(Precision::fp32, Scalar::f16) > 4 * 0x1p-11);
  CHECK(of(Precision::fp32, Scalar::f16) < of(Precision::fp32, Scalar::bf16));
  CHECK(of(Precision::int8) == 0.25);
  CHECK(of(Precision::fp16_sums) == 0.25);
  const auto scaled = [](double alpha) {
    return ErrorBound(64, {alpha, 0, {}, Precision::fp16_sums, Scalar::f16})(10 * alpha, 4);
  };
  CHECK(scaled(2) == 0.25);
  CHECK(scaled(0.3) > 4 * 0x1p-11);
  CHECK(scaled(0.3) < 0.1);
}

TEST_CASE("what a product is judged by follows from the types") {
  const auto usual = [](Scalar factors, Scalar c) {
    return usual_precision({factors, factors, c, {}});
  };
  CHECK(usual(Scalar::f32, Scalar::f32) == Precision::fp32);
  CHECK(usual(Scalar::f16, Scalar::f32) == Precision::fp16);
  CHECK(usual(Scalar::f16, Scalar::f16) == Precision::fp16_sums);
  CHECK(usual(Scalar::bf16, Scalar::bf16) == Precision::bf16);
  CHECK(usual(Scalar::s8, Scalar::s32) == Precision::int8);
  for (const std::string& name : precision_names())
    CHECK(terms_of(*precision_named(name)).name == name);
  CHECK_FALSE(precision_named("fp4"));
}

}  // namespace gemm_tutor
