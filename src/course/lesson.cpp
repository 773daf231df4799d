#include "course/lesson.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <stdexcept>

#include "course/embedded_lessons.hpp"
#include "support/error.hpp"
#include "support/text.hpp"

namespace gemm_tutor {
namespace {

// Of a lesson.md, which starts with it: "# Title".
std::string heading(std::string_view text) {
  constexpr std::string_view mark = "# ";
  if (!text.starts_with(mark)) throw std::logic_error("a lesson.md starts with a heading");
  return std::string(text.substr(mark.size(), text.find('\n') - mark.size()));
}

Lesson complete(const EmbeddedLesson& embedded) {
  Lesson lesson = embedded.define();
  lesson.number = embedded.number;
  lesson.slug = embedded.slug;
  lesson.title = heading(embedded.text);
  lesson.text = embedded.text;
  lesson.source_file = embedded.source_file;
  lesson.source = embedded.source;
  lesson.exercise = embedded.exercise;
  lesson.exercise_terms = embedded.exercise_terms;
  lesson.exercise_terms_file =
      fmt::format("lessons/{:02}-{}/exercise.toml", lesson.number, lesson.slug);
  return lesson;
}

std::vector<Lesson> all_lessons() {
  std::vector<Lesson> result;
  for (const EmbeddedLesson& embedded : embedded_lessons()) result.push_back(complete(embedded));
  std::ranges::sort(result, {}, &Lesson::number);
  return result;
}

std::vector<Lesson>& registry() {
  static std::vector<Lesson> all = all_lessons();
  return all;
}

std::optional<int> as_number(std::string_view text) {
  int number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end ? std::optional(number) : std::nullopt;
}

// The number that it begins with: 3 of "3x" and of "3.5".
std::optional<int> leading_number(std::string_view text) {
  text = trimmed(text);
  int number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() ? std::optional(number) : std::nullopt;
}

const Lesson& nearest(std::string_view number_or_slug, Nearest which) {
  std::vector<const Lesson*> candidates;
  for (const Lesson& lesson : lessons()) {
    const bool is_cuda = lesson.kernels.front().is_cuda();
    if (which == Nearest::any || is_cuda) candidates.push_back(&lesson);
  }
  if (const std::optional<int> number = leading_number(number_or_slug)) {
    return **std::ranges::min_element(candidates, {}, [&](const Lesson* lesson) {
      return std::abs(std::int64_t{lesson->number} - *number);
    });
  }
  std::vector<std::string> slugs;
  for (const Lesson* lesson : candidates) slugs.push_back(lesson->slug);
  return **std::ranges::find(candidates, nearest_name(number_or_slug, slugs), &Lesson::slug);
}

}  // namespace

const std::vector<Lesson>& lessons() { return registry(); }

void add_lesson(Lesson lesson) {
  for (const Lesson& other : lessons()) {
    if (other.number != lesson.number && other.slug != lesson.slug) continue;
    throw Error(ExitStatus::usage,
                fmt::format("{}: there is a lesson {} ({}) already", lesson.source_file,
                            other.number, other.slug),
                "Rename its folder: the number and the name are both its own.");
  }
  registry().push_back(std::move(lesson));
  std::ranges::sort(registry(), {}, &Lesson::number);
}

const Lesson* changed_lesson(const Lesson& lesson) {
  const Lesson* changed = nullptr;
  if (lesson.changes == no_lesson) return changed;
  for (const Lesson& other : lessons()) {
    if (lesson.changes >= 0 ? other.number == lesson.changes : other.number < lesson.number) {
      changed = &other;
    }
  }
  return changed;
}

const Lesson& find_lesson(std::string_view number_or_slug, Nearest which) {
  for (const Lesson& lesson : lessons()) {
    if (lesson.slug == number_or_slug || lesson.number == as_number(number_or_slug)) return lesson;
  }
  const Lesson& near = nearest(number_or_slug, which);
  throw Error(ExitStatus::usage, fmt::format("there is no lesson '{}'", number_or_slug),
              fmt::format("The nearest is {} ({}); 'gemm-tutor list' shows them all.", near.number,
                          near.slug));
}

const Kernel& find_kernel(const Lesson& lesson, std::string_view name) {
  if (name.empty()) return lesson.kernels.front();
  std::vector<std::string> names;
  for (const Kernel& kernel : lesson.kernels) {
    if (kernel.name == name) return kernel;
    names.push_back(kernel.name);
  }
  throw Error(ExitStatus::usage, fmt::format("lesson {} has no kernel '{}'", lesson.number, name),
              fmt::format("Its kernels: {}.", join(names)));
}

}  // namespace gemm_tutor
