// Small pieces of text work that several components share. Text is UTF-8.
#pragma once

#include <charconv>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gemm_tutor {

// 536870912 -> "536,870,912".
std::string with_thousands(std::int64_t value);

// "1 line", "1,024 lines".
std::string counted(std::int64_t count, std::string_view what);

// 8192 -> "8 KiB", 50331648 -> "48 MiB", 100 -> "100 bytes"; one decimal where it is not whole.
std::string human_bytes(double bytes);

// The candidate that a mistyped `word` most likely meant, capitals apart: one that starts with it,
// else one that contains it, else any; among those the smallest edit distance, then the first.
// Empty when `candidates` is.
std::string nearest_name(std::string_view word, const std::vector<std::string>& candidates);

// The same if it is near enough to be meant: it starts with the word or contains it, or is spelt as
// the word but for less than a third of its characters. Else empty.
std::string near_name(std::string_view word, const std::vector<std::string>& candidates);

// {"a", "b", "c"} -> "a, b, c".
std::string join(const std::vector<std::string>& words, std::string_view separator = ", ");

// The whole number that the text is, in digits alone but for a minus. Nothing for another text, and
// for a number that the type does not hold.
template <std::integral Number>
std::optional<Number> number_in(std::string_view text) {
  Number number{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end ? std::optional(number) : std::nullopt;
}

// Without their ends, "\n" or "\r\n". The last line needs none, so that "" has no line.
std::vector<std::string> split_lines(std::string_view text);

// A to Z as a to z; ASCII alone, whatever the locale.
std::string lower_case(std::string_view text);

// Without blanks, tabs and line breaks at its ends.
std::string_view trimmed(std::string_view text);

// What is between the separators, empty parts too: "a,,b" -> "a", "", "b"; "" -> "".
std::vector<std::string> split(std::string_view text, char separator);

// As a shell takes it for one word: in single quotes where it must be.
std::string shell_word(const std::string& text);

// As a field of a CSV file (RFC 4180): in double quotes where it must be.
std::string csv_field(const std::string& text);

// 64 bits of a hash that is the same on every machine and in every release (FNV-1a).
std::uint64_t stable_hash(std::string_view bytes);

}  // namespace gemm_tutor
