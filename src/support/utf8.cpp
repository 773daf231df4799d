#include "support/utf8.hpp"

#include <algorithm>
#include <array>

namespace gemm_tutor {
namespace {

constexpr char32_t replacement = 0xfffd;
constexpr std::string_view replacement_bytes = "\ufffd";
constexpr int tab_columns = 4;

struct Range {
  char32_t first, last;
};

// East Asian Wide and Fullwidth (Unicode Standard Annex #11), in the blocks that Markus Kuhn's
// wcwidth() takes, and the blocks of pictographs.
constexpr auto wide = std::to_array<Range>({
    {0x1100, 0x115f},    // Hangul Jamo, initial consonants
    {0x2e80, 0x303e},    // radicals, CJK punctuation
    {0x3041, 0xa4cf},    // Kana to Yi, CJK ideographs among them
    {0xac00, 0xd7a3},    // Hangul syllables
    {0xf900, 0xfaff},    // CJK compatibility ideographs
    {0xfe30, 0xfe6f},    // CJK compatibility and small forms
    {0xff01, 0xff60},    // fullwidth forms
    {0xffe0, 0xffe6},    // fullwidth signs
    {0x1f300, 0x1f64f},  // pictographs, emoticons
    {0x1f900, 0x1f9ff},  // supplemental pictographs
    {0x20000, 0x3fffd},  // supplementary and tertiary ideographs
});

// Bytes that a sequence with this first byte has; 0 for a byte that starts none.
std::size_t sequence_length(unsigned char first) {
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first < 0xe0) return 2;
  if (first >= 0xe0 && first < 0xf0) return 3;
  return first >= 0xf0 && first < 0xf5 ? 4 : 0;
}

// Longer than it had to be, half of a surrogate pair, or beyond Unicode.
bool is_forbidden(char32_t value, std::size_t length) {
  constexpr std::array<char32_t, 5> least = {0, 0, 0x80, 0x800, 0x10000};
  return value < least[length] || (value >= 0xd800 && value < 0xe000) || value > 0x10ffff;
}

CodePoint first_code_point(std::string_view text) {
  const CodePoint broken{replacement, text.substr(0, 1)};
  const auto first = static_cast<unsigned char>(text.front());
  const std::size_t length = sequence_length(first);
  if (length == 0 || length > text.size()) return broken;
  char32_t value = length == 1 ? first : first & (0xffU >> (length + 1));
  for (const char byte : text.substr(1, length - 1)) {
    if ((static_cast<unsigned char>(byte) & 0xc0) != 0x80) return broken;
    value = value << 6 | (static_cast<unsigned char>(byte) & 0x3fU);
  }
  return is_forbidden(value, length) ? broken : CodePoint{value, text.substr(0, length)};
}

// C0, DEL and C1.
bool is_control(char32_t value) { return value < 0x20 || (value >= 0x7f && value < 0xa0); }

}  // namespace

std::vector<CodePoint> code_points(std::string_view text) {
  std::vector<CodePoint> result;
  while (!text.empty()) {
    result.push_back(first_code_point(text));
    text.remove_prefix(result.back().bytes.size());
  }
  return result;
}

int columns_of(char32_t code_point) {
  const bool is_wide = std::ranges::any_of(wide, [code_point](const Range& range) {
    return code_point >= range.first && code_point <= range.last;
  });
  return is_wide ? 2 : 1;
}

std::string printable(std::string_view text, char kept) {
  std::string result;
  int column = 0;
  for (const CodePoint& point : code_points(text)) {
    const int width =
        point.value == '\t' ? tab_columns - column % tab_columns : columns_of(point.value);
    if (point.value == '\t') {
      result.append(static_cast<std::size_t>(width), ' ');
    } else if (point.value == replacement ||
               (is_control(point.value) && point.bytes.front() != kept)) {
      result += replacement_bytes;
    } else {
      result += point.bytes;
    }
    column += width;
  }
  return result;
}

}  // namespace gemm_tutor
