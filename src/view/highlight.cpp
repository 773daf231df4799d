#include "view/highlight.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "support/text.hpp"
#include "support/utf8.hpp"

namespace gemm_tutor {
namespace {

constexpr auto keywords = std::to_array<std::string_view>(
    {"alignas",  "auto",     "break",  "case",        "class",    "const",    "constexpr",
     "continue", "default",  "do",     "else",        "enum",     "extern",   "false",
     "for",      "if",       "inline", "namespace",   "nullptr",  "operator", "reinterpret_cast",
     "return",   "sizeof",   "static", "static_cast", "struct",   "switch",   "template",
     "true",     "typename", "union",  "using",       "volatile", "while"});

constexpr auto types = std::to_array<std::string_view>(
    {"bool",   "char",   "dim3",     "double",   "float",    "float2", "float4",
     "int",    "int2",   "int4",     "int32_t",  "int64_t",  "long",   "short",
     "signed", "size_t", "uint32_t", "uint64_t", "unsigned", "void",   "uint4"});

constexpr auto builtins = std::to_array<std::string_view>(
    {"threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize", "fmaf"});

template <std::size_t size>
bool contains(const std::array<std::string_view, size>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)); }
bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)); }
bool is_beyond_ascii(char c) { return static_cast<unsigned char>(c) >= 0x80; }
// With all of UTF-8 beyond ASCII, so that no character is split.
bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || is_beyond_ascii(c);
}

Style word_style(std::string_view word) {
  if (contains(keywords, word)) return Style::keyword;
  if (contains(types, word)) return Style::type;
  // CUDA's own names: __global__, __shared__, __syncthreads, __ldg, …
  if (word.starts_with("__") || contains(builtins, word)) return Style::builtin;
  return Style::plain;
}

std::size_t word_length(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::find_if_not(text, is_word) - text.begin());
}

// 1, 0x1f, 1.5e-3f: a point, and a sign after an exponent, are part of it.
std::size_t number_length(std::string_view text) {
  std::size_t length = 1;
  while (length < text.size() && (is_word(text[length]) || text[length] == '.' ||
                                  ((text[length] == '+' || text[length] == '-') &&
                                   std::tolower(text[length - 1]) == 'e'))) {
    ++length;
  }
  return length;
}

std::size_t quoted_length(std::string_view text) {
  std::size_t end = 1;
  while (end < text.size() && text[end] != text[0]) end += text[end] == '\\' ? 2 : 1;
  return std::min(end + 1, text.size());
}

std::size_t end_of_comment(std::string_view text, std::size_t from) {
  const std::size_t end = text.find("*/", from);
  return end == std::string_view::npos ? end : end + 2;
}

// Splits one line after another, knowing whether a comment is open.
class Highlighter {
 public:
  Line line(std::string_view text) {
    Line result;
    bool at_start = true;
    while (!text.empty()) {
      const auto [length, style] = token(text, at_start);
      result.push_back({std::string(text.substr(0, length)), style});
      at_start = at_start && is_space(text[0]);
      text.remove_prefix(std::min(length, text.size()));
    }
    return result;
  }

 private:
  struct Token {
    std::size_t length;
    Style style;
  };

  Token token(std::string_view text, bool at_start) {
    if (in_comment_ || text.starts_with("/*")) {
      const std::size_t end = end_of_comment(text, in_comment_ ? 0 : 2);
      in_comment_ = end == std::string_view::npos;
      return {end, Style::comment};
    }
    if (text.starts_with("//")) return {text.size(), Style::comment};
    if (at_start && text[0] == '#')
      return {std::min(text.find("//"), text.size()), Style::directive};
    if (text[0] == '"' || text[0] == '\'') return {quoted_length(text), Style::literal};
    if (is_digit(text[0]) || (text[0] == '.' && text.size() > 1 && is_digit(text[1]))) {
      return {number_length(text), Style::literal};
    }
    if (is_word(text[0])) {
      const std::size_t length = word_length(text);
      return {length, word_style(text.substr(0, length))};
    }
    return {1, Style::plain};
  }

  bool in_comment_ = false;
};

}  // namespace

bool is_language_of_cuda(std::string_view language) {
  static constexpr auto languages =
      std::to_array<std::string_view>({"c", "cc", "cpp", "c++", "cxx", "cu", "cuda", "h", "hpp"});
  return contains(languages, language);
}

std::vector<Line> highlight(const std::vector<std::string>& lines) {
  Highlighter highlighter;
  std::vector<Line> result;
  for (const std::string& line : lines) result.push_back(highlighter.line(line));
  return result;
}

std::vector<Line> highlight_source(std::string_view source) {
  std::vector<std::string> lines;
  for (const std::string& line : split_lines(source)) lines.push_back(printable(line));
  return highlight(lines);
}

std::vector<Line> highlight_source(const std::vector<SourceLine>& lines) {
  std::vector<std::string> texts;
  for (const SourceLine& line : lines) texts.push_back(printable(line.text));
  return highlight(texts);
}

}  // namespace gemm_tutor
