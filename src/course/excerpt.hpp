// The part of a kernel file that a lesson shows, with the file's own line numbers.
#pragma once

#include <string>
#include <vector>

namespace gemm_tutor {

struct SourceLine {
  int number = 0;  // in the file, from 1
  std::string text;
};

// The lines between "// excerpt: NAME" and "// end excerpt" (the marks themselves left out), where
// NAME is the kernel's; of a file without that mark the kernel alone; none where there is no such
// kernel. Throws Error (usage) for a mark without its end.
std::vector<SourceLine> excerpt(const std::string& source, const std::string& kernel_name);

// The lines of the kernel called `name`, from its head to its closing brace; of a short file all;
// none where it is in another file.
std::vector<SourceLine> kernel_lines(const std::string& source, const std::string& name);

// `shown`, and all of each function of the file that has a line in `counted` which is not among
// them; in a class, which is no such function, that line alone. In the order of the file.
std::vector<SourceLine> with_counted_functions(const std::vector<SourceLine>& shown,
                                               const std::string& source,
                                               const std::vector<int>& counted);

// `shown`, and these lines of the file.
std::vector<SourceLine> with_lines(const std::vector<SourceLine>& shown, const std::string& source,
                                   const std::vector<int>& more);

struct Kernel;
struct Lesson;
std::vector<SourceLine> excerpt(const Lesson& lesson, const Kernel& kernel);

}  // namespace gemm_tutor
