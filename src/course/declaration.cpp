#include "course/declaration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "course/expression.hpp"
#include "course/kernel_declaration.hpp"
#include "course/question.hpp"
#include "gemm/extents.hpp"
#include "support/text.hpp"

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

namespace {

// Of a size that is checked.
Problem problem_of(const std::string& text, const FilePlace& place) {
  const Problem problem = size_of(text, place);
  constexpr double most = 0x1p26;  // about 1 s for the emulator's slowest kernels
  if (problem.multiply_adds() <= most) return problem;
  throw place.error(fmt::format("the size {} is too large for a check", text),
                    "M·N·K may be 2^26 at most: 400x400x400, say.");
}

ExerciseKind kind_of(TomlTable& table) {
  const std::map<std::string, ExerciseKind> kinds = {{"gaps", ExerciseKind::gaps},
                                                     {"bug", ExerciseKind::bug},
                                                     {"faster", ExerciseKind::faster},
                                                     {"write", ExerciseKind::write}};
  const std::string name = table.text_or("kind", "gaps");
  if (const auto found = kinds.find(name); found != kinds.end()) return found->second;
  throw table.place("kind").error(
      fmt::format("'kind' must be \"gaps\", \"bug\", \"faster\" or \"write\", not \"{}\"", name));
}

Goal read_goal(TomlTable& table, const Kernel& kernel) {
  Goal goal;
  goal.name = table.text("name");
  goal.unit = table.text("unit");
  goal.count = table.text("count");
  const auto is_given = [&](Goal::Bound bound) { return table.has(key_of(bound)); };
  constexpr std::array bounds = {Goal::Bound::at_most, Goal::Bound::at_least, Goal::Bound::exactly};
  if (std::ranges::count_if(bounds, is_given) != 1) {
    throw table.place().error("a goal needs one of 'at_most', 'at_least' and 'exactly'");
  }
  goal.bound = *std::ranges::find_if(bounds, is_given);
  const std::string_view limit = key_of(goal.bound);
  goal.limit = table.text(limit);
  goal.is_central = table.is_set("central");
  goal.problem = problem_of(table.text("size"), table.place("size"));
  check_names(goal.count, values_countable(kernel, kernel.settings, goal.problem),
              table.place("count"));
  const Values before = values_before(kernel, kernel.settings, goal.problem);
  table.place(limit).check([&] { return Expression::parse(goal.limit).value(before); });
  table.finish();
  return goal;
}

OtherWay read_other_way(TomlTable& table) {
  OtherWay way{table.text("text"), {}};
  for (TomlTable& change : table.tables("changes")) {
    way.changes.push_back({change.text("code"), change.text("becomes")});
    change.finish();
  }
  table.finish();
  return way;
}

}  // namespace

Problem size_of(const std::string& text, const FilePlace& place) {
  if (const auto problem = problem_in(text)) return *problem;
  throw place.error(fmt::format("'{}' is no size", text),
                    "Give M = N = K as in \"64\", or M, N and K as in \"67x45x33\".");
}

ExerciseTerms read_exercise(TomlTable table, Kernel kernel) {
  ExerciseTerms terms;
  terms.kind = kind_of(table);
  terms.settings = kernel.settings = with_values(table, kernel.settings, kernel.name);
  table.place("values").check([&] { return kernel.shape(terms.settings); });
  terms.task = table.text("task");
  for (const std::string& size : table.texts("sizes")) {
    terms.sizes.push_back(problem_of(size, table.place("sizes")));
  }
  if (table.has("timed_at"))
    terms.timed_at = size_of(table.text("timed_at"), table.place("timed_at"));
  if (table.has("hints")) terms.hints = table.texts("hints");
  for (TomlTable& way : table.tables("other_ways")) {
    terms.other_ways.push_back(read_other_way(way));
  }
  for (TomlTable& goal : table.tables("goals")) terms.goals.push_back(read_goal(goal, kernel));
  terms.is_ladder = table.is_set("ladder");
  terms.has_library = table.is_set("library");
  terms.essentials = essential_goals(terms);
  table.finish();
  return terms;
}

}  // namespace gemm_tutor
