// Splits CUDA C++ source into tokens.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gemm_tutor::source {

struct Token {
  // A literal is a string or a character. A number includes its exponent and its suffix. `other` is
  // a character that C++ does not use outside of literals.
  enum class Kind : std::uint8_t { name, number, literal, punctuation, comment, other };
  Kind kind = Kind::other;
  bool is_closed = true;     // false for a comment or a literal without an end
  bool after_blank = false;  // a blank, a line break or a comment precedes it
  int line = 1;              // the line of its first character
  int directive = 0;         // the number of its directive; 0 outside of directives
  std::size_t at = 0;        // its offset in the source
  std::string_view text;     // points into the source

  bool is(std::string_view what) const { return text == what; }
  bool is_name() const { return kind == Kind::name; }
  std::size_t end() const { return at + text.size(); }
};

using Tokens = std::span<const Token>;

// Returns all tokens, including comments and directives. Any text is accepted: a token without an
// end is not closed. Tokens point into `source`. It may have any kind of line ends.
std::vector<Token> tokens_of(std::string_view source);

// Returns the index of the bracket that closes the ( [ or { at `open`, or tokens.size(). It looks
// only at brackets of that kind.
std::size_t closing(Tokens tokens, std::size_t open);

// Returns the same for every opening bracket. Here a bracket of any kind closes one of any kind.
std::vector<std::size_t> closings_of(Tokens tokens);

// Returns the index of the > that closes the < at `open`, outside of parentheses. Returns
// tokens.size() if there is none within 100 tokens. ">>" closes two.
std::size_t closing_angle(Tokens tokens, std::size_t open);

// Returns the parts between separators outside of brackets. An empty list has no parts.
std::vector<Tokens> split(Tokens tokens, std::string_view separator);

// Returns the tokens' text, with one blank in place of any space.
std::string text_of(Tokens tokens);

// The first character of a name is a letter, "_", "$" or a byte beyond ASCII. Other characters of a
// name may also be digits.
bool begins_name(char c);
bool is_of_name(char c);

}  // namespace gemm_tutor::source
