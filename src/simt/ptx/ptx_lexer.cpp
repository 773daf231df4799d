#include "simt/ptx/ptx_lexer.hpp"

#include <algorithm>

#include "support/characters.hpp"

namespace gemm_tutor::simt::ptx {
namespace {

bool is_word(char c) { return is_word_character(c) || c == '$' || c == '%'; }

}  // namespace

Token Lexer::take() {
  const Token token = next_;
  advance();
  return token;
}

void Lexer::skip_blanks_and_comments() {
  while (at_ < text_.size()) {
    const std::string_view rest = text_.substr(at_);
    std::size_t length = 0;
    if (rest[0] == ' ' || rest[0] == '\t' || rest[0] == '\r' || rest[0] == '\n') {
      length = 1;
    } else if (rest.starts_with("//")) {
      length = std::min(rest.find('\n'), rest.size());
    } else if (rest.starts_with("/*")) {
      const std::size_t close = rest.find("*/", 2);
      length = close == std::string_view::npos ? rest.size() : close + 2;
    } else {
      return;
    }
    line_ += static_cast<int>(std::count(rest.begin(), rest.begin() + length, '\n'));
    at_ += length;
  }
}

// Words run on over dots (ld.global.f32, %tid.x) and double colons (shared::cta).
std::size_t Lexer::word_end(std::size_t begin) const {
  std::size_t end = begin + 1;
  while (end < text_.size()) {
    const bool dot = text_[end] == '.' && end + 1 < text_.size() && is_word(text_[end + 1]);
    const bool colons = text_.substr(end).starts_with("::");
    if (!is_word(text_[end]) && !dot && !colons) break;
    end += colons ? 2 : 1;
  }
  return end;
}

// A quote after a backslash belongs to the string.
std::size_t Lexer::string_end(std::size_t begin) const {
  for (std::size_t at = begin + 1; at < text_.size(); ++at) {
    if (text_[at] == '"') return at + 1;
    if (text_[at] == '\\') ++at;
  }
  return text_.size();
}

void Lexer::advance() {
  skip_blanks_and_comments();
  const std::size_t begin = at_;
  Token::Kind kind = Token::Kind::end;
  if (begin < text_.size()) {
    const char c = text_[begin];
    if (c == '"') {
      kind = Token::Kind::string;
      at_ = string_end(begin);
    } else if (is_word(c) || c == '.') {
      kind = is_digit(c) ? Token::Kind::number : Token::Kind::word;
      at_ = word_end(begin);
    } else {
      kind = Token::Kind::punctuation;
      at_ = begin + 1;
    }
  }
  next_ = {kind, text_.substr(begin, at_ - begin), line_};
}

}  // namespace gemm_tutor::simt::ptx
