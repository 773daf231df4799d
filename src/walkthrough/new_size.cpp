#include "walkthrough/new_size.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <vector>

#include "course/expression.hpp"
#include "support/error.hpp"

namespace gemm_tutor {
namespace {

constexpr int largest_size = 65536;

// "300x200x100" is three words; "BM=64" is one.
std::vector<std::string> size_words(std::string text) {
  if (text.find('=') == text.npos) std::ranges::replace(text, 'x', ' ');
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

int extent_from(const std::string& word) {
  const double number = Expression::parse(word).value({});
  if (number >= 1 && number <= largest_size && number == std::floor(number)) {
    return static_cast<int>(number);
  }
  throw Error(ExitStatus::usage,
              fmt::format("'{}' is no whole number from 1 to {}", word, largest_size), "");
}

}  // namespace

NewSize size_from(const std::string& text, NewSize size) {
  const std::vector<std::string> words = size_words(text);
  if (words.empty()) throw Error(ExitStatus::usage, fmt::format("'{}' is no size", text), "");
  std::vector<int> extents;
  for (const std::string& word : words) {
    if (word.find('=') != word.npos) {
      apply_setting(size.settings, word);
    } else {
      extents.push_back(extent_from(word));
    }
  }
  if (extents.size() == 1) extents.resize(3, extents.front());
  if (extents.size() == 3) size.problem = {extents[0], extents[1], extents[2]};
  if (extents.empty() || extents.size() == 3) return size;
  throw Error(ExitStatus::usage,
              fmt::format("{} numbers are no size, but one for square matrices, or three: M, N "
                          "and K",
                          extents.size()),
              "");
}

}  // namespace gemm_tutor
