// The lesson folders as the build embedded them (cmake/GenerateLessons.cmake).
#pragma once

#include <vector>

#include "course/lesson.hpp"

namespace gemm_tutor {

struct EmbeddedLesson {
  int number;
  const char* slug;
  const char* source_file;
  Lesson (*define)();  // fills in the kernels; the rest comes from here
  const char* source;
  const char* text;
};

const std::vector<EmbeddedLesson>& embedded_lessons();

const char* embedded_glossary();  // lessons/glossary.md

}  // namespace gemm_tutor
