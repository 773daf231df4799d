// UTF-8 texts as code points.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gemm_tutor {

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
