#include "course/lesson_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "course/declaration.hpp"
#include "course/recorded.hpp"
#include "run/kernel_source.hpp"
#include "source/excerpt.hpp"
#include "support/error.hpp"
#include "support/text.hpp"

namespace gemm_tutor {
namespace {

Error wrong(const std::string& path, std::string_view what) {
  return {ExitStatus::usage, fmt::format("{}: {}", path, what),
          "docs/teaching.md shows a whole course."};
}

// --- Its name

constexpr int last_place = 99;  // of a chapter that changes no lesson

struct FolderName {
  std::optional<int> number;  // a chapter has none
  std::string slug;
};

// Lower-case letters and digits, in words separated by "-".
bool is_slug(const std::string& text) {
  const std::vector<std::string> words = split(text, '-');
  return std::ranges::all_of(words, [](const std::string& word) {
    return !word.empty() &&
           word.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789") == word.npos;
  });
}

FolderName folder_name(const std::string& folder) {
  const std::string name = split(folder, '/').back();
  const bool is_chapter = name.find_first_of("0123456789") != 0;
  const std::string number_text = name.substr(0, name.find('-'));
  const std::string slug =
      is_chapter ? name : name.substr(std::min(name.size(), number_text.size() + 1));
  const auto number = is_chapter ? std::nullopt : number_in<int>(number_text);
  if (!(is_chapter || (number && number_text.size() == 2)) || !is_slug(slug)) {
    throw wrong(folder,
                "a lesson's folder is called NN-name, with two digits, as in 50-row-sums, and a "
                "chapter's has only a name");
  }
  return {number, slug};
}

// --- Its title, which lesson.toml has, or lesson.md as its first line

std::string heading_of(const std::string& text) {
  constexpr std::string_view mark = "# ";
  const std::string line(trimmed(text.substr(0, text.find('\n'))));
  return line.starts_with(mark) ? std::string(trimmed(line.substr(mark.size()))) : "";
}

void add_title(Lesson& lesson, const std::string& declared, const std::string& file) {
  const std::string heading = with_recorded_numbers(heading_of(lesson.text), file);
  lesson.title = declared.empty() ? heading : declared;
  if (lesson.title.empty()) {
    throw wrong(file, "'title' is missing, and lesson.md does not begin with a heading");
  }
  if (heading != lesson.title) lesson.text = fmt::format("# {}\n\n{}", lesson.title, lesson.text);
}

// --- Its kernels and its exercise

void check_named_lessons(const Declaration& declared, const Lesson& own,
                         const std::vector<Lesson>& earlier) {
  for (const auto& [key, name, place] : declared.named_lessons) {
    const Lesson* named = lesson_in(earlier, name);
    if (named && (!own.number || named->place < *own.number)) continue;
    throw place.error(fmt::format("'{}' is {}, which is no lesson before {}", key, name, own.key()),
                      fmt::format("Give the number of an earlier lesson, or leave '{}' out.", key));
  }
}

void check_kernels(const Lesson& lesson, const std::string& file) {
  if (lesson.kernels.empty()) throw wrong(file, "[kernel] is missing");
  for (const Kernel& kernel : lesson.kernels) {
    if (kernel.traffic.loads.empty() && !kernel.from_library) {
      throw wrong(file, "'loads' and 'stores' are missing in [kernel]: the formula of its traffic");
    }
    if (!excerpt(lesson, kernel).empty()) continue;
    throw wrong(lesson.source_file,
                fmt::format("has no kernel '{}', which lesson.toml declares", kernel.function));
  }
}

void check_there(const LessonFiles& files, const std::string& name, const std::string& text) {
  if (text.empty()) throw wrong(fmt::format("{}/{}", files.folder, name), "is missing");
}

void check_defines(const LessonFiles& files, const std::string& name, const std::string& text,
                   const std::string& kernel) {
  if (files.is_checked) return;
  check_there(files, name, text);
  if (!excerpt(text, kernel).empty()) return;
  throw wrong(fmt::format("{}/{}", files.folder, name),
              fmt::format("has no kernel '{}', which its declaration names", kernel));
}

// Of the lesson's first kernel, or of one that exercise.toml declares.
void add_terms(Lesson& lesson, const LessonFiles& files, const Declaration& declared,
               const std::string& declaration_file) {
  lesson.exercise_terms = declared.exercise;
  if (files.exercise_terms.empty()) return;
  if (declared.exercise)
    throw wrong(declaration_file, "has an [exercise], and so has exercise.toml");
  const std::string file = files.folder + "/exercise.toml";
  const Declaration own = read_declaration(files.exercise_terms, file, &declared.kernels.front(),
                                           {}, {}, files.is_checked);
  if (!own.exercise) throw wrong(file, "[exercise] is missing");
  lesson.exercise_terms = own.exercise;
  if (own.kernels.empty()) return;
  lesson.exercise_kernel = own.kernels.front();
  lesson.solution = files.solution;
  check_defines(files, "solution.cu", files.solution, lesson.exercise_kernel->function);
}

void add_exercise(Lesson& lesson, const LessonFiles& files, const Declaration& declared,
                  const std::string& declaration_file) {
  lesson.exercise = files.exercise;
  add_terms(lesson, files, declared, declaration_file);
  if (!lesson.exercise_terms && files.exercise.empty()) return;
  if (!lesson.exercise_terms) {
    throw wrong(declaration_file, "[exercise] is missing, and there is an exercise.cu");
  }
  check_defines(files, "exercise.cu", files.exercise,
                lesson.exercise_kernel.value_or(lesson.kernels.front()).function);
}

// Without a kernel file, each kernel is a variant of one in the lesson that is changed.
void add_source(Lesson& lesson, const LessonFiles& files, const Declaration& declared) {
  const bool has_own = !files.kernel.empty();
  const bool needs_own =
      !declared.changed || std::ranges::any_of(declared.kernels, [](const Kernel& kernel) {
        return kernel.function == kernel.name;
      });
  if (needs_own) check_there(files, files.kernel_name, files.kernel);
  lesson.source = has_own ? files.kernel : declared.changed->source;
  lesson.source_file = has_own ? fmt::format("{}/{}", files.folder, files.kernel_name)
                               : declared.changed->source_file;
}

}  // namespace

Lesson read_lesson(const LessonFiles& files, const std::vector<Lesson>& earlier) {
  const FolderName name = folder_name(files.folder);
  check_there(files, "lesson.md", files.text);
  check_there(files, "lesson.toml", files.declaration);
  Lesson lesson;
  lesson.number = name.number;
  lesson.slug = name.slug;
  lesson.text = files.text;

  const std::string file = files.folder + "/lesson.toml";
  const Declaration declared =
      read_declaration(files.declaration, file, nullptr, files.kernel, earlier, files.is_checked);
  check_named_lessons(declared, lesson, earlier);
  add_source(lesson, files, declared);
  add_title(lesson, declared.title, file);
  if (!files.is_checked) with_recorded_numbers(lesson.text, files.folder + "/lesson.md");
  if (declared.changed) lesson.changes = declared.changed->slug;
  lesson.place = lesson.number.value_or(declared.changed ? declared.changed->place : last_place);
  lesson.change = declared.change;
  lesson.page_size = declared.page_size;
  lesson.kernels = declared.kernels;
  if (!files.is_checked) check_kernels(lesson, file);
  add_exercise(lesson, files, declared, file);
  return lesson;
}

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
