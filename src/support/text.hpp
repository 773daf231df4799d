// Small functions on texts that several components share. Texts are UTF-8.
#pragma once

#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gemm_tutor {

// 536870912 -> "536,870,912".
std::string with_thousands(std::int64_t value);

// "1 line", "1,024 lines".
std::string counted(std::int64_t count, std::string_view what);

// 8192 -> "8 KiB", 50331648 -> "48 MiB", 100 -> "100 bytes". One decimal unless it is a whole
// number.
std::string human_bytes(double bytes);

// Returns the candidate that a mistyped `word` most likely meant, without regard to case. It
// prefers candidates that start with the word, then those that contain it, then all others; among
// these the one with the smallest edit distance, then the first. Empty if there are no candidates.
std::string nearest_name(std::string_view word, const std::vector<std::string>& candidates);

// The same, but empty if the candidate is not near: it must contain the word, or differ from it in
// less than a third of its characters.
std::string near_name(std::string_view word, const std::vector<std::string>& candidates);

// {"a", "b", "c"} -> "a, b, c".
std::string join(const std::vector<std::string>& words, std::string_view separator = ", ");

// "column 1", "columns 16 to 63".
std::string range_text(std::string_view what, int first, int last);

// Parses a whole number: digits, with an optional minus before them. Returns nothing for any other
// text, and for a number out of the type's range.
template <std::integral Number>
std::optional<Number> number_in(std::string_view text) {
  Number number{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end ? std::optional(number) : std::nullopt;
}

// Returns the lines without "\n" or "\r\n". The last line need not have one; "" has no line.
std::vector<std::string> split_lines(std::string_view text);

// With a capital where it begins with a letter from a to z.
std::string capitalised(std::string text);

// As a part of a sentence: with a small letter where it begins with a word that is no name, such as
// "The", but not "A" or "C's".
std::string in_sentence(std::string text);

// Changes A to Z to a to z. Only ASCII; the locale has no influence.
std::string lower_case(std::string_view text);

// Removes blanks, tabs and line breaks at both ends.
std::string_view trimmed(std::string_view text);

// Returns the parts between separators, also empty ones: "a,,b" -> "a", "", "b"; "" -> "".
std::vector<std::string> split(std::string_view text, char separator);

// Quotes the text as one word of a shell, with single quotes if needed.
std::string shell_word(const std::string& text);

// Writes the text as a field of a CSV file (RFC 4180), with double quotes if needed.
std::string csv_field(const std::string& text);

// Returns a 64-bit hash (FNV-1a), the same on every machine and in every release.
std::uint64_t stable_hash(std::string_view bytes);

// Kinds of ASCII characters. The locale has no influence.
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// A character of a name: a letter, a digit or "_".
constexpr bool is_word_character(char c) { return is_letter(c) || is_digit(c) || c == '_'; }

// References in a text: words in braces, which are replaced.

// Replaces each {reference} by what `of` returns for it. If that is nothing, the braces stay.
std::string with_references(std::string_view text,
                            const std::function<std::optional<std::string>(std::string_view)>& of);

// Encodes a list of texts as one text, for a file or a pipe. The texts may have any bytes.
using Fields = std::vector<std::string>;

// Writes each field as its length, a colon and its bytes.
std::string encode_fields(const Fields& fields);

// Returns nothing if the text is not a result of encode_fields().
std::optional<Fields> decode_fields(std::string_view bytes);

// Today's date, for recorded measurements.

// Returns the date in this machine's time zone: "2026-11-21".
std::string today();

// UTF-8 texts as code points.
struct CodePoint {
  char32_t value = 0;
  std::string_view bytes;  // points into the text
};

// Each byte that is not valid UTF-8 becomes one U+FFFD.
std::vector<CodePoint> code_points(std::string_view text);

// Returns the columns in a terminal: 2 for wide characters, 0 for combining marks, 1 for others. It
// is 1 for control characters, too, because printable() shows one character for each.
int columns_of(char32_t code_point);

// Makes a text safe for a terminal. Tabs become spaces up to the next multiple of 4 columns.
// Control characters other than `kept`, and bytes that are not UTF-8, become U+FFFD.
std::string printable(std::string_view text, char kept = '\0');

// The same, but only the first `most` code points, with "…" in place of the rest.
std::string shortened(std::string_view text, std::size_t most);

}  // namespace gemm_tutor
