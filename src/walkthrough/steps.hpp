// The steps that a lesson is walked through in.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "course/lesson.hpp"

namespace gemm_tutor {

// Those before the run tell nothing that a prediction asks for.
enum class Step { idea, source, change, predict, run, traffic, why, recap, finish };

std::string_view name_of(Step step);  // "idea"

// A place to stop at: there is one for each question.
struct Stop {
  Step step;
  std::size_t question = 0;  // of the kernel's, at Step::predict and Step::why

  bool asks() const { return step == Step::predict || step == Step::why; }
  bool operator==(const Stop&) const = default;
};

// Those of a lesson with one of its kernels, in order. A kernel that changes another shows what
// changed instead of its source. Without questions, where the learner wants none; the last lesson's
// end with Step::finish.
std::vector<Stop> stops_of(const Lesson& lesson, const Kernel& kernel, bool asks);

// "run"; of one question of several "predict 2": what the progress file calls the place.
std::string name_at(const std::vector<Stop>& stops, std::size_t place);

// The place in `stops` of that name; of a step's name the first, and 0 where there is none.
std::size_t stop_named(const std::vector<Stop>& stops, std::string_view name);

}  // namespace gemm_tutor
