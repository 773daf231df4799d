#include "course/course_directory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "course/lesson_folder.hpp"
#include "run/kernel_source.hpp"
#include "support/error.hpp"

namespace gemm_tutor {
namespace {

namespace fs = std::filesystem;

// Empty for a file that is not there.
std::string text_of(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored) ? read_kernel_file(path).source : "";
}

LessonFiles files_in(const fs::path& folder) {
  LessonFiles files{.folder = folder.string()};
  files.kernel = text_of(folder / files.kernel_name);
  files.text = text_of(folder / "lesson.md");
  files.declaration = text_of(folder / "lesson.toml");
  files.exercise = text_of(folder / "exercise.cu");
  files.exercise_terms = text_of(folder / "exercise.toml");
  files.solution = text_of(folder / "solution.cu");
  return files;
}

std::vector<fs::path> lesson_folders(const fs::path& directory) {
  std::error_code error;
  std::vector<fs::path> folders;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory, error)) {
    const bool is_hidden = entry.path().filename().string().starts_with('.');
    if (entry.is_directory(error) && !is_hidden) folders.push_back(entry.path());
  }
  if (error) {
    throw Error(
        ExitStatus::usage,
        fmt::format("the course '{}' cannot be read: {}", directory.string(), error.message()),
        "Give the folder that holds its lessons' folders, by --course or in "
        "GEMM_TUTOR_COURSE.");
  }
  if (folders.empty()) {
    throw Error(ExitStatus::usage, fmt::format("{}: it has no lesson's folder", directory.string()),
                "docs/teaching.md shows a whole course.");
  }
  std::ranges::sort(folders);
  return folders;
}

}  // namespace

void load_course(const fs::path& directory) {
  for (const fs::path& folder : lesson_folders(directory)) {
    Lesson lesson = read_lesson(files_in(folder), lessons());
    lesson.of_course = true;
    add_lesson(std::move(lesson));
  }
}

}  // namespace gemm_tutor
