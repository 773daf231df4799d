#include "report/exercise_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>

#include "course/expression.hpp"
#include "course/question.hpp"
#include "exercise/correction.hpp"
#include "report/check_report.hpp"
#include "report/json.hpp"
#include "report/list_report.hpp"
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
    case ExerciseKind::write:
      return "Write the kernel";
  }
  return "";
}

ExerciseProgress progress_of(const Exercise& exercise, const Progress& progress) {
  const auto found = progress.exercises.find(exercise.slug);
  return found == progress.exercises.end() ? ExerciseProgress() : found->second;
}

Span mark_of(const Exercise& exercise, const Progress& progress) {
  if (progress_of(exercise, progress).solved) return {"✓", Style::good};
  return {exercise.slug == progress.exercise ? "→" : "", Style::heading};
}

Line state_of(const Exercise& exercise, const Progress& progress) {
  const ExerciseProgress own = progress_of(exercise, progress);
  std::vector<std::string> parts;
  if (own.failed_checks > 0) parts.push_back(counted(own.failed_checks, "failed check"));
  if (own.hints > 0) parts.push_back(counted(own.hints, "hint"));
  if (own.solution_taken) parts.emplace_back("solution taken");
  if (parts.empty()) return {};
  return {{join(parts, ", "), Style::dim}};
}

Part next_step(const std::vector<Exercise>& exercises, const Progress& progress) {
  const auto current = std::ranges::find(exercises, progress.exercise, &Exercise::slug);
  if (current != exercises.end() && !progress_of(*current, progress).solved) {
    return Commands{{{"gemm-tutor check " + short_name(*current), current->title}}};
  }
  if (const Exercise* next = next_unsolved(exercises.back(), progress)) {
    return Commands{{{"gemm-tutor exercise start " + short_name(*next), next->title}}};
  }
  return facts({{{"all are solved"}}});
}

// "floats loaded: at most 16,384 floats = M·N·K·(1/BM + 1/BN), at 64×64×64".
std::string goal_text(const Exercise& exercise, const Goal& goal) {
  const Kernel& kernel = exercise.kernel;
  const Values values = values_before(kernel, kernel.settings, goal.problem);
  const double limit = evaluated(goal.limit, values);
  std::string text =
      fmt::format("{}: {} {}", goal.name, words_of(goal.bound), quantity_text(limit, goal.unit));
  if (goal.limit != number_text(limit)) {
    text += fmt::format(" = {}, at {}", goal.limit, size_text(goal.problem));
  }
  return text;
}

// Its lesson's number; empty if it belongs to no lesson.
std::string lesson_column(const Exercise& exercise) {
  return exercise.lesson ? short_name(exercise) : "";
}

// "BM = 32, BN = 32"; empty for a kernel without any.
std::string settings_text(const Settings& settings) {
  std::vector<std::string> texts;
  for (const auto& [name, value] : settings) texts.push_back(fmt::format("{} = {}", name, value));
  return join(texts);
}

}  // namespace

Document exercises_document(const std::vector<Exercise>& exercises, const StoredProgress& stored) {
  const Progress& progress = stored.progress;
  std::size_t number_columns = 2, slug_columns = 0;  // the same in all groups
  for (const Exercise& exercise : exercises) {
    number_columns = std::max(number_columns, lesson_column(exercise).size());
    slug_columns = std::max(slug_columns, exercise.slug.size());
  }
  Document document;
  std::string group;
  for (const Exercise& exercise : exercises) {
    const std::string own =
        exercise.lesson ? "With each lesson" : std::string(what_to_do(exercise.terms.kind));
    if (group != own) {
      group = own;
      document.parts.add(Section{"", group, {Definitions{.definitions = {}, .has_marks = true}}});
    }
    auto& section = std::get<Section>(document.parts.back().content);
    std::get<Definitions>(section.parts.back().content)
        .definitions.push_back({{{fmt::format("{:>{}}  {:<{}}", lesson_column(exercise),
                                              number_columns, exercise.slug, slug_columns),
                                  Style::code}},
                                {{exercise.title}},
                                state_of(exercise, progress),
                                mark_of(exercise, progress)});
  }
  document.parts.append(note_parts(stored));
  document.parts.add(section("Next", {next_step(exercises, progress)}));
  return document;
}

std::string exercises_json(const std::vector<Exercise>& exercises, const StoredProgress& stored) {
  const Progress& progress = stored.progress;
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
    if (own.solution_taken) entry["solution_taken"] = true;
    if (exercise.slug == progress.exercise) entry["current"] = true;
    json["exercises"].push_back(entry);
  }
  if (const std::string note = note_on(stored); !note.empty()) json["note"] = note;
  return to_text(json);
}

Parts task_parts(const Exercise& exercise) {
  std::vector<std::string> sizes;
  for (const Problem& problem : exercise.terms.sizes) {
    sizes.push_back(unbreakable(size_text(problem)));
  }
  Facts asked;
  asked.add({{fmt::format("right at M×N×K = {}", join(sizes))}});
  asked.add({{"no race, no access out of bounds"}});
  if (const std::string settings = settings_text(exercise.kernel.settings); !settings.empty()) {
    asked.add({{"with " + settings}});
  }
  for (const Goal& goal : exercise.terms.goals) asked.add({{goal_text(exercise, goal)}});
  return {Prose{read_markdown(exercise.terms.task)}, section("Asked", {std::move(asked)})};
}

Document started_document(const Exercise& exercise, const std::string& file) {
  Document document = titled(exercise);
  document.right = {file_span(file, Style::dim)};
  document.parts = task_parts(exercise);
  document.parts.add(
      section("Next", {facts({{{"open the file in your editor, and in another terminal: "},
                               {unbreakable("gemm-tutor watch"), Style::code}}})}));
  return document;
}

const Exercise* next_unsolved(const Exercise& exercise, const Progress& progress) {
  const auto all = std::span(exercises());
  const auto place = static_cast<std::size_t>(&exercise - all.data());
  for (std::size_t i = 1; i <= all.size(); ++i) {
    const Exercise& next = all[(place + i) % all.size()];
    if (!progress_of(next, progress).solved) return &next;
  }
  return nullptr;
}

bool has_cause_as_hint(const Exercise& exercise, std::string_view source) {
  return !is_as_handed_out(exercise, source);
}

int hint_count(const Exercise& exercise, std::string_view source) {
  return static_cast<int>(exercise.terms.hints.size()) + has_cause_as_hint(exercise, source);
}

std::string cause_as_hint(const CheckReport& report) {
  if (report.solved()) return "nothing is wrong: it solves the exercise.";
  return report.failed == Stage::compile ? report.compile_error : report.cause;
}

Document hints_document(const HintsView& view) {
  std::vector<std::string> hints = view.exercise.terms.hints;
  if (view.has_cause) {
    hints.push_back(view.cause.empty()
                        ? "Trying out changes did not find what is wrong in your file."
                        : "In your file: " + view.cause);
  }
  const auto all = static_cast<int>(hints.size()), shown = std::min(view.count, all);
  Document document = titled(view.exercise);
  for (int i = 0; i < shown; ++i) {
    document.parts.add(
        Section{fmt::format("Hint {}", i + 1), "", {facts({first_paragraph(hints[i])})}});
  }
  const Span check{unbreakable("gemm-tutor check " + short_name(view.exercise)), Style::code};
  const Line next = shown < all
                        ? Line{check, {fmt::format(" · {} left", counted(all - shown, "hint"))}}
                        : Line{check,
                               {view.has_tried ? " · these are all; "
                                               : " · these are all; once a check has failed, "},
                               {unbreakable("gemm-tutor solution"), Style::code},
                               {" shows how it is done"}};
  document.parts.add(section("Next", {facts({next})}));
  return document;
}

}  // namespace gemm_tutor
