// Splits PTX text into tokens.
#pragma once

#include <string_view>

namespace gemm_tutor::simt::ptx {

struct Token {
  enum class Kind { word, number, string, punctuation, end };
  Kind kind = Kind::end;
  std::string_view text;
  int line = 0;  // of the PTX

  bool is(std::string_view what) const { return kind != Kind::string && text == what; }
};

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) { advance(); }

  const Token& peek() const { return next_; }
  Token take();

 private:
  void advance();
  void skip_blanks_and_comments();
  std::size_t word_end(std::size_t begin) const;
  std::size_t string_end(std::size_t begin) const;

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
  Token next_;
};

}  // namespace gemm_tutor::simt::ptx
