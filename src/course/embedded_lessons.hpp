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
  const char* exercise;  // exercise.cu, and its declaration, exercise.toml; empty for none
  const char* exercise_terms;
};

const std::vector<EmbeddedLesson>& embedded_lessons();

// Those of no lesson, by slug.
struct EmbeddedExercise {
  const char* slug;
  const char* terms_file;  // "exercises/small-k-only/exercise.toml"
  const char* exercise;
  const char* solution;
  const char* terms;
};

const std::vector<EmbeddedExercise>& embedded_exercises();

const char* embedded_glossary();  // lessons/glossary.md

}  // namespace gemm_tutor
