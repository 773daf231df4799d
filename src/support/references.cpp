#include "support/references.hpp"

namespace gemm_tutor {

std::string with_references(std::string_view text,
                            const std::function<std::optional<std::string>(std::string_view)>& of) {
  std::string filled;
  for (;;) {
    const std::size_t open = text.find('{'), close = text.find('}', open);
    if (open == text.npos || close == text.npos) return filled.append(text);
    const auto found = of(text.substr(open + 1, close - open - 1));
    filled.append(text.substr(0, found ? open : open + 1)).append(found.value_or(""));
    text.remove_prefix(found ? close + 1 : open + 1);
  }
}

}  // namespace gemm_tutor
