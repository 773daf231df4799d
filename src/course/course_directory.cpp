#include "course/course_directory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <system_error>
#include <vector>

#include "course/declaration.hpp"
#include "course/entry.hpp"
#include "course/kernel_source.hpp"
#include "course/lesson.hpp"
#include "support/error.hpp"
#include "support/text.hpp"

namespace gemm_tutor {
namespace {

namespace fs = std::filesystem;

constexpr const char* see_teaching = "docs/teaching.md shows a whole course.";

Error wrong(const fs::path& path, std::string_view what) {
  return {ExitStatus::usage, fmt::format("{}: {}", path.string(), what), see_teaching};
}

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

std::string text_of(const fs::path& path) {
  if (!is_there(path)) throw wrong(path, "is missing");
  return read_kernel_file(path).source;
}

struct FolderName {
  int number = 0;
  std::string slug;
};

// Small letters and digits, in words with one "-" between.
bool is_slug(const std::string& text) {
  const std::vector<std::string> words = split(text, '-');
  return std::ranges::all_of(words, [](const std::string& word) {
    return !word.empty() &&
           word.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789") == word.npos;
  });
}

FolderName folder_name(const fs::path& folder) {
  const std::string name = folder.filename().string();
  const bool has_number =
      name.find_first_not_of("0123456789") == 2 && name[2] == '-' && is_slug(name.substr(3));
  if (!has_number) {
    throw wrong(folder, "a lesson's folder is called NN-name, with two digits, as in 50-row-sums");
  }
  return {std::stoi(name), name.substr(3)};
}

// The title, then what lesson.md holds; that may begin with the title itself.
std::string with_title(const std::string& title, const std::string& text) {
  const std::string heading = "# " + title;
  const bool has_title = trimmed(text.substr(0, text.find('\n'))) == heading;
  return has_title ? text : fmt::format("{}\n\n{}", heading, text);
}

void check_kernel(const Lesson& lesson, const std::string& source, const fs::path& path) {
  const Kernel& kernel = lesson.kernels.front();
  if (!kernel_lines(source, kernel.name).empty()) return;
  throw wrong(path, fmt::format("has no kernel '{}', which lesson.toml declares", kernel.name));
}

// Looks for each without the other.
void add_exercise(Lesson& lesson, const Declaration& declared, const fs::path& folder) {
  const fs::path exercise = folder / "exercise.cu";
  if (!declared.exercise) {
    if (!is_there(exercise)) return;
    throw wrong(folder / "lesson.toml", "[exercise] is missing, and there is an exercise.cu");
  }
  lesson.exercise = text_of(exercise);
  check_kernel(lesson, lesson.exercise, exercise);
}

Lesson read_lesson(const fs::path& folder) {
  const FolderName name = folder_name(folder);
  const fs::path terms = folder / "lesson.toml", kernel = folder / "kernel.cu";
  Lesson lesson;
  lesson.number = name.number;
  lesson.slug = name.slug;
  lesson.changes = no_lesson;
  lesson.of_course = true;
  lesson.exercise_terms = text_of(terms);
  lesson.exercise_terms_file = terms.string();

  const Declaration declared = read_declaration(lesson.exercise_terms, terms.string());
  if (declared.title.empty()) throw wrong(terms, "'title' is missing");
  if (!declared.kernel) throw wrong(terms, "[kernel] is missing");
  if (!declared.kernel->traffic.load_floats) {
    throw wrong(terms, "'loads' and 'stores' are missing in [kernel]: the formula of its traffic");
  }
  lesson.title = declared.title;
  lesson.kernels = {*declared.kernel};
  lesson.text = with_title(declared.title, text_of(folder / "lesson.md"));
  lesson.source_file = kernel.string();
  lesson.source = text_of(kernel);
  check_kernel(lesson, lesson.source, kernel);
  add_exercise(lesson, declared, folder);
  return lesson;
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
  if (folders.empty()) throw wrong(directory, "there is no lesson's folder in it");
  std::ranges::sort(folders);
  return folders;
}

}  // namespace

void load_course(const fs::path& directory) {
  std::vector<Lesson> further;
  for (const fs::path& folder : lesson_folders(directory)) further.push_back(read_lesson(folder));
  for (Lesson& lesson : further) add_lesson(std::move(lesson));
}

}  // namespace gemm_tutor
