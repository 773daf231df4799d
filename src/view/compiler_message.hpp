// What a compiler says of a file, for the columns that there are. It quotes a line of the source
// with a caret below it: both are cut alike where they are too long, so that the caret is still
// below what it points at.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "view/layout.hpp"
#include "view/style.hpp"

namespace gemm_tutor {

struct MessageLine {
  std::string text;       // as the terminal shows it
  bool is_quote = false;  // of the source, or its carets: not to be wrapped
};

// Columns for a quoted line after `indent` others. Where the output is no terminal, as many as
// still read well.
int quote_columns(const Terminal& terminal, int indent);

// Line by line. A quoted line of more than `width` columns is cut to those around its caret, "…" at
// a cut end.
std::vector<MessageLine> message_lines(std::string_view message, const Terminal& terminal,
                                       int width);

}  // namespace gemm_tutor
