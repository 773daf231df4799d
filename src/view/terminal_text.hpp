// Documents in the columns of a terminal.
#pragma once

#include <string>
#include <vector>

#include "view/document.hpp"
#include "view/style.hpp"

namespace gemm_tutor {

// The parts alone, row by row. None is wider than the terminal, unless a single character or a
// quoted line of a compiler is.
std::vector<Line> terminal_rows(const Parts& parts, const Terminal& terminal);

// The whole document, painted.
std::string terminal_text(const Document& document, const Terminal& terminal);

}  // namespace gemm_tutor
