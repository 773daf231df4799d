// The report of `lesson` and `run`: one kernel at one size.
#pragma once

#include <optional>

#include "course/lesson.hpp"
#include "documents/run_sections.hpp"
#include "trace/trace.hpp"
#include "view/document.hpp"

namespace gemm_tutor {

// On a terminal: a lesson's idea or its text, the source with counts, launch, traffic, work, times,
// result and the next step. As a page, which may be a handout: first what the course shows before a
// prediction (the text's beginning, the source with notes, the questions), and then the results,
// with drawings of the launch and the first memory requests. `trace` is of the same kernel at the
// same size, and warp 0 is drawn at its first step. It is nothing for a kernel that is not CUDA
// C++.
Document lesson_document(const LessonReport& report, const std::optional<Trace>& trace = {});

// A kernel's questions, each with room for an answer; may be empty.
Section questions_section(const KernelRun& run);

// A lesson's text without the title: the part before a prediction, the section "What it asks of
// memory", and the rest. If the text has no such section, all of it is in `before`.
struct LessonParts {
  Parts before, memory, after;
};

LessonParts parts_of(const Lesson& lesson);

}  // namespace gemm_tutor
