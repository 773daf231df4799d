// Selects accesses of a trace: of one warp, by source line and step.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "course/lesson_run.hpp"
#include "trace/picture.hpp"

namespace gemm_tutor {

struct Selection {
  int warp = 0;
  std::optional<int> line = std::nullopt;  // nothing for every line that accesses memory
  std::uint64_t step = 0;                  // the instruction's execution, from 0
};

// A request, and the number of similar ones of the same line and step. Unrolled loops often have
// several, which differ only in their first address.
struct SelectedAccess {
  AccessPicture picture;
  int alike = 0;
};

struct SelectedLine {
  int line = 0;
  std::string text;  // of the source
  std::vector<SelectedAccess> accesses;

  bool is_costly() const;
};

// Throws Error (usage) if the block has no such warp.
void check_warp(const Trace& trace, int warp);

// Returns the selected requests in the order of the source, but lines with costly requests first,
// and in each line the costly requests first. Empty if no line was chosen and the warp does not
// access memory. Throws Error (usage), with the possible values, for a warp that the block does not
// have, a line without accesses of the warp, and a step that the warp does not reach.
std::vector<SelectedLine> select(const Trace& trace, const Selection& selection);

// Returns by line the requests that warp 0 of the traced block makes when it executes the line for
// the first time. Empty if nothing was traced, or if the emulator stopped.
std::vector<SelectedLine> first_requests(const KernelRun& run);

// What a trace does not show: accesses after the kernel failed, and accesses that are not recorded.
struct Failure {
  std::vector<simt::Finding> findings;  // empty if the kernel did not fail
  bool stopped = false;                 // a finding stopped the emulator
  std::string reached;  // a sentence about what the warp had done before; empty without findings
};

// For one warp, or for all of the block.
Failure failure_of(const Trace& trace, std::optional<int> warp);

// Lists the memory accesses that the trace does not have, including those of a second launch:
// "atomic additions (line 5), local memory (lines 3, 4)". Empty if there are none.
std::string not_recorded(const Trace& trace);
std::string not_recorded(const Trace& trace, int line);  // "atomic additions"

}  // namespace gemm_tutor
