// The contents of each step.
#pragma once

#include <string>
#include <vector>

#include "course/lesson_run.hpp"
#include "course/progress.hpp"
#include "course/question.hpp"
#include "report/concept_diagrams.hpp"
#include "trace/selection.hpp"
#include "view/document.hpp"
#include "walkthrough/lesson_runs.hpp"
#include "walkthrough/run_pages.hpp"
#include "walkthrough/screen.hpp"

namespace gemm_tutor {

// Estimates a lesson's minutes from the length of its text and the number of its questions.
int estimated_minutes(const Lesson& lesson);

// Returns the screens of 80×24 that a page fills.
int screens(const Parts& parts);

// The first part of the lesson's text. Together with the change and the questions it fits a few
// screens of 80×24. memory_parts() has the rest.
Parts idea_parts(const DrawnKernel& drawn, const Lesson& lesson);
// The kernel with its notes, and the functions that it uses.
Parts annotated_kernel(const Lesson& lesson, const Kernel& kernel);
// The changes from the predecessor, with notes, folded to fit four screens.
Parts change_parts(const Lesson& lesson, const Kernel& kernel);

// If `explains` is true, it says how to type a number. It shows the size if that is not the run's.
Parts question_parts(const Question& question, const LessonRuns& runs, bool explains);
// `problem` is the learner's size. The count may be of another size.
Parts verdict_parts(const JudgedQuestion& judged, const Problem& problem);

// The rest of the lesson's text before what limits it.
Parts memory_parts(const LessonRun& run);
// A page for each drawing of the kernel's owners and memory requests, after trace_drawings().
std::vector<DetailPage> drawing_pages(const LessonRuns& runs);
// The machine code, with the source. Throws what machine_code() throws.
Parts machine_parts(const LessonRun& run);
// As the report of `gemm-tutor trace`, without its commands.
Parts parts_of_trace(const Trace& trace);

// With the end of the text, as far as it is about this kernel.
Parts recap_parts(const Lesson& lesson, const Kernel& kernel, const Progress& progress);

// The end of the course: what was learnt, the learner's ladder, what to do next.
Parts finish_parts(const Progress& progress);

Parts size_parts(const Problem& problem, const Settings& settings);

// The first start: introduces the course and asks about the learner.

// Stores the answers in `progress`, with the lesson to begin with. Returns false, with no change,
// if the learner left. `notice` is shown first.
bool welcome(Screen& screen, Progress& progress, const std::string& notice);

}  // namespace gemm_tutor
