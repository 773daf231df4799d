// A question that was answered, held against the count.
#pragma once

#include <string>

#include "course/progress.hpp"
#include "course/question.hpp"
#include "walkthrough/lesson_runs.hpp"

namespace gemm_tutor {

struct JudgedQuestion {
  const Question* question = nullptr;
  Values values;       // before the run
  std::string answer;  // as typed, with its value where it was a formula; of a choice its text
  Checked checked;
  Problem counted_at;
};

// After runs.count(question).
JudgedQuestion judge(const Question& question, const Prediction& prediction,
                     const LessonRuns& runs);

}  // namespace gemm_tutor
