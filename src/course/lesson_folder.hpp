// Reads a lesson from the files of its folder, for built-in lessons and for a teacher's course.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "course/lesson.hpp"

namespace gemm_tutor {

// The text of each file; empty if there is no such file.
struct LessonFiles {
  std::string folder;  // the path: "lessons/03-shared-memory-tile", "lessons/edges"
  std::string kernel_name = "kernel.cu";  // the file's name; kernel.cpp if it runs on the CPU
  std::string kernel = {};
  std::string text = {};            // lesson.md
  std::string declaration = {};     // lesson.toml
  std::string exercise = {};        // exercise.cu
  std::string exercise_terms = {};  // exercise.toml: [exercise] may be in lesson.toml, too
  std::string solution = {};        // solution.cu, if exercise.toml has a [kernel]
  bool is_checked = false;          // they are known to have no mistake
};

// `earlier` are the lessons that it may change. Throws Error (usage) with the file, and the line if
// there is one, for the first mistake. Of files that are checked, as the program's own are by a
// test, what only finds mistakes is left out, because it takes most of the time.
Lesson read_lesson(const LessonFiles& files, const std::vector<Lesson>& earlier);

// A teacher's course: a directory with lesson folders, which contain only data.

// Adds the course's lessons to the program's. Each is a folder NN-slug, or slug for a chapter, with
// the files of LessonFiles. Other files are ignored. Throws Error (usage) with the
// file, and the line if there is one, for the first mistake. Must be called before lessons() is
// used.
void load_course(const std::filesystem::path& directory);

}  // namespace gemm_tutor
