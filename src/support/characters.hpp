// Kinds of ASCII characters. The locale has no influence.
#pragma once

namespace gemm_tutor {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// A character of a name: a letter, a digit or "_".
constexpr bool is_word_character(char c) { return is_letter(c) || is_digit(c) || c == '_'; }

}  // namespace gemm_tutor
