#include "view/bar.hpp"

#include <algorithm>
#include <cmath>

namespace gemm_tutor {

std::string bar(double share, int columns, bool unicode) {
  const double length = std::clamp(share, 0.0, 1.0) * columns;
  if (!unicode) return std::string(static_cast<std::size_t>(std::lround(length)), '#');
  static constexpr const char* eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const int parts = static_cast<int>(std::lround(8 * length));
  std::string text;
  for (int i = 0; i < parts / 8; ++i) text += "█";
  return text + eighths[parts % 8];
}

}  // namespace gemm_tutor
