#include "course/lesson.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <tuple>
#include <utility>

#include "course/embedded_lessons.hpp"
#include "course/recorded.hpp"
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

void sort(std::vector<Lesson>& all) {
  std::ranges::sort(all, {}, [](const Lesson& lesson) {
    return std::tuple(!lesson.number, lesson.place, lesson.slug);
  });
}

std::vector<Lesson> all_lessons() {
  std::vector<Lesson> result;
  for (const EmbeddedLesson& embedded : embedded_lessons()) {
    Lesson lesson = read_lesson(embedded.files, result);
    if (embedded.complete) embedded.complete(lesson);
    check_functions(lesson);
    result.push_back(std::move(lesson));
  }
  sort(result);
  return result;
}

std::vector<Lesson>& registry() {
  static std::vector<Lesson> all = all_lessons();
  return all;
}

// What the lessons with letters were called, and where their kernels are now.
struct EarlierName {
  std::string_view name, slug;
};
constexpr EarlierName earlier_names[] = {
    {"7b", "order-of-sums"},       {"12b", "larger-tile"},         {"12c", "larger-tile"},
    {"12d", "larger-tile"},        {"12e", "bulk-copies"},         {"12f", "edges"},
    {"read-ahead", "larger-tile"}, {"longer-ring", "larger-tile"}, {"tiles-inside", "edges"}};

const Lesson& nearest(std::string_view number_or_slug, Nearest which) {
  std::vector<const Lesson*> candidates;
  for (const Lesson& lesson : lessons()) {
    const bool is_cuda = lesson.kernels.front().is_cuda();
    if (which == Nearest::any || is_cuda) candidates.push_back(&lesson);
  }
  std::string wanted = lower_case(trimmed(number_or_slug));
  const auto moved = std::ranges::find(earlier_names, wanted, &EarlierName::name);
  if (moved != std::end(earlier_names)) wanted = moved->slug;
  if (const auto number =
          number_in<std::int64_t>(wanted.substr(0, wanted.find_first_not_of("0123456789")))) {
    return **std::ranges::min_element(candidates, {}, [&](const Lesson* lesson) {
      return std::pair(!lesson->number, std::abs(lesson->place - *number));
    });
  }
  std::vector<std::string> slugs;
  for (const Lesson* lesson : candidates) slugs.push_back(lesson->slug);
  return **std::ranges::find(candidates, nearest_name(wanted, slugs), &Lesson::slug);
}

}  // namespace

std::string Lesson::key() const { return number ? number_text() : slug; }

std::string Lesson::number_text() const { return number ? std::to_string(*number) : ""; }

std::string Lesson::name() const {
  return fmt::format("{} {}", number ? "lesson" : "chapter", key());
}

std::string Lesson::file_stem() const {
  return number ? fmt::format("{:02}-{}", *number, slug) : slug;
}

std::string lesson_text(const Lesson& lesson) {
  return with_recorded_numbers(lesson.text, lesson.file_stem() + "/lesson.md");
}

KernelSource kernel_source(const Lesson& lesson, const Kernel& kernel, const Settings& settings,
                           const Problem& problem) {
  KernelSource result = kernel_source(kernel, settings, problem);
  result.source = lesson.source;
  result.file_name = lesson.source_file;
  return result;
}

const std::vector<Lesson>& lessons() { return registry(); }

std::span<const Lesson> numbered_lessons() {
  const auto has_number = [](const Lesson& lesson) { return lesson.number.has_value(); };
  return {lessons().begin(), std::ranges::find_if_not(lessons(), has_number)};
}

void add_lesson(Lesson lesson) {
  check_functions(lesson);
  for (const Lesson& other : lessons()) {
    if (other.key() != lesson.key() && other.slug != lesson.slug) continue;
    throw Error(
        ExitStatus::usage,
        fmt::format("{}: there is a {} ({}) already", lesson.file_stem(), other.name(), other.slug),
        "Rename its folder: the number and the name are both its own.");
  }
  registry().push_back(std::move(lesson));
  sort(registry());
}

const Lesson* changed_lesson(const Lesson& lesson) {
  const auto changed = std::ranges::find(lessons(), lesson.changes, &Lesson::slug);
  return changed == lessons().end() ? nullptr : &*changed;
}

const Lesson* lesson_before(const Lesson& lesson) {
  const int next = lesson.number ? lesson.place : lesson.place + 1;
  const auto here = std::ranges::lower_bound(numbered_lessons(), next, {}, &Lesson::place);
  return here == numbered_lessons().begin() ? nullptr : &*std::prev(here);
}

const Lesson* lesson_after(const Lesson& lesson) {
  const auto after = std::ranges::upper_bound(numbered_lessons(), lesson.place, {}, &Lesson::place);
  return after == numbered_lessons().end() ? nullptr : &*after;
}

const Lesson* lesson_in(std::span<const Lesson> all, std::string_view number_or_slug) {
  const auto number = number_in<int>(number_or_slug);
  const auto found = std::ranges::find_if(all, [&](const Lesson& lesson) {
    return lesson.slug == number_or_slug || (number && lesson.number == number);
  });
  return found == all.end() ? nullptr : &*found;
}

const Lesson& find_lesson(std::string_view number_or_slug, Nearest which) {
  if (const Lesson* lesson = lesson_in(lessons(), number_or_slug)) return *lesson;
  const Lesson& near = nearest(number_or_slug, which);
  throw Error(ExitStatus::usage, fmt::format("there is no lesson '{}'", number_or_slug),
              fmt::format("The nearest is {} ({}); 'gemm-tutor list' shows them all.", near.name(),
                          near.title));
}

const Kernel& find_kernel(const Lesson& lesson, std::string_view name) {
  if (name.empty()) return lesson.kernels.front();
  std::vector<std::string> names;
  for (const Kernel& kernel : lesson.kernels) {
    if (kernel.name == name) return kernel;
    names.push_back(kernel.name);
  }
  throw Error(ExitStatus::usage, fmt::format("{} has no kernel '{}'", lesson.name(), name),
              fmt::format("Its kernels: {}.", join(names)));
}

}  // namespace gemm_tutor
