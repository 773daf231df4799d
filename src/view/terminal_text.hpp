// Writes documents in a terminal's columns.
#pragma once

#include <string>
#include <vector>

#include "view/document.hpp"
#include "view/style.hpp"

namespace gemm_tutor {

// Returns the rows of the parts. No row is wider than the terminal, except a compiler's quoted
// lines and single wide characters.
std::vector<Line> terminal_rows(const Parts& parts, const Terminal& terminal);

// Returns the whole document, painted.
std::string terminal_text(const Document& document, const Terminal& terminal);

}  // namespace gemm_tutor
