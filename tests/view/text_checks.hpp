// What tests ask of a text.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "checks.hpp"
#include "support/text.hpp"
#include "view/style.hpp"

namespace gemm_tutor {

inline const Terminal plain{false, true, 80};  // without colour

inline std::string without_spaces(std::string text) {
  std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
  return text;
}

// The number of times that it contains `part`.
inline std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

inline bool is_ascii(const std::string& text) {
  return std::ranges::all_of(text, [](unsigned char c) { return c < 0x80; });
}

// The first control character but the line break and the tab, as in "U+001F"; "" for none.
inline std::string control_character(const std::string& text) {
  for (const CodePoint& point : code_points(text)) {
    const char32_t c = point.value;
    if (c == '\n' || c == '\t' || (c >= 0x20 && c < 0x7f) || c > 0x9f) continue;
    return fmt::format("U+{:04X}", static_cast<unsigned>(c));
  }
  return "";
}

// Columns of its widest line.
inline int widest(const std::string& text) {
  int width = 0;
  for (const std::string& line : split_lines(text)) width = std::max(width, columns(line));
  return width;
}

}  // namespace gemm_tutor
