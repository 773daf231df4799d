#include "documents/exercise_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "course/expression.hpp"
#include "course/question.hpp"
#include "documents/check_report.hpp"
#include "documents/json.hpp"
#include "support/text.hpp"
#include "view/markdown.hpp"
#include "view/units.hpp"

namespace gemm_tutor {
namespace {

const char* what_to_do(ExerciseKind kind) {
  switch (kind) {
    case ExerciseKind::gaps:
      return "Complete the kernel";
    case ExerciseKind::bug:
      return "Find the bug";
    case ExerciseKind::faster:
      return "Make it faster";
  }
  return "";
}

ExerciseProgress progress_of(const Exercise& exercise, const Progress& progress) {
  const auto found = progress.exercises.find(exercise.slug);
  return found == progress.exercises.end() ? ExerciseProgress() : found->second;
}

Line mark_of(const Exercise& exercise, const Progress& progress, const Terminal& terminal) {
  const bool solved = progress_of(exercise, progress).solved;
  const std::string mark = solved ? "✓" : exercise.slug == progress.exercise ? "→" : "";
  return mark_column(mark, solved ? Style::good : Style::heading, terminal);
}

Line state_of(const Exercise& exercise, const Progress& progress) {
  const ExerciseProgress own = progress_of(exercise, progress);
  std::vector<std::string> parts;
  if (own.failed_checks > 0) parts.push_back(counted(own.failed_checks, "failed check"));
  if (own.hints > 0) parts.push_back(counted(own.hints, "hint"));
  if (parts.empty()) return {};
  return {{join(parts, ", "), Style::dim}};
}

const Exercise* next_unsolved(const std::vector<Exercise>& exercises, const Progress& progress) {
  const auto is_open = [&](const Exercise& exercise) {
    return !progress_of(exercise, progress).solved;
  };
  const auto found = std::ranges::find_if(exercises, is_open);
  return found == exercises.end() ? nullptr : &*found;
}

void add_next(Page& page, const std::vector<Exercise>& exercises, const Progress& progress) {
  page.section("Next");
  const auto current = std::ranges::find(exercises, progress.exercise, &Exercise::slug);
  if (current != exercises.end() && !progress_of(*current, progress).solved) {
    page.text({{"gemm-tutor check", Style::code}, {" · " + current->title}});
  } else if (const Exercise* next = next_unsolved(exercises, progress)) {
    page.text(
        {{"gemm-tutor exercise start " + short_name(*next), Style::code}, {" · " + next->title}});
  } else {
    page.text({{"all are solved"}});
  }
}

// "floats loaded: at most 16,384 floats = M·N·K·(1/BM + 1/BN), at 64×64×64".
std::string goal_text(const Exercise& exercise, const Goal& goal) {
  const Kernel& kernel = exercise.kernel;
  const Values values = values_before(kernel, kernel.settings, goal.problem);
  const double limit = Expression::parse(goal.limit).value(values);
  std::string text = fmt::format("{}: {} {}", goal.name, goal.exactly ? "exactly" : "at most",
                                 quantity_text(limit, goal.unit));
  if (goal.limit != number_text(limit)) {
    text += fmt::format(" = {}, at {}", goal.limit, size_text(goal.problem));
  }
  return text;
}

// "BM = 32, BN = 32"; empty for a kernel without any.
std::string settings_text(const Settings& settings) {
  std::vector<std::string> texts;
  for (const auto& [name, value] : settings) texts.push_back(fmt::format("{} = {}", name, value));
  return join(texts);
}

}  // namespace

std::string exercises_text(const std::vector<Exercise>& exercises, const Progress& progress,
                           const Terminal& terminal) {
  std::size_t slug_columns = 0;
  for (const Exercise& exercise : exercises) {
    slug_columns = std::max(slug_columns, exercise.slug.size());
  }
  Page page(terminal);
  std::optional<ExerciseKind> kind;
  for (const Exercise& exercise : exercises) {
    if (kind != exercise.terms.kind) {
      if (kind) page.blank();
      kind = exercise.terms.kind;
      page.row({}, {}, {{what_to_do(*kind), Style::heading}});
    }
    const std::string number = exercise.lesson ? std::to_string(*exercise.lesson) : "";
    const std::string name = fmt::format("{:>2}  {:<{}}  ", number, exercise.slug, slug_columns);
    page.row(mark_of(exercise, progress, terminal) + Line{{name, Style::code}},
             {{std::string(mark_columns + name.size(), ' ')}}, {{exercise.title}},
             state_of(exercise, progress));
  }
  add_next(page, exercises, progress);
  return page.str();
}

std::string exercises_json(const std::vector<Exercise>& exercises, const Progress& progress) {
  Json json;
  json["exercises"] = Json::array();
  for (const Exercise& exercise : exercises) {
    const ExerciseProgress own = progress_of(exercise, progress);
    Json entry;
    if (exercise.lesson) entry["lesson"] = *exercise.lesson;
    entry["slug"] = exercise.slug;
    entry["title"] = exercise.title;
    entry["kind"] = what_to_do(exercise.terms.kind);
    entry["file"] = exercise.file_name;
    entry["solved"] = own.solved;
    entry["failed_checks"] = own.failed_checks;
    entry["hints"] = own.hints;
    if (exercise.slug == progress.exercise) entry["current"] = true;
    json["exercises"].push_back(entry);
  }
  return to_text(json);
}

void add_task(Page& page, const Exercise& exercise) {
  add_markdown(page, exercise.terms.task);
  std::vector<std::string> sizes;
  for (const Problem& problem : exercise.terms.sizes) {
    sizes.push_back(unbreakable(size_text(problem)));
  }
  page.section("Asked");
  page.text({{fmt::format("right at M×N×K = {}", join(sizes))}});
  page.text({{"no race, no access out of bounds"}});
  if (const std::string settings = settings_text(exercise.kernel.settings); !settings.empty()) {
    page.text({{"with " + settings}});
  }
  for (const Goal& goal : exercise.terms.goals) {
    page.text({{goal_text(exercise, goal)}});
  }
}

std::string started_text(const Exercise& exercise, const std::string& file,
                         const Terminal& terminal) {
  Page page(terminal);
  page.row({}, {}, {{heading_of(exercise), Style::heading}}, {{file, Style::dim}});
  page.blank();
  add_task(page, exercise);
  page.section("Next");
  page.text({{"open the file in your editor, and in another terminal: "},
             {unbreakable("gemm-tutor watch"), Style::code}});
  return page.str();
}

std::string hints_text(const Exercise& exercise, int count, bool has_tried,
                       const Terminal& terminal) {
  const std::vector<std::string>& hints = exercise.terms.hints;
  Page page(terminal);
  page.row({}, {}, {{heading_of(exercise), Style::heading}});
  for (int i = 0; i < std::min<int>(count, static_cast<int>(hints.size())); ++i) {
    page.section(fmt::format("Hint {}", i + 1));
    page.text(first_paragraph(hints[i]));
  }
  const int left = static_cast<int>(hints.size()) - count;
  page.section("Next");
  page.text(left > 0 ? Line{{"gemm-tutor check", Style::code},
                            {fmt::format(" · {} left", counted(left, "hint"))}}
                     : Line{{"gemm-tutor check", Style::code},
                            {has_tried ? " · these are all; "
                                       : " · these are all; once a check has failed, "},
                            {unbreakable("gemm-tutor solution"), Style::code},
                            {" shows how it is done"}});
  return page.str();
}

}  // namespace gemm_tutor
