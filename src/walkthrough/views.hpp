// What each step shows.
#pragma once

#include <string>
#include <vector>

#include "course/kernel_run.hpp"
#include "course/progress.hpp"
#include "course/question.hpp"
#include "exercise/exercise.hpp"
#include "trace/selection.hpp"
#include "view/layout.hpp"

namespace gemm_tutor {

// Minutes that a lesson takes, estimated from the length of its text and the number of its
// questions.
int estimated_minutes(const Lesson& lesson);

void add_idea(Page& page, const Lesson& lesson, const Kernel& kernel);
void add_annotated_kernel(Page& page, const Lesson& lesson, const Kernel& kernel);
// `earlier` is what was answered before; empty: nothing.
void add_question(Page& page, const Question& question, const Values& values,
                  const std::string& earlier);
// These two of a run that was planned or executed.
void add_geometry(Page& page, const KernelRun& run);
void add_memory(Page& page, const KernelRun& run);
// With its first requests of memory, drawn below the lines.
void add_counts(Page& page, const KernelRun& run, const std::vector<SelectedLine>& requests);
// What `gemm-tutor trace` prints of it.
void add_trace_of(Page& page, const Trace& trace);

// A question, what was answered, and what was counted.
struct CheckedPrediction {
  const Question& question;
  Values values;       // before the run
  std::string answer;  // as typed, or the choice's text; empty: none
  Checked checked;
  Problem counted_at;
};
void add_comparison(Page& page, const std::vector<CheckedPrediction>& predictions,
                    const Problem& problem);

void add_changes(Page& page, const Lesson& lesson, const Kernel& kernel);
void add_recap(Page& page, const Lesson& lesson, const LessonProgress& progress);

// The end of the course: what was learnt, the learner's own ladder, where to go on.
void add_finish(Page& page, const Progress& progress);

// What the exercise asks, and how it is begun.
void add_exercise(Page& page, const Exercise& exercise);

void add_keys(Page& page);
void add_size(Page& page, const Problem& problem, const Settings& settings);

}  // namespace gemm_tutor
