// What several tests of the course need.
#pragma once

#include <string>

#include "course/lesson_run.hpp"
#include "run/run_checks.hpp"
#include "support/file.hpp"

namespace gemm_tutor {

// The lesson's own kernel with its default settings, every block of it.
inline LessonRun run_lesson(int number, const Problem& problem) {
  const Lesson& lesson = find_lesson(std::to_string(number));
  const Kernel& kernel = lesson.kernels.front();
  return run_kernel(lesson, kernel, kernel.settings, on_emulator(problem));
}

inline std::string project_file(const std::string& path) {
  return read_file(PROJECT_SOURCE_DIR "/" + path).value();
}

}  // namespace gemm_tutor
