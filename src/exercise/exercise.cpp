#include "exercise/exercise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <utility>
#include <vector>

#include "course/declaration.hpp"
#include "course/embedded_lessons.hpp"
#include "simt/compiler.hpp"
#include "support/error.hpp"
#include "support/file.hpp"
#include "support/text.hpp"

namespace gemm_tutor {
namespace {

constexpr std::string_view header_mark = "// Exercise ";
constexpr int header_lines = 10;  // the header may be moved within these lines
constexpr std::string_view gap_mark = "// GAP ";

std::string header_of(const Exercise& exercise) {
  return fmt::format("{}{}: {}\n// Check it with: gemm-tutor check {}\n\n", header_mark,
                     exercise.slug, exercise.title, exercise.file_name);
}

// Removes the marks of excerpts.
std::string without_marks(std::string_view source) {
  std::string result;
  for (const std::string& line : split_lines(source)) {
    if (line.starts_with("// excerpt: ") || line == "// end excerpt") continue;
    result += line + '\n';
  }
  return result;
}

Exercise exercise_of_lesson(const Lesson& lesson) {
  Exercise exercise;
  exercise.lesson = lesson.number;
  exercise.slug = lesson.slug;
  exercise.title = lesson.title;
  exercise.file_name = lesson.file_stem() + ".cu";
  exercise.handout = header_of(exercise) + lesson.exercise;
  const bool has_own_kernel = lesson.exercise_kernel.has_value();
  exercise.solution =
      header_of(exercise) + (has_own_kernel ? lesson.solution : without_marks(lesson.source));
  exercise.kernel = has_own_kernel ? *lesson.exercise_kernel : lesson.kernels.front();
  exercise.terms = lesson.exercise_terms.value();
  exercise.kernel.settings = exercise.terms.settings;
  return exercise;
}

Exercise exercise_alone(const EmbeddedExercise& embedded) {
  const Declaration declared =
      read_declaration(embedded.terms, embedded.terms_file, nullptr, {}, {}, true);
  Exercise exercise;
  exercise.slug = embedded.slug;
  exercise.title = declared.title;
  exercise.file_name = exercise.slug + ".cu";
  exercise.handout = header_of(exercise) + embedded.exercise;
  exercise.solution = header_of(exercise) + embedded.solution;
  exercise.kernel = declared.kernels.at(0);
  exercise.terms = declared.exercise.value();
  exercise.kernel.settings = exercise.terms.settings;
  return exercise;
}

std::vector<Exercise> all_exercises() {
  std::vector<Exercise> result;
  for (const Lesson& lesson : lessons()) {
    if (!lesson.exercise.empty()) result.push_back(exercise_of_lesson(lesson));
  }
  const auto own = std::ranges::count_if(
      result, [](const Exercise& exercise) { return exercise.lesson.has_value(); });
  for (const EmbeddedExercise& embedded : embedded_exercises()) {
    result.push_back(exercise_alone(embedded));
  }
  std::stable_sort(result.begin() + own, result.end(), [](const Exercise& a, const Exercise& b) {
    return a.terms.kind < b.terms.kind;
  });
  return result;
}

// The line of code below a gap's comment.
struct Gap {
  std::string code;
  int line = 0;
};

// By their numbers.
std::map<int, Gap> gaps_of(std::string_view source) {
  const std::vector<std::string> lines = split_lines(source);
  std::map<int, Gap> result;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::string_view line = trimmed(lines[i]);
    if (!line.starts_with(gap_mark)) continue;
    line.remove_prefix(gap_mark.size());
    const int number = std::atoi(std::string(line).c_str());
    while (i < lines.size() && trimmed(lines[i]).starts_with("//")) ++i;
    result[number] = {i < lines.size() ? std::string(trimmed(lines[i])) : "",
                      static_cast<int>(i) + 1};
  }
  return result;
}

std::map<int, Gap> gaps_as_handed_out(const Exercise& exercise, std::string_view source) {
  const std::map<int, Gap> handed_out = gaps_of(exercise.handout);
  std::map<int, Gap> result = gaps_of(source);
  std::erase_if(result, [&](const auto& gap) {
    const auto found = handed_out.find(gap.first);
    return found == handed_out.end() || found->second.code != gap.second.code;
  });
  return result;
}

}  // namespace

const std::vector<Exercise>& exercises() {
  static const std::vector<Exercise> all = all_exercises();
  return all;
}

const Exercise& find_exercise(std::string_view name) {
  const auto number = number_in<int>(name);
  std::vector<std::string> slugs;
  for (const Exercise& exercise : exercises()) {
    const bool is_number = number && exercise.lesson == number;
    if (name == exercise.slug || name == exercise.file_name || is_number) return exercise;
    slugs.push_back(exercise.slug);
  }
  const std::string near = near_name(name, slugs);
  const std::string list = "'gemm-tutor exercise list' shows them all.";
  throw Error(ExitStatus::usage, fmt::format("there is no exercise '{}'", name),
              near.empty() ? list : fmt::format("Did you mean '{}'? {}", near, list));
}

std::string short_name(const Exercise& exercise) {
  return exercise.lesson ? std::to_string(*exercise.lesson) : exercise.slug;
}

const Exercise* exercise_of(const Lesson& lesson) {
  const auto found = std::ranges::find(exercises(), lesson.slug, &Exercise::slug);
  return found == exercises().end() ? nullptr : &*found;
}

const Exercise* exercise_of(std::string_view source, std::string_view file_name) {
  int number = 0;
  for (const std::string& line : split_lines(source.substr(0, source.find("__global__")))) {
    if (++number > header_lines) break;
    if (!line.starts_with(header_mark)) continue;
    const std::string slug = line.substr(header_mark.size(), line.find(':') - header_mark.size());
    const auto found = std::ranges::find(exercises(), slug, &Exercise::slug);
    if (found != exercises().end()) return &*found;
  }
  const std::string name = std::filesystem::path(file_name).filename().string();
  const auto found = std::ranges::find(exercises(), name, &Exercise::file_name);
  return found == exercises().end() ? nullptr : &*found;
}

KernelSource exercise_source(const Exercise& exercise, std::string source, std::string file_name,
                             const Problem& problem) {
  const Kernel& kernel = exercise.kernel;
  KernelSource result = kernel_source(kernel, kernel.settings, problem);
  result.source = std::move(source);
  result.file_name = std::move(file_name);
  return result;
}

std::string solution_in(const OtherWay& way, const Exercise& exercise) {
  std::string source = exercise.solution;
  for (const auto& [code, becomes] : way.changes) {
    const std::size_t place = source.find(code);
    if (place == source.npos || source.find(code, place + 1) != source.npos) {
      throw Error(
          ExitStatus::usage,
          fmt::format("exercise {}: the solution must have the 'code' of another way once: {}",
                      exercise.slug, shortened(code, 60)),
          "Give a longer piece, exactly as it is in the solution.");
    }
    source.replace(place, code.size(), becomes);
  }
  return source;
}

std::vector<int> untouched_gaps(const Exercise& exercise, std::string_view source) {
  std::vector<int> result;
  for (const auto& [number, gap] : gaps_as_handed_out(exercise, source)) result.push_back(number);
  return result;
}

std::vector<int> lines_of_untouched_gaps(const Exercise& exercise, std::string_view source) {
  std::vector<int> result;
  for (const auto& [number, gap] : gaps_as_handed_out(exercise, source)) result.push_back(gap.line);
  return result;
}

namespace {

namespace fs = std::filesystem;

// The text that identifies this program's files: a comment in one, the headers' path in the other.
constexpr const char* own_mark = "gemm-tutor";

constexpr const char* clangd_text =
    "# Written by 'gemm-tutor exercise start', with compile_flags.txt: so clangd, and the editors "
    "that\n"
    "# use it, can read kernels where there is no CUDA Toolkit.\n"
    "If:\n"
    "  PathMatch: .*\\.cu\n"
    "CompileFlags:\n"
    "  CompilationDatabase: .\n"
    "Diagnostics:\n"
    "  UnusedIncludes: None\n"
    "  ClangTidy:\n"
    "    Remove: '*'\n";

// True if the learner has written or changed the file.
bool is_of_learner(const fs::path& file) {
  std::error_code error;
  if (fs::symlink_status(file, error).type() == fs::file_type::not_found) return false;
  return read_ordinary_file(file).value_or("").find(own_mark) == std::string::npos;
}

}  // namespace

std::string write_editor_files(const fs::path& folder) {
  const fs::path data = data_directory();
  const fs::path headers = data / "headers";
  const std::string cannot = "The files that make an editor read kernels cannot be written.";
  const std::vector<std::string> options =
      data.empty() ? std::vector<std::string>() : simt::clangd_options(headers);
  if (options.empty()) return cannot;
  const std::pair<const char*, std::string> files[] = {
      {".clangd", clangd_text}, {"compile_flags.txt", join(options, "\n") + "\n"}};
  std::vector<std::string> kept;
  for (const auto& [name, text] : files) {
    if (is_of_learner(folder / name)) {
      kept.emplace_back(name);
    } else if (!write_file_atomically(folder / name, text)) {
      return cannot;
    }
  }
  if (kept.empty()) return "";
  return fmt::format("Your own {} is left as it is: an editor may not know CUDA here.",
                     join(kept, " and "));
}

}  // namespace gemm_tutor
