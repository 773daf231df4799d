#include "classroom/one_line.hpp"

#include "support/utf8.hpp"

namespace gemm_tutor {
namespace {

// Unicode's zero-width characters, line separators, characters that change the direction of text,
// and noncharacters, which XML does not allow.
bool is_invisible(char32_t value) {
  return (value >= 0x200b && value <= 0x200f) || (value >= 0x2028 && value <= 0x202e) ||
         (value >= 0x2060 && value <= 0x206f) || value == 0xfeff || value == 0x61c ||
         value == 0xad || (value & 0xfffe) == 0xfffe || (value >= 0xe0000 && value <= 0xe0fff);
}

}  // namespace

std::string one_line(std::string_view text, std::size_t most) {
  // Only as much of the text is read as can be shown: a code point has four bytes at most.
  std::string visible;
  for (const CodePoint& point : code_points(text.substr(0, 4 * (most + 1)))) {
    visible += is_invisible(point.value) ? std::string_view("\ufffd") : point.bytes;
  }
  return shortened(visible, most);
}

}  // namespace gemm_tutor
