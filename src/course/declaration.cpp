#include "course/declaration.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "course/exercise_declaration.hpp"
#include "course/kernel_declaration.hpp"

namespace gemm_tutor {
namespace {

void check_unique(const std::vector<Kernel>& kernels, const FilePlace& place) {
  std::vector<std::string> names, questions;
  for (const Kernel& kernel : kernels) {
    if (std::ranges::count(names, kernel.name) > 0) {
      throw place.error(fmt::format("there is a kernel '{}' already", kernel.name));
    }
    names.push_back(kernel.name);
    for (const Question& question : kernel.questions) {
      if (std::ranges::count(questions, question.id) > 0) {
        throw place.error(fmt::format("there is a question '{}' already", question.id));
      }
      questions.push_back(question.id);
    }
  }
}

std::optional<LessonNumber> add_named_lesson(Declaration& declaration, TomlTable& table,
                                             const char* key) {
  if (!table.has(key)) return {};
  declaration.named_lessons.push_back({key, read_lesson_number(table, key), table.place(key)});
  return declaration.named_lessons.back().number;
}

}  // namespace

Declaration read_declaration(std::string_view text, const std::string& file_name,
                             const Kernel* kernel, const std::string& source,
                             const std::vector<Lesson>& earlier) {
  const toml::table root = parse_toml(text, file_name);
  TomlTable table(root, file_name);
  Declaration result;
  result.title = table.text_or("title", "");
  result.changes = add_named_lesson(result, table, "changes");
  const auto changed = std::ranges::find_if(
      earlier, [&](const Lesson& lesson) { return lesson.number == result.changes; });
  result.changed = changed == earlier.end() ? nullptr : &*changed;
  result.change = table.text_or("change", "");
  if (table.has("page_size")) {
    result.page_size = size_of(table.text("page_size"), table.place("page_size"));
  }
  for (TomlTable& declared : table.one_or_several("kernel")) {
    result.kernels.push_back(read_kernel(declared, source, result.changed));
    for (TomlTable& question : declared.tables("questions")) {
      add_named_lesson(result, question, "recalls");
    }
    check_unique(result.kernels, declared.place());
  }
  if (!result.kernels.empty()) kernel = &result.kernels.front();
  if (const std::optional<TomlTable> declared = table.table("exercise")) {
    if (!kernel || !kernel->shape) {
      throw declared->place().error("an exercise needs a kernel, and [kernel] is missing");
    }
    result.exercise = read_exercise(*declared, *kernel);
  }
  table.finish();
  return result;
}

}  // namespace gemm_tutor
