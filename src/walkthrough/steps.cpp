#include "walkthrough/steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "course/shown_code.hpp"

namespace gemm_tutor {
namespace {

constexpr std::array step_names = {"machine", "idea", "source", "change",   "predict", "run",
                                   "traffic", "why",  "recap",  "exercise", "finish"};

void add_questions(std::vector<Stop>& stops, const Kernel& kernel, Step step) {
  for (std::size_t i = 0; i < kernel.questions.size(); ++i) {
    if (kernel.questions[i].after_run == (step == Step::why)) stops.push_back({step, i});
  }
}

}  // namespace

std::string_view name_of(Step step) { return step_names.at(static_cast<std::size_t>(step)); }

std::vector<Stop> stops_of(const Lesson& lesson, const Kernel& kernel, bool asks) {
  const bool is_compared = predecessor(lesson, kernel).kernel && !kernel.from_library;
  std::vector<Stop> stops;
  if (&lesson == &lessons().front()) stops.push_back({Step::machine});
  stops.insert(stops.end(), {{Step::idea}, {is_compared ? Step::change : Step::source}});
  if (asks) add_questions(stops, kernel, Step::predict);
  stops.insert(stops.end(), {{Step::run}, {Step::traffic}});
  if (asks) add_questions(stops, kernel, Step::why);
  stops.push_back({Step::recap});
  if (!lesson.exercise.empty()) stops.push_back({Step::exercise});
  if (&lesson == &numbered_lessons().back()) stops.push_back({Step::finish});
  return stops;
}

std::string name_at(const std::vector<Stop>& stops, std::size_t place) {
  const Step step = stops[place].step;
  const std::size_t first = stop_named(stops, name_of(step));
  if (std::ranges::count(stops, step, &Stop::step) == 1) return std::string(name_of(step));
  return fmt::format("{} {}", name_of(step), place - first + 1);
}

std::size_t stop_named(const std::vector<Stop>& stops, std::string_view name) {
  for (std::size_t i = 0; i < stops.size(); ++i) {
    if (name_of(stops[i].step) == name) return i;
  }
  for (std::size_t i = 0; i < stops.size() && name.find(' ') != name.npos; ++i) {
    if (name_at(stops, i) == name) return i;
  }
  return 0;
}

}  // namespace gemm_tutor
