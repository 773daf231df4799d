// What `lesson` and `run` say: one kernel at one size.
#pragma once

#include <optional>

#include "course/lesson.hpp"
#include "documents/run_sections.hpp"
#include "trace/trace.hpp"
#include "view/document.hpp"

namespace gemm_tutor {

// On a terminal: of a lesson its idea, the source with its counts, launch, traffic, work, times,
// result and the next step.
// As a page, which a class may be handed: what the course shows before a prediction (the text's
// beginning, the source with notes, the questions), and then what tells whether it was right, with
// the launch and the first requests of memory drawn. `trace` is of the same kernel at the same
// size, of which warp 0 is drawn at its first step; none for a kernel that is not CUDA C++.
Document lesson_document(const LessonReport& report, const std::optional<Trace>& trace = {});

// A kernel's questions, each with room for an answer; without parts for none.
Section questions_section(const KernelRun& run);

// Without the title: what comes before a prediction, the section "What it asks of memory", and what
// comes after it. All of it comes before where the text has no such section.
struct LessonParts {
  Parts before, memory, after;
};

LessonParts parts_of(const Lesson& lesson);

}  // namespace gemm_tutor
