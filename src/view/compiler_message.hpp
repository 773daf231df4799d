// Fits a compiler's message into the terminal's columns. The message quotes a source line with a
// caret below it. Both are cut in the same way if they are too long, so that the caret still points
// at the right place.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "view/layout.hpp"
#include "view/style.hpp"

namespace gemm_tutor {

struct MessageLine {
  std::string text;
  bool is_quote = false;  // a source line or its carets, which must not be wrapped
};

// Returns the columns for a quoted line that is indented by `indent` columns. If the output is not
// a terminal, returns a number that is easy to read.
int quote_columns(const Terminal& terminal, int indent);

// Returns the message's lines. A quoted line of more than `width` columns is cut around its caret,
// with "…" at cut ends.
std::vector<MessageLine> message_lines(std::string_view message, const Terminal& terminal,
                                       int width);

// A line of it, where the place that it begins with, as "mine.cu(12)" or "mine.cu:12", leads to the
// file.
Line place_linked(const std::string& text, Style style);

}  // namespace gemm_tutor
