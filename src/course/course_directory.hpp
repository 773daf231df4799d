// A course of a teacher's own: a folder with lesson folders that are data only.
#pragma once

#include <filesystem>

namespace gemm_tutor {

// Adds its lessons to those there are: each a folder NN-slug with the files of
// course/lesson_folder.hpp. Other files are left alone. Throws Error (usage) that names the file,
// and the line where there is one, for the first thing that is wrong. To be called before anything
// else asks for lessons.
void load_course(const std::filesystem::path& directory);

}  // namespace gemm_tutor
