// What each step shows.
#pragma once

#include <string>
#include <vector>

#include "course/kernel_run.hpp"
#include "course/progress.hpp"
#include "course/question.hpp"
#include "documents/concept_diagrams.hpp"
#include "trace/selection.hpp"
#include "view/document.hpp"
#include "walkthrough/judged_question.hpp"
#include "walkthrough/lesson_runs.hpp"

namespace gemm_tutor {

// Minutes that a lesson takes, estimated from the length of its text and the number of its
// questions.
int estimated_minutes(const Lesson& lesson);

// Screens of 80×24 that a page takes.
int screens(const Parts& parts);

// What is shown before a kernel runs fits a few screens of 80×24: as much of the lesson's text as
// there is room for beside the change and the questions. memory_parts() has the rest.
Parts idea_parts(const DrawnKernel& drawn, const Lesson& lesson);
// The kernel with its notes, and the functions that it uses.
Parts annotated_kernel(const Lesson& lesson, const Kernel& kernel);
// What the kernel changes of its predecessor, with notes; folded as far as two screens need it.
Parts change_parts(const Lesson& lesson, const Kernel& kernel);

// `explains` how a number is typed. It says the size if that is not the run's.
Parts question_parts(const Question& question, const LessonRuns& runs, bool explains);
// `problem`: the learner's size, for which it may not have been counted.
Parts verdict_parts(const JudgedQuestion& judged, const Problem& problem);

// The lines that cost something, with the run's first requests of memory drawn below them.
Parts run_parts(const KernelRun& run, const std::vector<SelectedLine>& requests);
// Which of a lesson's kernels on the CPU is how much faster; no parts for others.
Parts order_parts(const KernelRun& run, const std::vector<KernelRun>& others);
// The learner's ladder up to this lesson's run.
Parts so_far_parts(const Lesson& lesson, const Progress& progress);
// With what is drawn of it, and of who owns what.
Parts memory_parts(const KernelRun& run, const std::optional<Trace>& owners, const Parts& drawn);
Parts drawing_parts(const KernelDrawing& drawing, const KernelRun& run, const Trace& trace);
// What its machine code is, and the source with that below the lines. Throws what machine_code()
// throws.
Parts machine_parts(const KernelRun& run);
// What `gemm-tutor trace` says of it.
Parts parts_of_trace(const Trace& trace);

Parts recap_parts(const Lesson& lesson, const Progress& progress);

// The end of the course: what was learnt, the learner's own ladder, where to go on.
Parts finish_parts(const Progress& progress);

Parts key_parts();
Parts size_parts(const Problem& problem, const Settings& settings);

}  // namespace gemm_tutor
