// The code that a lesson's page shows, and the functions that earlier lessons have shown.
#pragma once

#include <string>
#include <vector>

#include "source/excerpt.hpp"

namespace gemm_tutor {

struct Kernel;
struct Lesson;

// A function that an earlier lesson's page shows.
struct EarlierFunction {
  std::string name;
  const Lesson* lesson = nullptr;
};

struct ShownCode {
  std::vector<SourceLine> kernel;  // its excerpt
  // The functions of the file that the kernel and its second pass use, directly or indirectly, with
  // the comments above them. Without those of `earlier`. In the order of the file.
  std::vector<SourceLine> functions;
  // Functions with the same text, except blanks, on the page of a lesson that this one changes,
  // directly or indirectly.
  std::vector<EarlierFunction> earlier;

  std::vector<SourceLine> all() const;  // kernel and functions, in the order of the file
};

ShownCode shown_code(const Lesson& lesson, const Kernel& kernel);

// The kernel that this one is compared with. For the lesson's first kernel it is that of
// changed_lesson(). For any other it is the kernel with the most equal lines, among the kernels
// before it in the lesson and those of the lessons that this one changes, directly or indirectly.
struct Predecessor {
  const Lesson* lesson = nullptr;
  const Kernel* kernel = nullptr;
};
Predecessor predecessor(const Lesson& lesson, const Kernel& kernel);

}  // namespace gemm_tutor
