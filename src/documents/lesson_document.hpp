// The report of `lesson` and `run`: one kernel at one size.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "course/lesson.hpp"
#include "documents/run_sections.hpp"
#include "view/document.hpp"

namespace gemm_tutor {

// On a terminal: a lesson's idea or its text, the source with counts, launch, traffic, work, times,
// result and the next step. As a page, which may be a handout: first what the course shows before a
// prediction (the text's beginning, the source with notes, the questions), and then the results,
// with drawings of the launch and the first memory requests, of warp 0 at its first step, if the
// run has a trace.
Document lesson_document(const LessonReport& report);

struct ReportRequest {
  RunOptions options;
  std::function<KernelRun(const RunOptions&)> run;  // compiles, runs and verifies the kernel
  std::vector<std::string> gpus = {};               // if several, its time is estimated on each
  std::optional<MachineDetail> machine = std::nullopt;
  bool has_text = false;
};

// Runs the kernel and makes what is said of it. A kernel without a launch, or with findings, is
// not estimated on several GPUs. Throws what `run` throws.
LessonReport report_of(const ReportRequest& request);

// A kernel's questions, each with room for an answer; may be empty.
Section questions_section(const KernelRun& run);

// A lesson's text without the title: the part before a prediction, the section "What it asks of
// memory", and the rest. If the text has no such section, all of it is in `before`.
struct LessonParts {
  Parts before, memory, after;
};

LessonParts parts_of(const Lesson& lesson);

}  // namespace gemm_tutor
