// All output: a whole report to standard output, an error to standard error.
#pragma once

#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "support/error.hpp"
#include "view/layout.hpp"
#include "view/style.hpp"

namespace gemm_tutor {

// Writes the whole text. A closed pipe is not an error. Any other failure throws Error
// (unavailable).
void write_all(std::FILE* file, const std::string& text);

// Writes the whole text to standard output, or, if that is a terminal and the text has more lines
// than it, through a pager, as git does: $PAGER, or less if that is not set. If PAGER is empty or
// "cat", or the pager cannot be started, the text is written as it is. Returns when the pager has
// ended; to leave it early is not an error. Throws what write_all() throws.
void write_paged(const std::string& text);

struct DescribedError {
  ExitStatus status;
  std::string text;  // "error: …" and "help: …", each with a line break
};

// Describes any exception. Exceptions other than Error, such as too little memory, are
// `unavailable`. Control characters, which may come from a command line or a source file, become
// U+FFFD. Line breaks of a compiler's message stay.
DescribedError describe(const std::exception& exception, const Terminal& terminal);

// Fits a compiler's message into the terminal's columns. The message quotes a source line with a
// caret below it. Both are cut in the same way if they are too long, so that the caret still points
// at the right place.
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
