// The reports of `lesson` and `run`: one kernel at one size.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "course/lesson.hpp"
#include "report/run_sections.hpp"
#include "view/document.hpp"

namespace gemm_tutor {

// On a terminal: a lesson's idea or its text, the source with counts, launch, traffic, work, times,
// result and the next step. As a page, which may be a handout: first what the course shows before a
// prediction (the text's beginning, the source with notes, the questions), and then the results,
// with drawings of the launch and the first memory requests, of warp 0 at its first step, if the
// run has a trace.
Document lesson_document(const LessonReport& report);
// Of a user's kernel: its command, and what is said of a lesson's run.
Document kernel_document(const KernelReport& report);

struct ReportRequest {
  RunOptions options;
  std::vector<std::string> gpus = {};  // if several, its time is estimated on each
  std::optional<MachineDetail> machine = std::nullopt;
};

// Run the kernel and make what is said of it. `run` compiles, runs and verifies it. A kernel
// without a launch, or with findings, is not estimated on several GPUs. Throw what `run` throws.
KernelReport kernel_report(const ReportRequest& request,
                           const std::function<KernelRun(const RunOptions&)>& run);
LessonReport lesson_report(const ReportRequest& request,
                           const std::function<LessonRun(const RunOptions&)>& run,
                           bool has_text = false);

// A kernel's questions, each with room for an answer; may be empty.
Section questions_section(const LessonRun& run);

// A lesson's text without the title: the part before a prediction, the section "What it asks of
// memory", and the rest. If the text has no such section, all of it is in `before`.
struct LessonParts {
  Parts before, memory, after;
};

LessonParts parts_of(const Lesson& lesson);

}  // namespace gemm_tutor
