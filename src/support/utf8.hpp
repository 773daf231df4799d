// UTF-8 by code points.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gemm_tutor {

struct CodePoint {
  char32_t value = 0;
  std::string_view bytes;  // of the text it was found in
};

// A byte that is no part of UTF-8 is one U+FFFD.
std::vector<CodePoint> code_points(std::string_view text);

// Columns of a terminal: 2 for wide characters, 0 for marks that combine with the character before
// them, else 1, for control characters too: what is shown for one takes a column.
int columns_of(char32_t code_point);

// For a terminal: tabs as spaces up to the next multiple of 4 columns, and U+FFFD for control
// characters but `kept` and for bytes that are not UTF-8.
std::string printable(std::string_view text, char kept = '\0');

// The same, of no more than its first `most` code points, with "…" in place of the rest.
std::string shortened(std::string_view text, std::size_t most);

}  // namespace gemm_tutor
