#include "walkthrough/steps.hpp"

#include <algorithm>
#include <array>

namespace gemm_tutor {
namespace {

constexpr std::array names = {"idea", "source",  "predict", "launch", "traffic",
                              "run",  "compare", "change",  "recap",  "finish"};

}  // namespace

std::string_view name_of(Step step) { return names.at(static_cast<std::size_t>(step)); }

Predecessor predecessor(const Lesson& lesson, const Kernel& kernel) {
  if (&kernel != &lesson.kernels.front()) return {&lesson, &lesson.kernels.front()};
  const Lesson* changed = changed_lesson(lesson);
  return {changed, changed ? &changed->kernels.front() : nullptr};
}

std::vector<Stop> stops_of(const Lesson& lesson, const Kernel& kernel, bool predicts) {
  const std::size_t questions = predicts ? kernel.questions.size() : 0;
  std::vector<Stop> stops = {{Step::idea}, {Step::source}};
  for (std::size_t i = 0; i < questions; ++i) stops.push_back({Step::predict, i});
  stops.insert(stops.end(), {{Step::launch}, {Step::traffic}, {Step::run}});
  if (questions > 0) stops.push_back({Step::compare});
  if (predecessor(lesson, kernel).kernel) stops.push_back({Step::change});
  stops.push_back({Step::recap});
  if (&lesson == &lessons().back()) stops.push_back({Step::finish});
  return stops;
}

std::size_t stop_named(const std::vector<Stop>& stops, std::string_view name) {
  const auto found =
      std::ranges::find_if(stops, [&](const Stop& stop) { return name_of(stop.step) == name; });
  return found == stops.end() ? 0 : static_cast<std::size_t>(found - stops.begin());
}

}  // namespace gemm_tutor
