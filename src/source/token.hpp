// CUDA C++ text as tokens: what each piece of it is, and where.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gemm_tutor::source {

struct Token {
  // A literal is a string or a character; a number has its sign of an exponent and its suffix.
  // `other` is a character that C++ has no use for outside of literals.
  enum class Kind : std::uint8_t { name, number, literal, punctuation, comment, other };
  Kind kind = Kind::other;
  bool is_closed = true;     // false for a comment or a literal that does not end
  bool after_blank = false;  // a blank, a line break or a comment is before it
  int line = 1;              // of its first character
  int directive = 0;         // the number of the one that it is part of; 0 for none
  std::size_t at = 0;        // of its first character in the source
  std::string_view text;     // points into the source

  bool is(std::string_view what) const { return text == what; }
  bool is_name() const { return kind == Kind::name; }
  std::size_t end() const { return at + text.size(); }
};

using Tokens = std::span<const Token>;

// All of them, comments and directives too. Any text has tokens: what does not end where it must is
// not closed. They point into `source`, which may have any line ends.
std::vector<Token> tokens_of(std::string_view source);

// The bracket ( [ { at `open` closes there, by brackets of its own kind alone; tokens.size() where
// it does not close.
std::size_t closing(Tokens tokens, std::size_t open);

// The same of every bracket that opens, where one of any kind is closed by one of any kind.
std::vector<std::size_t> closings_of(Tokens tokens);

// The > that closes the < at `open`, outside of parentheses; tokens.size() for none within a
// hundred tokens. ">>" closes two.
std::size_t closing_angle(Tokens tokens, std::size_t open);

// The parts between separators that are in no brackets. No tokens have no part.
std::vector<Tokens> split(Tokens tokens, std::string_view separator);

// The tokens' text, with one blank where there was any space.
std::string text_of(Tokens tokens);

// A name's first character, and any other: a letter, "_", "$" or a part of one beyond ASCII; a
// digit.
bool begins_name(char c);
bool is_of_name(char c);

}  // namespace gemm_tutor::source
