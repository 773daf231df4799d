// The part of a kernel file that a lesson shows: what stands between its marks, with the file's own
// line numbers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gemm_tutor {

struct SourceLine {
  int number = 0;  // in the file, from 1
  std::string text;
};

// The lines between "// excerpt: NAME" and "// end excerpt" (the marks themselves left out), where
// NAME is the kernel's. Throws std::logic_error when the file has no such marks: a lesson's file
// must.
std::vector<SourceLine> excerpt(std::string_view source, std::string_view kernel_name);

struct Kernel;
struct Lesson;

// The same of a lesson's file; of one that has no such marks at all, as in a course of a teacher's
// own, the kernel alone.
std::vector<SourceLine> excerpt(const Lesson& lesson, const Kernel& kernel);

}  // namespace gemm_tutor
