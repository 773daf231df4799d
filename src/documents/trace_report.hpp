// The report of `trace`: a warp's memory requests, drawn below their source lines.
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

// "Trace of lesson 3" with the title "A tile in shared memory". For a file, its name, with the
// folder unless `is_public` is set, because public files must not show the learner's folders.
Document titled(const Trace& trace, bool is_public = false);

// For a trace without all accesses.
inline constexpr std::string_view last_steps_missing =
    "There were more accesses than are kept: of some instructions the last steps are missing.";

// Findings come first. A request to global memory is drawn as the lanes in each sector, one row per
// 128-byte line; a request to shared memory as the lanes in each bank, one row per pass.
Document trace_document(const TraceReport& report);
// The same without the heading and without commands.
Parts trace_parts(const TraceReport& report);
// The command for the same trace of a lesson's kernel: "gemm-tutor trace 3 --size 512 --block 1,2".
std::string trace_command(const Trace& trace);
// The kernel with its block, and the text `what`.
Fact place_of(const Trace& trace, const std::string& what);
// Findings, and what the kernel had done before; empty if it did not fail.
Section failure_section(const Failure& failure);
// The line "Not drawn: …"; no line if `what` is empty.
Facts not_recorded_facts(const std::string& what);
std::string trace_json(const TraceReport& report);

}  // namespace gemm_tutor
