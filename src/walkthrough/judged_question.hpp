// An answered question, compared with the count.
#pragma once

#include <string>

#include "course/progress.hpp"
#include "course/question.hpp"
#include "walkthrough/lesson_runs.hpp"

namespace gemm_tutor {

struct JudgedQuestion {
  const Question* question = nullptr;
  Values values;       // before the run
  std::string answer;  // as typed, with its value if it is a formula; a choice's text
  Checked checked;
  Problem counted_at;
};

// Call after runs.count(question).
JudgedQuestion judge(const Question& question, const std::string& typed, const LessonRuns& runs);

}  // namespace gemm_tutor
