#include "gemm/problem.hpp"

#include <algorithm>

#include "support/text.hpp"

namespace gemm_tutor {

std::optional<std::array<std::string, 3>> extents_in(const std::string& text) {
  std::string spaced = text;
  std::ranges::replace(spaced, 'x', ' ');
  const std::vector<std::string> words = split(spaced, ' ');
  if (words.size() == 1) return {{words[0], words[0], words[0]}};
  if (words.size() == 3) return {{words[0], words[1], words[2]}};
  return {};
}

std::optional<Problem> problem_in(const std::string& text) {
  const auto extents = extents_in(text);
  if (!extents) return {};
  std::array<int, 3> sides;
  for (std::size_t i = 0; i < sides.size(); ++i) {
    sides[i] = number_in<int>((*extents)[i]).value_or(0);
    if (sides[i] < 1) return {};
  }
  return Problem{sides[0], sides[1], sides[2]};
}

}  // namespace gemm_tutor
