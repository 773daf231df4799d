// A trace as a page: a block's memory accesses with its source, who loads what, and one thread's
// story.
#pragma once

#include <string>

#include "documents/trace_report.hpp"
#include "trace/selection.hpp"

namespace gemm_tutor {

// What the page shows at first, and without JavaScript.
struct TraceView {
  Selection selection;
  int thread = 0;                 // the thread of the story
  std::int64_t step_along_k = 0;  // of the story, and of who loads what
};

// Throws Error (usage) if there is no such selection, thread or step.
std::string trace_html(const TracedKernel& traced, const TraceView& view);

}  // namespace gemm_tutor
