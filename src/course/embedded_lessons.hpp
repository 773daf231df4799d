// The folders of lessons/ and exercises/, which the build embeds (cmake/GenerateLessons.cmake).
#pragma once

#include <vector>

#include "course/lesson_folder.hpp"

namespace gemm_tutor {

struct EmbeddedLesson {
  LessonFiles files;
  // The function of the folder's lesson.cpp, for what a file cannot describe: a function on the
  // CPU, or the choice of settings. Null if there is none.
  void (*complete)(Lesson&) = nullptr;
};

const std::vector<EmbeddedLesson>& embedded_lessons();  // by number

// The exercises that belong to no lesson, sorted by slug.
struct EmbeddedExercise {
  const char* slug;
  const char* terms_file;  // "exercises/small-k-only/exercise.toml"
  const char* exercise;
  const char* solution;
  const char* terms;
};

const std::vector<EmbeddedExercise>& embedded_exercises();

const char* embedded_glossary();  // lessons/glossary.md

// The chapter before the lessons: lessons/machine/machine.md and multiply.cu.
const char* embedded_machine_text();
const char* embedded_machine_program();

// The chapter after the lessons: lessons/profiler/profiler.md and metrics.csv, and
// docs/results/profile/nvidia-h200.json.
const char* embedded_profiler_text();
const char* embedded_profiler_metrics();
const char* embedded_profile();

}  // namespace gemm_tutor
