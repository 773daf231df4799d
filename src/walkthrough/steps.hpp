// The steps that a lesson is walked through in.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "course/lesson.hpp"

namespace gemm_tutor {

enum class Step { idea, source, predict, launch, traffic, run, compare, change, recap, finish };

std::string_view name_of(Step step);  // "idea"; what the progress file calls it, too

// A place to stop at: there is one for each question.
struct Stop {
  Step step;
  std::size_t question = 0;  // of the kernel's, at Step::predict

  bool operator==(const Stop&) const = default;
};

// Those of a lesson with one of its kernels, in order. Without predictions, where the learner wants
// none; the last lesson's end with Step::finish.
std::vector<Stop> stops_of(const Lesson& lesson, const Kernel& kernel, bool predicts);

// The place in `stops` of the step called `name`; 0 where there is none.
std::size_t stop_named(const std::vector<Stop>& stops, std::string_view name);

// The kernel that a lesson's is compared with: the lesson's own for its further kernels, for that
// the own one of changed_lesson().
struct Predecessor {
  const Lesson* lesson = nullptr;
  const Kernel* kernel = nullptr;
};
Predecessor predecessor(const Lesson& lesson, const Kernel& kernel);

}  // namespace gemm_tutor
