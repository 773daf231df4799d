// A lesson's text, by what a reader may know when reading it.
#pragma once

#include "course/lesson.hpp"
#include "view/document.hpp"

namespace gemm_tutor {

// Without the title: what comes before a prediction, the section "What it asks of memory", and what
// comes after it. All of it comes before where the text has no such section.
struct LessonParts {
  Parts before, memory, after;
};

LessonParts parts_of(const Lesson& lesson);

}  // namespace gemm_tutor
