// What tests ask of a text.
#pragma once

#include <algorithm>
#include <string>

#include "report/style.hpp"
#include "support/text.hpp"

namespace gemm_tutor {

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Times that `part` stands in it.
inline std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

inline bool is_ascii(const std::string& text) {
  return std::ranges::all_of(text, [](unsigned char c) { return c < 0x80; });
}

// Columns of its widest line.
inline int widest(const std::string& text) {
  int width = 0;
  for (const std::string& line : split_lines(text)) width = std::max(width, columns(line));
  return width;
}

}  // namespace gemm_tutor
