// What a lesson's page shows of its code, and what it leaves to the page of an earlier lesson.
#pragma once

#include <string>
#include <vector>

#include "course/excerpt.hpp"

namespace gemm_tutor {

struct Kernel;
struct Lesson;

// A function that the page of an earlier lesson shows.
struct EarlierFunction {
  std::string name;
  const Lesson* lesson = nullptr;
};

struct ShownCode {
  std::vector<SourceLine> kernel;  // its excerpt
  // Each function of the file that the kernel uses, directly or not, and its second pass, with the
  // comment above; without those of `earlier`. In the order of the file.
  std::vector<SourceLine> functions;
  // In the same words, blanks apart, on the page of a lesson that this one changes, directly or
  // not.
  std::vector<EarlierFunction> earlier;

  std::vector<SourceLine> all() const;  // kernel and functions, in the order of the file
};

ShownCode shown_code(const Lesson& lesson, const Kernel& kernel);

// The kernel that this one is compared with: for the lesson's own kernel that of changed_lesson(),
// for any other the one that has most lines in common with it, among those before it in the lesson
// and those of the lessons that this one changes, directly or not.
struct Predecessor {
  const Lesson* lesson = nullptr;
  const Kernel* kernel = nullptr;
};
Predecessor predecessor(const Lesson& lesson, const Kernel& kernel);

}  // namespace gemm_tutor
