// The kernel's excerpt, with what was counted beside each line or notes below it, and a "…" where
// lines are left out. Code is never cut: a line that is too long goes on below, indented.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "course/excerpt.hpp"
#include "course/kernel_run.hpp"
#include "trace/selection.hpp"
#include "view/layout.hpp"

namespace gemm_tutor {

// Beside a line: "4.0 sec/req" of global memory, "1.0 wf/req" of shared memory.
struct LineCounts {
  std::string global, shared;  // empty where nothing was counted
  bool has_conflicts = false;
};
// One for each line of the run's excerpt.
std::vector<LineCounts> counts_beside(const KernelRun& run);

// What is said of them.
inline constexpr std::string_view conflicts_legend =
    "more wavefronts than the data needs, by bank conflicts";
inline constexpr std::string_view ptx_legend =
    "as written in PTX: the assembler may join loads from shared memory";

// The place of the only line that holds the note's code. Throws std::logic_error where none does,
// or several do.
std::size_t noted_line(const std::vector<SourceLine>& lines, const Note& note);

// The file's own line numbers; sectors a request of global memory and wavefronts a request of
// shared memory, for lines that have any, in columns at the right; bank conflicts are marked.
// Counts with no room beside their line stand on a line of their own. Below it a drawing of its
// `requests`; what counts and drawings mean is said at the end.
void add_source(Page& page, const KernelRun& run, const std::vector<SelectedLine>& requests = {});

// The same without counts: each note stands below its line. `source_file` names what the lines are
// of. Throws std::logic_error for a note whose code stands in no line, or in several.
void add_annotated_source(Page& page, const std::vector<SourceLine>& excerpt,
                          std::string_view source_file, const std::vector<Note>& notes);

// One line of code, with `number` and a mark (or nothing) in the gutter.
void add_code(Page& page, const std::string& number, const Span& mark, const Line& code,
              const Line& right = {});

}  // namespace gemm_tutor
