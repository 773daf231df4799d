// The steps of a lesson in the walkthrough.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "course/lesson.hpp"

namespace gemm_tutor {

// Steps before the run do not show what a prediction asks for.
enum class Step {
  machine,
  idea,
  source,
  change,
  predict,
  run,
  traffic,
  why,
  recap,
  exercise,
  finish
};

std::string_view name_of(Step step);  // "idea"

// A stop of the walkthrough. Each question has its own.
struct Stop {
  Step step;
  std::size_t question = 0;  // the kernel's question, at Step::predict and Step::why

  bool asks() const { return step == Step::predict || step == Step::why; }
  bool operator==(const Stop&) const = default;
};

// Returns the stops of a lesson with one of its kernels, in order. A kernel that changes another
// one shows the change instead of the source. If `asks` is false, there are no questions. The first
// lesson's stops begin with Step::machine, and the last one's end with Step::finish.
std::vector<Stop> stops_of(const Lesson& lesson, const Kernel& kernel, bool asks);

// Returns the stop's name in the progress file: "run", or "predict 2" for one of several questions.
std::string name_at(const std::vector<Stop>& stops, std::size_t place);

// Returns the index of the stop with that name. For a step's name, the first stop; 0 if there is
// none.
std::size_t stop_named(const std::vector<Stop>& stops, std::string_view name);

}  // namespace gemm_tutor
