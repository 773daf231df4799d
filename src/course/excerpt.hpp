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

struct Kernel;
struct Lesson;
std::vector<SourceLine> excerpt(const Lesson& lesson, const Kernel& kernel);

}  // namespace gemm_tutor
