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

std::string add_named_lesson(Declaration& declaration, TomlTable& table, const char* key) {
  if (!table.has(key)) return {};
  const std::string name = table.expression(key, "a lesson's number or name");
  declaration.named_lessons.push_back({key, name, table.place(key)});
  return name;
}

}  // namespace

Declaration read_declaration(std::string_view text, const std::string& file_name,
                             const Kernel* kernel, const std::string& source,
                             const std::vector<Lesson>& earlier) {
  const toml::table root = parse_toml(text, file_name);
  TomlTable table(root, file_name);
  Declaration result;
  result.title = table.text_or("title", "");
  const std::string changes = add_named_lesson(result, table, "changes");
  result.changed = changes.empty() ? nullptr : lesson_in(earlier, changes);
  result.change = table.text_or("change", "");
  if (table.has("page_size")) {
    result.page_size = size_of(table.text("page_size"), table.place("page_size"));
  }
  for (TomlTable& declared : table.one_or_several("kernel")) {
    result.kernels.push_back(read_kernel(declared, source, result.changed, result.kernels));
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
