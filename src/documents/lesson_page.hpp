// A lesson as a page, to read and to print: the handout of a class.
#pragma once

#include <optional>
#include <string>

#include "documents/lesson_report.hpp"
#include "trace/trace.hpp"

namespace gemm_tutor {

// A run of a lesson's kernel: what the course shows before a prediction (the text's beginning, the
// source with notes, the questions), and then what tells whether it was right (the rest of the
// text, the launch and the first requests of memory drawn, what was counted, the times, the
// result). A box at the top hides the second, and the counts beside the source. `trace` is of the
// same kernel at the same size, of which warp 0 is drawn at its first step; none for a kernel that
// is not CUDA C++. Without a script; the same run and trace give the same bytes.
std::string lesson_html(const LessonReport& report, const std::optional<Trace>& trace);

}  // namespace gemm_tutor
