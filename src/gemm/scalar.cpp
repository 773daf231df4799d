#include "gemm/scalar.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "gemm/matrices.hpp"
#include "support/parallel.hpp"
#include "support/text.hpp"

namespace gemm_tutor {
namespace {

constexpr ScalarType scalar_types[] = {{"FP32", 4}, {"FP16", 2},       {"BF16", 2},
                                       {"INT8", 1}, {"UINT8", 1},      {"INT32", 4},
                                       {"FP64", 8}, {"FP8 (E4M3)", 1}, {"FP8 (E5M2)", 1}};

// Of a step with one product: 2^-24 for the terms that are cut, 2^-23 for the sum
// (docs/precision.md).
constexpr double of_tensor_cores = 3 * 0x1p-24;

constexpr PrecisionTerms all_terms[] = {
    {"fp64", "FP64", 0, 0x1p-53},
    {"fp32", "FP32", 0, 0x1p-24},
    {"fp16-pairs", "FP32 made of two FP16", 0x1.8p-22, 0x1.9p-23, 0x1p-39},
    {"tf32", "TF32", 0x1p-10, of_tensor_cores},
    {"fp16", "FP16", 0x1p-11, of_tensor_cores, 0x1p-25},
    {"bf16", "BF16", 0x1p-8, of_tensor_cores},
    {"fp16-sums", "FP16, with sums in FP16", 0x1p-11, 0x1p-11, 0x1p-25, 0x1p11},
    {"bf16-sums", "BF16, with sums in BF16", 0x1p-8, 0x1p-8, 0, 0x1p8},
    // E5M2 has three significant bits, and so all whole numbers up to 8.
    {"fp8", "FP8", 0x1p-3, 0x1p-11, 0, 0x1p11, 8},
    {"int8", "INT8", 0, 0x1p-24, 0, 0x1p24}};

std::uint32_t half_bits(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) return 0x7fff;
  if (magnitude >= 0x47800000) return sign | 0x7c00;  // at least 65,536
  if (magnitude < 0x38800000) {  // below 2^-14: adding 1/2 rounds to a multiple of 2^-24
    const float moved = std::bit_cast<float>(magnitude) + 0.5f;
    return sign | (std::bit_cast<std::uint32_t>(moved) - std::bit_cast<std::uint32_t>(0.5f));
  }
  return sign | ((magnitude - 0x38000000 + 0xfff + (magnitude >> 13 & 1)) >> 13);
}

float value_of_half(std::uint32_t bits) {
  const std::uint32_t magnitude = (bits & 0x7fff) << 13;
  const float value = magnitude >= 0x7c00 << 13 ? std::bit_cast<float>(magnitude | 0x7f800000)
                                                : std::bit_cast<float>(magnitude) * 0x1p112f;
  return (bits & 0x8000) != 0 ? -value : value;
}

std::uint32_t brain_bits(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if (std::isnan(value)) return 0x7fff;
  return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

// FP8: the bits of the fraction, what is added to the exponent, and the largest number, to which
// larger ones are cut (as by .satfinite).
struct SmallFloat {
  int fraction, bias;
  std::uint32_t largest;
};

SmallFloat small_float(Scalar element) {
  return element == Scalar::e4m3 ? SmallFloat{3, 7, 0x7e} : SmallFloat{2, 15, 0x7b};
}

std::uint32_t small_bits(float value, const SmallFloat& type) {
  const std::uint32_t sign = std::signbit(value) ? 0x80 : 0;
  if (std::isnan(value)) return 0x7f;
  if (value == 0 || std::isinf(value)) return sign | (value == 0 ? 0 : type.largest);
  const int exponent = std::max(std::ilogb(value), 1 - type.bias);
  const float digits = std::nearbyint(std::scalbn(std::abs(value), type.fraction - exponent));
  const std::int64_t bits =
      (static_cast<std::int64_t>(exponent + type.bias - 1) << type.fraction) + std::llrint(digits);
  return sign | static_cast<std::uint32_t>(std::min<std::int64_t>(bits, type.largest));
}

float value_of_small(std::uint32_t bits, const SmallFloat& type) {
  const std::uint32_t magnitude = bits & 0x7f, one = 1u << type.fraction;
  const std::uint32_t exponent = magnitude >> type.fraction, rest = magnitude & (one - 1);
  const float sign = (bits & 0x80) != 0 ? -1.0f : 1.0f;
  if (magnitude > type.largest)
    return magnitude == 0x7c ? sign * INFINITY : std::numeric_limits<float>::quiet_NaN();
  const auto digits = static_cast<float>(exponent == 0 ? rest : rest + one);
  return sign * std::scalbn(digits, std::max<int>(static_cast<int>(exponent), 1) - type.bias -
                                        type.fraction);
}

}  // namespace

const ScalarType& type_of(Scalar element) {
  return scalar_types[static_cast<std::size_t>(element)];
}

std::string_view pointed_type(std::string_view type) {
  const std::size_t mark = type.find_first_of("*(");  // "float (*) [80]"
  if (mark == type.npos) return "";
  std::string_view pointed = trimmed(type.substr(0, mark));
  constexpr std::string_view constant = " const";
  if (pointed.ends_with(constant)) pointed.remove_suffix(constant.size());
  return pointed;
}

std::optional<Scalar> pointed_scalar(std::string_view type) {
  static constexpr std::pair<std::string_view, Scalar> names[] = {
      {"float", Scalar::f32},
      {"float2", Scalar::f32},
      {"float4", Scalar::f32},
      {"__half", Scalar::f16},
      {"__half2", Scalar::f16},
      {"__nv_bfloat16", Scalar::bf16},
      {"__nv_bfloat162", Scalar::bf16},
      {"signed char", Scalar::s8},
      {"char", Scalar::s8},
      {"char4", Scalar::s8},
      {"unsigned char", Scalar::u8},
      {"uchar4", Scalar::u8},
      {"int", Scalar::s32},
      {"double", Scalar::f64},
      {"double2", Scalar::f64},
      {"double4", Scalar::f64},
      {"__nv_fp8_e4m3", Scalar::e4m3},
      {"__nv_fp8x2_e4m3", Scalar::e4m3},
      {"__nv_fp8x4_e4m3", Scalar::e4m3},
      {"__nv_fp8_e5m2", Scalar::e5m2},
      {"__nv_fp8x2_e5m2", Scalar::e5m2},
      {"__nv_fp8x4_e5m2", Scalar::e5m2}};
  const auto found =
      std::ranges::find(names, pointed_type(type), &std::pair<std::string_view, Scalar>::first);
  return found == std::end(names) ? std::nullopt : std::optional(found->second);
}

std::uint64_t bits_of(float value, Scalar element) {
  if (element == Scalar::f16) return half_bits(value);
  if (element == Scalar::bf16) return brain_bits(value);
  if (element == Scalar::f32) return std::bit_cast<std::uint32_t>(value);
  if (element == Scalar::f64) return std::bit_cast<std::uint64_t>(double{value});
  if (is_fp8(element)) return small_bits(value, small_float(element));
  const auto number = static_cast<std::uint32_t>(std::llrint(value));
  return bytes_of(element) == 1 ? number & 0xff : number;
}

float value_of(std::uint64_t all_bits, Scalar element) {
  const auto bits = static_cast<std::uint32_t>(all_bits);
  switch (element) {
    case Scalar::f16:
      return value_of_half(bits);
    case Scalar::bf16:
      return std::bit_cast<float>(bits << 16);
    case Scalar::s8:
      return static_cast<std::int8_t>(bits);
    case Scalar::u8:
      return static_cast<std::uint8_t>(bits);
    case Scalar::s32:
      return static_cast<float>(static_cast<std::int32_t>(bits));
    case Scalar::f64:
      return static_cast<float>(std::bit_cast<double>(all_bits));
    case Scalar::e4m3:
    case Scalar::e5m2:
      return value_of_small(bits, small_float(element));
    case Scalar::f32:
      break;
  }
  return std::bit_cast<float>(bits);
}

std::uint64_t poison_of(Scalar element) {
  if (element == Scalar::f64) return 0x7ffdeadc7ffdeadc;
  return element == Scalar::f16 ? 0x7dea : element == Scalar::bf16 ? 0x7fde : poison_bits;
}

std::vector<std::byte> encoded(std::span<const float> values, Scalar element) {
  const auto each = static_cast<std::size_t>(bytes_of(element));
  std::vector<std::byte> bytes(values.size() * each);
  parallel_for_parts(std::ssize(values), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::uint64_t bits =
          is_poison(values[i]) ? poison_of(element) : bits_of(values[i], element);
      std::memcpy(&bytes[i * each], &bits, each);  // little-endian, as on a GPU
    }
  });
  return bytes;
}

void decode(std::span<const std::byte> bytes, Scalar element, std::span<float> values) {
  const auto each = static_cast<std::size_t>(bytes_of(element));
  parallel_for_parts(std::ssize(values), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, &bytes[i * each], each);
      values[i] =
          bits == poison_of(element) ? std::bit_cast<float>(poison_bits) : value_of(bits, element);
    }
  });
}

const PrecisionTerms& terms_of(Precision precision) {
  return all_terms[static_cast<std::size_t>(precision)];
}

std::vector<std::string> precision_names() {
  std::vector<std::string> names;
  for (const PrecisionTerms& one : all_terms) names.emplace_back(one.name);
  return names;
}

std::optional<Precision> precision_named(std::string_view name) {
  const auto found = std::ranges::find(all_terms, name, &PrecisionTerms::name);
  if (found == std::end(all_terms)) return {};
  return static_cast<Precision>(found - std::begin(all_terms));
}

Precision usual_precision(const Types& types) {
  const auto has = [&](Scalar element) { return types.a == element || types.b == element; };
  if (is_fp8(types.a) || is_fp8(types.b)) return Precision::fp8;
  if (has(Scalar::s8) || has(Scalar::u8)) return Precision::int8;
  if (has(Scalar::bf16)) return Precision::bf16;
  if (has(Scalar::f16)) return types.c == Scalar::f16 ? Precision::fp16_sums : Precision::fp16;
  if (types.a == Scalar::f64 && types.b == Scalar::f64 && types.c == Scalar::f64)
    return Precision::fp64;
  return Precision::fp32;
}

}  // namespace gemm_tutor
