// What `trace` prints: a warp's requests of memory, drawn below their source lines.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "trace/limits.hpp"
#include "trace/selection.hpp"
#include "view/layout.hpp"
#include "view/style.hpp"

namespace gemm_tutor {

struct TraceReport {
  const Trace& trace;
  Selection selection;
  const std::vector<SelectedLine>& lines;  // of that selection
};

std::string heading_of(const Trace& trace);  // "Trace of lesson 3 · A tile in shared memory"

// Of a trace that has not all accesses.
inline constexpr std::string_view last_steps_missing =
    "There were more accesses than are kept: of some instructions the last steps are missing.";

// Findings come first. A global request is drawn as the lanes in each sector, a row for each
// 128-byte line; a shared one as the lanes in each bank, a row for each pass.
std::string trace_text(const TraceReport& report, const Terminal& terminal);
// "gemm-tutor trace 3 --size 512 --block 1,2": traces that block of a lesson's kernel again.
std::string trace_command(const Trace& trace);
// The same without its heading, and without the commands that could come next.
void add_trace(Page& page, const TraceReport& report);
// The two lines above a trace: its heading with the sizes, and the kernel with the block, behind
// which stands `what` of it is shown.
void add_head(Page& page, const Trace& trace, const std::string& what);
// Findings, and how far the kernel had come; nothing where it did not fail.
void add_failure(Page& page, const Failure& failure);
// The line "Not drawn: …"; nothing for nothing.
void add_not_recorded(Page& page, const std::string& what);
std::string trace_json(const TraceReport& report);

}  // namespace gemm_tutor
