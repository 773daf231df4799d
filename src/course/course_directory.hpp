// A teacher's course: a directory with lesson folders, which contain only data.
#pragma once

#include <filesystem>

namespace gemm_tutor {

// Adds the course's lessons to the program's. Each is a folder NN-slug, or slug for a chapter, with
// the files of course/lesson_folder.hpp. Other files are ignored. Throws Error (usage) with the
// file, and the line if there is one, for the first mistake. Must be called before lessons() is
// used.
void load_course(const std::filesystem::path& directory);

}  // namespace gemm_tutor
