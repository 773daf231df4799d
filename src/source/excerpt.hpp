// The part of a kernel file that a report shows, with the file's line numbers.
#pragma once

#include <string>
#include <vector>

namespace gemm_tutor {

struct SourceLine {
  int number = 0;  // in the file, from 1
  std::string text;
};

// Returns the lines between "// excerpt: NAME" and "// end excerpt", without these marks. NAME is
// the kernel's name. In a file without that mark, returns only the kernel's lines. Empty if there
// is no such kernel. Throws Error (usage) for a mark without an end.
std::vector<SourceLine> excerpt(const std::string& source, const std::string& kernel_name);

// Returns the lines of the kernel `name`, from its head to its closing brace. Returns all lines of
// a short file. Empty if the file has no such kernel.
std::vector<SourceLine> kernel_lines(const std::string& source, const std::string& name);

// Adds to `shown` every function of the file that has a line in `counted`. A line that is in no
// function, for example in a class, is added alone. In the order of the file.
std::vector<SourceLine> with_counted_functions(const std::vector<SourceLine>& shown,
                                               const std::string& source,
                                               const std::vector<int>& counted);

// Adds the lines `more` of the file to `shown`.
std::vector<SourceLine> with_lines(const std::vector<SourceLine>& shown, const std::string& source,
                                   const std::vector<int>& more);

}  // namespace gemm_tutor
