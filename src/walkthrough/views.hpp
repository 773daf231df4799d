// What each step shows.
#pragma once

#include <string>
#include <vector>

#include "course/kernel_run.hpp"
#include "course/progress.hpp"
#include "course/question.hpp"
#include "exercise/exercise.hpp"
#include "trace/selection.hpp"
#include "view/document.hpp"

namespace gemm_tutor {

// Minutes that a lesson takes, estimated from the length of its text and the number of its
// questions.
int estimated_minutes(const Lesson& lesson);

Parts idea_parts(const Lesson& lesson, const Kernel& kernel);
Parts annotated_kernel(const Lesson& lesson, const Kernel& kernel);
// `earlier` is what was answered before; empty: nothing.
Parts question_parts(const Question& question, const Values& values, const std::string& earlier);
// These two of a run that was planned or executed.
Parts geometry_parts(const KernelRun& run);
Parts memory_parts(const KernelRun& run);
// With its first requests of memory, drawn below the lines.
Parts count_parts(const KernelRun& run, const std::vector<SelectedLine>& requests);
// What its machine code is, and the source with that below the lines. Throws what machine_code()
// throws.
Parts machine_parts(const KernelRun& run);
// What `gemm-tutor trace` says of it.
Parts parts_of_trace(const Trace& trace);

// A question, what was answered, and what was counted.
struct CheckedPrediction {
  const Question& question;
  Values values;       // before the run
  std::string answer;  // as typed, or the choice's text; empty: none
  Checked checked;
  Problem counted_at;
};
Parts comparison_parts(const std::vector<CheckedPrediction>& predictions, const Problem& problem);

Parts change_parts(const Lesson& lesson, const Kernel& kernel);
Parts recap_parts(const Lesson& lesson, const LessonProgress& progress);

// The end of the course: what was learnt, the learner's own ladder, where to go on.
Parts finish_parts(const Progress& progress);

// What the exercise asks, and how it is begun.
Parts exercise_parts(const Exercise& exercise);

Parts key_parts();
Parts size_parts(const Problem& problem, const Settings& settings);

}  // namespace gemm_tutor
