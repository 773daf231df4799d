// What a compiler says of a file, for the columns that there are. It quotes a line of the source
// with a caret below it: both are cut alike where they are too long, so that the caret still stands
// below what it points at.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compile/compiler.hpp"
#include "view/layout.hpp"
#include "view/style.hpp"

namespace gemm_tutor {

struct MessageLine {
  std::string text;       // as the terminal shows it
  bool is_quote = false;  // of the source, or its carets: not to be wrapped
};

// Columns for a quoted line behind `indent` others. Where the output is no terminal, as many as
// still read well.
int quote_columns(const Terminal& terminal, int indent);

// Line by line. A quoted line of more than `width` columns is cut to those around its caret, "…" at
// a cut end.
std::vector<MessageLine> message_lines(std::string_view message, const Terminal& terminal,
                                       int width);

// The same in the page's section: `mark` before the first line, as many columns before the others.
void add_message(Page& page, const Line& mark, std::string_view message);

// The first few with the lines of the source that they are about; nothing for none.
void add_warnings(Page& page, const std::vector<CompilerWarning>& warnings);

// The same in a section of their own.
void add_warnings_section(Page& page, const std::vector<CompilerWarning>& warnings);

}  // namespace gemm_tutor
