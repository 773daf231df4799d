// The only way out: a whole report to standard output, an error to standard error.
#pragma once

#include <cstdio>
#include <exception>
#include <string>

#include "support/error.hpp"
#include "view/style.hpp"

namespace gemm_tutor {

// All of it, at once. A reader that has gone (a closed pipe) is no error; any other failure throws
// Error (unavailable).
void write_all(std::FILE* file, const std::string& text);

struct DescribedError {
  ExitStatus status;
  std::string text;  // "error: …" and "help: …", each with a line break
};

// Of any exception: Error as it is, too little memory as unavailable, and whatever else too.
// Control characters, which a command line or a source may hold, become U+FFFD; a compiler's lines
// stay lines.
DescribedError describe(const std::exception& exception, const Terminal& terminal);

}  // namespace gemm_tutor
