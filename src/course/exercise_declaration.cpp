#include "course/exercise_declaration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "course/expression.hpp"
#include "course/kernel_declaration.hpp"
#include "course/question.hpp"
#include "gemm/extents.hpp"
#include "support/text.hpp"

namespace gemm_tutor {
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
  goal.exactly = table.has("exactly");
  if (const bool at_most = table.has("at_most"); goal.exactly == at_most) {
    throw table.place().error("a goal needs one of 'at_most' and 'exactly'");
  }
  const std::string_view limit = goal.exactly ? "exactly" : "at_most";
  goal.limit = table.text(limit);
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
  table.finish();
  return terms;
}

}  // namespace gemm_tutor
