// Tests that go through all lessons do so for those of a course, too, which GEMM_TUTOR_COURSE
// names.
#pragma once

#include <cstdlib>

#include "course/lesson_folder.hpp"

namespace gemm_tutor {

inline const bool has_course_of_environment = [] {
  const char* course = std::getenv("GEMM_TUTOR_COURSE");
  if (course) load_course(course);
  return course != nullptr;
}();

}  // namespace gemm_tutor
