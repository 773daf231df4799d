// A kernel's excerpt: what was counted beside its lines, notes and drawings below them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "course/excerpt.hpp"
#include "course/kernel_run.hpp"
#include "documents/machine_section.hpp"
#include "documents/request_costs.hpp"
#include "trace/selection.hpp"
#include "view/document.hpp"

namespace gemm_tutor {

// Beside a line: "4.0 sec/req" of global memory, "1.0 wf/req" of shared memory; one below the other
// where it has several operands.
struct LineCounts {
  std::vector<RequestCost> global, shared;  // empty where nothing was counted

  bool has_conflicts() const;
};
// One for each line of an excerpt of the run's kernel.
std::vector<LineCounts> counts_beside(const std::vector<SourceLine>& excerpt, const KernelRun& run);

// What those of a kernel say, and the note; empty where nothing was counted and there is no note.
Line counts_legend(const std::vector<LineCounts>& counts, const std::string& note = "");

// How accesses to shared memory were counted where that is not by the machine code alone; else
// empty. No sentence: without a capital and a full stop.
std::string shared_memory_note(const KernelRun& run);

// What is said of them.
inline constexpr std::string_view conflicts_legend =
    "more wavefronts than the data needs, by bank conflicts";

// The file's own line numbers; sectors per request of global memory and wavefronts per request of
// shared memory, for lines that have any; bank conflicts are marked. Below a line a drawing of its
// `requests`, or on a page its notes, and with `machine` its machine code; what counts and drawings
// mean comes last. Throws std::logic_error for a note whose code is in no line, or in several; and
// what machine_code() throws.
enum class SourceLines { all, with_counts };  // of a kernel without counts all in any case
Section source_section(const KernelRun& run, const std::vector<SelectedLine>& requests = {},
                       std::optional<MachineDetail> machine = {},
                       SourceLines shown = SourceLines::all);

// The lines without counts: each note below its line. Throws the same.
Listing annotated_listing(const std::vector<SourceLine>& excerpt, const std::string& source_file,
                          const std::vector<Note>& notes);

// The lines of a listing, numbered, with a gap where lines are left out.
std::vector<ListingLine> listing_lines(const std::vector<SourceLine>& lines);

// One line of a file: its number of `digits` characters, and no code for one that it has not.
ListingLine listing_line(const std::vector<Line>& file, int number, int digits = 4);

}  // namespace gemm_tutor
