#include "matrix_kernels.hpp"

#include <fmt/format.h>

#include <bit>

#include "support/text.hpp"

namespace gemm_tutor::simt {
namespace {

class Random {
 public:
  std::uint32_t bits() {
    state_ ^= state_ << 13, state_ ^= state_ >> 7, state_ ^= state_ << 17;
    return static_cast<std::uint32_t>(state_ >> 16);
  }
  std::uint32_t below(std::uint32_t limit) { return bits() % limit; }
  float uniform() { return static_cast<float>(static_cast<int>(bits() >> 8)) / 0x1p23f - 1; }

 private:
  std::uint64_t state_ = 88172645463325252;
};

// What an operand's numbers are like.
enum class Style { uniform, any_bits, many_binades, ends, small };

Style style_of(int warp) {
  constexpr int of_20[] = {8, 14, 17, 18};  // where each but the last ends
  constexpr Style styles[] = {Style::uniform, Style::many_binades, Style::any_bits, Style::ends};
  for (int s = 0; s < 4; ++s) {
    if (warp % 20 < of_20[s]) return styles[s];
  }
  return Style::small;
}

// A format of floating point with up to 64 bits.
struct Layout {
  int exponent_bits, fraction_bits;

  std::uint64_t number(Random& random, Style style) const {
    const int bits = 1 + exponent_bits + fraction_bits;
    const std::uint64_t all = ~std::uint64_t{0} >> (64 - bits);
    const std::uint64_t one = std::uint64_t{1} << fraction_bits, sign = one << exponent_bits;
    const std::uint64_t any = (std::uint64_t{random.bits()} << 32 | random.bits()) & all;
    const std::uint64_t bias = (1u << (exponent_bits - 1)) - 1, top = (sign - 1) / one * one;
    const auto with_exponent = [&](std::uint64_t exponent) {
      return (any & (sign | (one - 1))) | exponent * one;
    };
    const std::uint64_t ends[] = {0,
                                  sign,
                                  top,
                                  top | sign,
                                  top | one / 2,
                                  top | 1,
                                  1,
                                  sign | 1,
                                  one - 1,
                                  one,
                                  top - 1,
                                  sign | (top - 1),
                                  bias * one,
                                  sign | bias * one,
                                  bias * one + 1,
                                  2 * one};
    switch (style) {
      case Style::uniform:
        return with_exponent(bias - 1 - random.below(4) % (bias - 1));
      case Style::many_binades: {
        const std::uint64_t width = bias < 20 ? bias : 24;
        return with_exponent(bias - width / 2 + random.below(static_cast<std::uint32_t>(width)));
      }
      case Style::ends:
        return ends[random.below(std::size(ends))];
      case Style::small:
        return with_exponent(random.below(static_cast<std::uint32_t>(bias < 20 ? bias : 64)));
      default:
        return any;
    }
  }
};

std::uint32_t integer(Random& random, Style style, bool is_sum) {
  if (!is_sum || style == Style::any_bits) return random.bits();
  if (style != Style::ends) return random.below(200'000);
  return (random.bits() & 1 ? 0x80000000u : 0x7fffff00u) + random.below(256);
}

void append(std::vector<std::uint32_t>& words, Random& random, const std::string& element,
            Style style, std::size_t count, bool is_sum) {
  const auto add = [&](Layout layout) {
    const int bits = 1 + layout.exponent_bits + layout.fraction_bits;
    for (std::size_t w = 0; w < count; ++w) {
      if (bits == 64) {
        const std::uint64_t number = layout.number(random, style);
        words.push_back(static_cast<std::uint32_t>(number));
        words.push_back(static_cast<std::uint32_t>(number >> 32));
        continue;
      }
      std::uint32_t word = 0;
      for (int at = 0; at < 32; at += bits)
        word |= static_cast<std::uint32_t>(layout.number(random, style)) << at;
      words.push_back(word);
    }
  };
  if (element == "f16") return add({5, 10});
  if (element == "bf16") return add({8, 7});
  if (element == "tf32" || element == "f32") return add({8, 23});
  if (element == "e4m3") return add({4, 3});
  if (element == "e5m2") return add({5, 2});
  if (element == "f64") return add({11, 52});
  for (std::size_t w = 0; w < count; ++w) words.push_back(integer(random, style, is_sum));
}

std::string registers(const std::string& name, int first, int count) {
  std::vector<std::string> names;
  for (int i = first; i < first + count; ++i) names.push_back(fmt::format("%{}{}", name, i));
  return "{" + join(names) + "}";
}

}  // namespace

const std::vector<MatrixInstruction>& matrix_instructions() {
  static const std::vector<MatrixInstruction> all = [] {
    const std::string m16 = "mma.sync.aligned.m16n8k", types = ".row.col.";
    std::vector<MatrixInstruction> list;
    const auto add = [&](int depth, const std::string& a, const std::string& b,
                         const std::string& sum, int of_a, int of_c, int least = 80) {
      list.push_back({fmt::format("{}{}{}{}.{}.{}.{}", m16, depth, types, sum, a, b, sum), a, sum,
                      of_a, of_a / 2, of_c, least});
    };
    for (const int depth : {16, 8}) {
      add(depth, "f16", "f16", "f32", depth / 4, 4);
      add(depth, "bf16", "bf16", "f32", depth / 4, 4);
      add(depth, "f16", "f16", "f16", depth / 4, 2);
      add(depth / 2, "tf32", "tf32", "f32", depth / 4, 4);
    }
    for (const char* a : {"s8", "u8"}) {
      for (const char* b : {"s8", "u8"}) {
        add(32, a, b, "s32", 4, 4);
        add(16, a, b, "s32", 2, 4);
      }
    }
    for (const char* a : {"s4", "u4"}) {
      for (const char* b : {"s4", "u4"}) {
        add(64, a, b, "s32", 4, 4);
        add(32, a, b, "s32", 2, 4);
      }
    }
    for (const char* a : {"e4m3", "e5m2"}) {
      for (const char* b : {"e4m3", "e5m2"}) {
        for (const int depth : {32, 16}) {
          add(depth, a, b, "f32", depth / 8, 4, 89);
          add(depth, a, b, "f16", depth / 8, 2, 89);
        }
      }
    }
    for (const int depth : {4, 8, 16}) {
      add(depth, "f64", "f64", "f64", depth / 2, 4, 90);
    }
    list.push_back({"mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64", "f64", "f64", 1, 1, 2});
    list.push_back({"mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32", "s8", "s32", 1, 1, 2});
    list.push_back({"mma.sync.aligned.m8n8k32.row.col.s32.u4.s4.s32", "u4", "s32", 1, 1, 2});
    list.push_back(
        {"mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.s8.s32", "s8", "s32", 4, 2, 4});
    return list;
  }();
  return all;
}

std::string matrix_module(const MatrixInstruction& instruction, int capability) {
  const auto& [opcode, element, sum, a, b, c, least] = instruction;
  const bool has_doubles = instruction.has_doubles();
  const std::string type = has_doubles ? "f64" : "b32";
  const int bytes = has_doubles ? 8 : 4;
  std::string loads, stores;
  for (int i = 0; i < a + b + c; ++i)
    loads += fmt::format("  ld.global.{} %x{}, [%a+{}];\n", type, i, 32 * bytes * i);
  for (int i = 0; i < c; ++i)
    stores += fmt::format("  st.global.{} [%c+{}], %y{};\n", type, 32 * bytes * i, i);
  return fmt::format(
      R"(.version 8.7
.target sm_{}
.address_size 64
.visible .entry multiply(.param .u64 A, .param .u64 B, .param .u64 C, .param .u32 M, .param .u32 N,
                         .param .u32 K)
{{
  .reg .{} %x<{}>, %y<{}>;
  .reg .b32 %lane, %warp;
  .reg .b64 %a, %c, %offset;
  mov.u32 %lane, %tid.x;
  mov.u32 %warp, %ctaid.x;
  ld.param.u64 %a, [A];
  ld.param.u64 %c, [C];
  mul.wide.u32 %offset, %warp, {};
  add.u64 %a, %a, %offset;
  mul.wide.u32 %offset, %warp, {};
  add.u64 %c, %c, %offset;
  mul.wide.u32 %offset, %lane, {};
  add.u64 %a, %a, %offset;
  add.u64 %c, %c, %offset;
{}  {} {}, {}, {}, {};
{}  ret;
}}
)",
      capability, type, a + b + c, c, 4 * instruction.words_in(), 4 * instruction.words_out(),
      bytes, loads, opcode, registers("y", 0, c), registers("x", 0, a), registers("x", a, b),
      registers("x", a + b, c), stores);
}

std::vector<std::uint32_t> matrix_operands(const MatrixInstruction& instruction, int warps) {
  Random random;
  std::vector<std::uint32_t> words;
  words.reserve(instruction.words_in() * static_cast<std::size_t>(warps));
  for (int warp = 0; warp < warps; ++warp) {
    const Style style = style_of(warp);
    constexpr Style of_sum[] = {Style::any_bits, Style::uniform, Style::many_binades, Style::small};
    const int kind = warp / 20 % 5;  // C like A and B, or of another kind; or 0
    const Style own = kind == 0 || style == Style::ends ? style : of_sum[kind % 4];
    const auto count = [](int registers) { return static_cast<std::size_t>(32 * registers); };
    append(words, random, instruction.element, style, count(instruction.a + instruction.b), false);
    const std::size_t before = words.size();
    append(words, random, instruction.sum, own, count(instruction.c), true);
    if (kind == 4) std::fill(words.begin() + static_cast<std::ptrdiff_t>(before), words.end(), 0);
  }
  return words;
}

}  // namespace gemm_tutor::simt
