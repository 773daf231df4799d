#include "walkthrough/new_size.hpp"

#include <fmt/format.h>

#include <cmath>
#include <sstream>

#include "course/expression.hpp"
#include "gemm/extents.hpp"
#include "support/error.hpp"

namespace gemm_tutor {
namespace {

constexpr int largest_size = 65536;

int extent_from(const std::string& word) {
  const double number = Expression::parse(word).value({});
  if (number >= 1 && number <= largest_size && number == std::floor(number)) {
    return static_cast<int>(number);
  }
  throw Error(ExitStatus::usage,
              fmt::format("'{}' is not a whole number from 1 to {}", word, largest_size), "");
}

// "32+1" for "32 + 1": a blank separates numbers only where no operator is beside it.
std::string without_blanks_in_arithmetic(const std::string& text) {
  constexpr std::string_view before = "+-*/^%=)", after = "+-*/^%=(";
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t next = text.find_first_not_of(' ', i);
    const bool joins =
        text[i] == ' ' && next != text.npos && !result.empty() &&
        (before.find(text[next]) != before.npos || after.find(result.back()) != after.npos);
    if (!joins) result += text[i];
  }
  return result;
}

}  // namespace

NewSize size_from(const std::string& text, NewSize size) {
  std::istringstream words(without_blanks_in_arithmetic(text));
  std::string numbers;
  for (std::string word; words >> word;) {
    if (word.find('=') != word.npos) {
      apply_setting(size.settings, word);
    } else if (word != "x") {
      numbers += (numbers.empty() ? "" : " ") + word;
    }
  }
  if (numbers.empty() && text.find('=') != text.npos) return size;
  const auto extents = extents_in(numbers);
  if (!extents || numbers.empty()) {
    throw Error(
        ExitStatus::usage,
        fmt::format("'{}' is not a size; sizes are like 2048, or 300x200x100 for M, N and K", text),
        "");
  }
  const auto& [m, n, k] = *extents;
  size.problem = {extent_from(m), extent_from(n), extent_from(k)};
  return size;
}

}  // namespace gemm_tutor
