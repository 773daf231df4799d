// The report of `trace`: a warp's memory requests, drawn below their source lines.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/json.hpp"
#include "trace/selection.hpp"
#include "view/document.hpp"

namespace gemm_tutor {

// A trace with what reports call its kernel: a lesson's or a user's file.
struct TracedKernel {
  Trace trace;
  Document heading;   // "Trace of lesson 3" with the lesson's title; "Trace of own/v2.cu"
  std::string title;  // the same in one line, for files to hand on: without the learner's folders
  std::vector<SourceLine> code;  // the kernel's lines
  // The commands for the same trace and for the lesson's report, "gemm-tutor trace 3 --size 512
  // --block 1,2", and the lesson in JSON; empty for a file.
  std::string trace_command = {}, lesson_command = {};
  Json lesson = {};
};

TracedKernel traced(Trace trace);
TracedKernel traced(Trace trace, const LessonKernel& kernel);

// "Trace of lesson 3" with the title "A tile in shared memory".
Document trace_heading(const Lesson& lesson);

struct TraceReport {
  const Trace& trace;
  Selection selection;
  const std::vector<SelectedLine>& lines;  // of that selection
};

// For a trace without all accesses.
inline constexpr std::string_view last_steps_missing =
    "There were more accesses than are kept: of some instructions the last steps are missing.";

// Findings come first. A request to global memory is drawn as the lanes in each sector, one row per
// 128-byte line; a request to shared memory as the lanes in each bank, one row per pass.
Document trace_document(const TraceReport& report, const TracedKernel& traced);
// The same without the heading and without commands.
Parts trace_parts(const TraceReport& report);
// The kernel with its block, and the text `what`.
Fact place_of(const Trace& trace, const std::string& what);
// Findings, and what the kernel had done before; empty if it did not fail.
Section failure_section(const Failure& failure);
// The line "Not drawn: …"; no line if `what` is empty.
Facts not_recorded_facts(const std::string& what);
std::string trace_json(const TraceReport& report, const TracedKernel& traced);

}  // namespace gemm_tutor
