#include "view/highlight.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "source/token.hpp"
#include "support/text.hpp"

namespace gemm_tutor {
namespace {

using source::Token;

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

Style style_of_name(std::string_view name) {
  if (contains(keywords, name)) return Style::keyword;
  if (contains(types, name)) return Style::type;
  // CUDA's own names: __global__, __shared__, __syncthreads, __ldg, …
  if (name.starts_with("__") || contains(builtins, name)) return Style::builtin;
  return Style::plain;
}

Style style_of(const Token& token) {
  if (token.kind == Token::Kind::comment) return Style::comment;
  if (token.directive > 0) return Style::directive;
  switch (token.kind) {
    case Token::Kind::name:
      return style_of_name(token.text);
    case Token::Kind::number:
    case Token::Kind::literal:
      return Style::literal;
    default:
      return Style::plain;
  }
}

// Adds text with its style, which may reach over several lines.
class StyledText {
 public:
  void add(std::string_view text, Style style) {
    for (std::size_t end = text.find('\n'); end != text.npos; end = text.find('\n')) {
      add_to_line(text.substr(0, end), style);
      lines_.emplace_back();
      text.remove_prefix(end + 1);
    }
    add_to_line(text, style);
  }

  std::vector<Line> lines() && { return std::move(lines_); }

 private:
  void add_to_line(std::string_view text, Style style) {
    Line& line = lines_.back();
    if (text.empty()) return;
    if (style == Style::directive && !line.empty() && line.back().style == style) {
      line.back().text += text;
    } else {
      line.push_back({std::string(text), style});
    }
  }

  std::vector<Line> lines_{1};
};

}  // namespace

bool is_language_of_cuda(std::string_view language) {
  static constexpr auto languages =
      std::to_array<std::string_view>({"c", "cc", "cpp", "c++", "cxx", "cu", "cuda", "h", "hpp"});
  return contains(languages, language);
}

std::vector<Line> highlight(const std::vector<std::string>& lines) {
  const std::string text = join(lines, "\n");
  StyledText styled;
  std::size_t end = 0;
  const auto add_blanks = [&](std::string_view blanks, bool in_directive) {
    const std::size_t end_of_line = in_directive ? std::min(blanks.find('\n'), blanks.size()) : 0;
    styled.add(blanks.substr(0, end_of_line), Style::directive);
    styled.add(blanks.substr(end_of_line), Style::plain);
  };
  bool in_directive = false;
  for (const Token& token : source::tokens_of(text)) {
    add_blanks(std::string_view(text).substr(end, token.at - end), in_directive);
    styled.add(token.text, style_of(token));
    in_directive = style_of(token) == Style::directive;
    end = token.end();
  }
  add_blanks(std::string_view(text).substr(end), in_directive);
  std::vector<Line> result = std::move(styled).lines();
  result.resize(lines.size());
  return result;
}

std::vector<Line> highlight_source(std::string_view source) {
  std::vector<std::string> lines;
  for (const std::string& line : split_lines(source)) lines.push_back(printable(line));
  return highlight(lines);
}

}  // namespace gemm_tutor
