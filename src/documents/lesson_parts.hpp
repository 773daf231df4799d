// A lesson's text, by what a reader may know when reading it.
#pragma once

#include <string>

#include "course/lesson.hpp"

namespace gemm_tutor {

// Markdown without the title: what comes before a prediction, the section "What it asks of memory",
// and what is behind it. All of it comes before where the text has no such section.
struct LessonParts {
  std::string before, memory, after;
};

LessonParts parts_of(const Lesson& lesson);

}  // namespace gemm_tutor
