// A trace as a page: a block's accesses to memory beside its source, who loads what, and one
// thread's story.
#pragma once

#include <string>

#include "trace/selection.hpp"
#include "trace/trace.hpp"

namespace gemm_tutor {

// What the page shows at first, and without a script.
struct TraceView {
  Selection selection;
  int thread = 0;                 // whose story is told
  std::int64_t step_along_k = 0;  // of that story, and of who loads what
};

// Throws Error (usage) for a selection, thread or step that there is not.
std::string trace_html(const Trace& trace, const TraceView& view);

}  // namespace gemm_tutor
