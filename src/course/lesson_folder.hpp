// A lesson from the files of its folder: a built-in one, whose files are in the program, and one of
// a teacher's course.
#pragma once

#include <string>
#include <vector>

#include "course/lesson.hpp"

namespace gemm_tutor {

// The text of each file; empty for one that is not there.
struct LessonFiles {
  std::string folder;  // its path, which ends with NN-slug: "lessons/03-shared-memory-tile"
  std::string kernel_name = "kernel.cu";  // of the file: kernel.cpp for one that runs on the CPU
  std::string kernel = {};
  std::string text = {};            // lesson.md
  std::string declaration = {};     // lesson.toml
  std::string exercise = {};        // exercise.cu
  std::string exercise_terms = {};  // exercise.toml: [exercise] may be in lesson.toml, too
};

// `earlier` are the lessons that it may change. Throws Error (usage) that names the file, and the
// line where there is one, for the first thing that is wrong.
Lesson read_lesson(const LessonFiles& files, const std::vector<Lesson>& earlier);

}  // namespace gemm_tutor
