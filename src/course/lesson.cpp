#include "course/lesson.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>

#include "course/embedded_lessons.hpp"
#include "support/error.hpp"
#include "support/text.hpp"

namespace gemm_tutor {
namespace {

// A function on the CPU is C++, which a folder of data cannot have.
void check_functions(const Lesson& lesson) {
  for (const Kernel& kernel : lesson.kernels) {
    if (kernel.shape || kernel.cpu || kernel.from_library) continue;
    throw Error(ExitStatus::usage,
                fmt::format("{}: '{}' runs on the CPU, and has no function for that",
                            lesson.source_file, kernel.name),
                "Only lessons of the program's own can run on the CPU.");
  }
}

std::vector<Lesson> all_lessons() {
  std::vector<Lesson> result;
  for (const EmbeddedLesson& embedded : embedded_lessons()) {
    Lesson lesson = read_lesson(embedded.files, result);
    if (embedded.complete) embedded.complete(lesson);
    check_functions(lesson);
    result.push_back(std::move(lesson));
  }
  return result;
}

std::vector<Lesson>& registry() {
  static std::vector<Lesson> all = all_lessons();
  return all;
}

const Lesson& nearest(std::string_view number_or_slug, Nearest which) {
  std::vector<const Lesson*> candidates;
  for (const Lesson& lesson : lessons()) {
    const bool is_cuda = lesson.kernels.front().is_cuda();
    if (which == Nearest::any || is_cuda) candidates.push_back(&lesson);
  }
  std::string_view begin = trimmed(number_or_slug);
  if (const std::optional<LessonNumber> wanted = take_lesson_number(begin)) {
    return **std::ranges::min_element(candidates, {}, [&](const Lesson* lesson) {
      return std::pair(std::abs(std::int64_t{lesson->number.number} - wanted->number),
                       std::abs(lesson->number.letter - wanted->letter));
    });
  }
  std::vector<std::string> slugs;
  for (const Lesson* lesson : candidates) slugs.push_back(lesson->slug);
  return **std::ranges::find(candidates, nearest_name(number_or_slug, slugs), &Lesson::slug);
}

}  // namespace

KernelSource kernel_source(const Lesson& lesson, const Kernel& kernel, const Settings& settings,
                           const Problem& problem) {
  KernelSource result = kernel_source(kernel, settings, problem);
  result.source = lesson.source;
  result.file_name = lesson.source_file;
  return result;
}

const std::vector<Lesson>& lessons() { return registry(); }

void add_lesson(Lesson lesson) {
  check_functions(lesson);
  for (const Lesson& other : lessons()) {
    if (other.number != lesson.number && other.slug != lesson.slug) continue;
    throw Error(ExitStatus::usage,
                fmt::format("{}-{}: there is a lesson {} ({}) already",
                            lesson.number.in_file_name(), lesson.slug, other.number, other.slug),
                "Rename its folder: the number and the name are both its own.");
  }
  registry().push_back(std::move(lesson));
  std::ranges::sort(registry(), {}, &Lesson::number);
}

const Lesson* changed_lesson(const Lesson& lesson) {
  const auto changed = std::ranges::find_if(
      lessons(), [&](const Lesson& other) { return other.number == lesson.changes; });
  return changed == lessons().end() ? nullptr : &*changed;
}

const Lesson* lesson_before(const Lesson& lesson) {
  const auto here = std::ranges::lower_bound(lessons(), lesson.number, {}, &Lesson::number);
  return here == lessons().begin() ? nullptr : &*std::prev(here);
}

const Lesson* lesson_after(const Lesson& lesson) {
  const auto after = std::ranges::upper_bound(lessons(), lesson.number, {}, &Lesson::number);
  return after == lessons().end() ? nullptr : &*after;
}

const Lesson& find_lesson(std::string_view number_or_slug, Nearest which) {
  const std::optional<LessonNumber> number = lesson_number(number_or_slug);
  for (const Lesson& lesson : lessons()) {
    if (lesson.slug == number_or_slug || lesson.number == number) return lesson;
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
