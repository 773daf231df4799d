// What `trace` says: a warp's requests of memory, drawn below their source lines.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "trace/limits.hpp"
#include "trace/selection.hpp"
#include "view/document.hpp"

namespace gemm_tutor {

struct TraceReport {
  const Trace& trace;
  Selection selection;
  const std::vector<SelectedLine>& lines;  // of that selection
};

// "Trace of lesson 3" of "A tile in shared memory"; of a file its name, with its folder unless
// `is_public`: what is handed on says nothing of the learner's own.
Document titled(const Trace& trace, bool is_public = false);

// Of a trace that has not all accesses.
inline constexpr std::string_view last_steps_missing =
    "There were more accesses than are kept: of some instructions the last steps are missing.";

// Findings come first. A global request is drawn as the lanes in each sector, a row for each
// 128-byte line; a shared one as the lanes in each bank, a row for each pass.
Document trace_document(const TraceReport& report);
// The same without its heading, and without the commands that could come next.
Parts trace_parts(const TraceReport& report);
// "gemm-tutor trace 3 --size 512 --block 1,2": traces that block of a lesson's kernel again.
std::string trace_command(const Trace& trace);
// The kernel with its block, and `what` of it is shown.
Fact place_of(const Trace& trace, const std::string& what);
// Findings, and how far the kernel had come; without parts where it did not fail.
Section failure_section(const Failure& failure);
// The line "Not drawn: …"; no line for nothing.
Facts not_recorded_facts(const std::string& what);
std::string trace_json(const TraceReport& report);

}  // namespace gemm_tutor
