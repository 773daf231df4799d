#include "gemm/extents.hpp"

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

}  // namespace gemm_tutor
