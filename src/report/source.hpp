// Shows a kernel's excerpt with counts next to its lines, and notes and drawings below them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "course/lesson_run.hpp"
#include "report/machine_section.hpp"
#include "report/requests.hpp"
#include "source/excerpt.hpp"
#include "view/document.hpp"

namespace gemm_tutor {

// The counts of a line: "4.0 sec/req" for global memory, "1.0 wf/req" for shared memory, one per
// operand.
struct LineCounts {
  std::vector<RequestCost> global, shared;  // may be empty

  bool has_conflicts() const;
};
// Returns one element per line of an excerpt of the run's kernel.
std::vector<LineCounts> counts_beside(const std::vector<SourceLine>& excerpt, const KernelRun& run);

// Explains the signs of these counts that are new at this place of the course, names the lessons
// of the others, and adds the note. Empty if there are neither counts nor a note.
Line counts_legend(const std::vector<LineCounts>& counts, int place, const std::string& note = "");

// Says how accesses to shared memory were counted, if not only from the machine code; otherwise
// empty. Starts in lower case and has no full stop.
std::string shared_memory_note(const KernelRun& run);

// The lines have the file's line numbers, sectors per request to global memory, and wavefronts per
// request to shared memory; bank conflicts are marked. Below a line is its machine code with
// `machine`, otherwise a drawing of its first_requests(); on a page, its notes, too. The legend
// comes first. Throws std::logic_error for a note whose code is not in exactly one line, and what
// machine_code() throws.
enum class SourceLines { all, with_counts };  // a kernel without counts shows all lines
Section source_section(const AnyRun auto& run, std::optional<MachineDetail> machine = {},
                       SourceLines shown = SourceLines::all);

// The lines without counts, with each note below its line. Throws the same.
Listing annotated_listing(const std::vector<SourceLine>& excerpt, const std::string& source_file,
                          const std::vector<Note>& notes);

// The numbered lines of a listing, with gaps for lines that are left out.
std::vector<ListingLine> listing_lines(const std::vector<SourceLine>& lines);

// One line of a file, with a number of `digits` characters. No code if the file has no such line.
ListingLine listing_line(const std::vector<Line>& file, int number, int digits = 4);

}  // namespace gemm_tutor
