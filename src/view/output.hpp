// All output: a whole report to standard output, an error to standard error.
#pragma once

#include <cstdio>
#include <exception>
#include <string>

#include "support/error.hpp"
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

}  // namespace gemm_tutor
