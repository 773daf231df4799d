// Which of a trace's accesses to look at: of one warp, by source line and step.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trace/picture.hpp"

namespace gemm_tutor {

struct Selection {
  int warp = 0;
  std::optional<int> line = std::nullopt;  // none: every line that accesses memory
  std::uint64_t step = 0;                  // the instruction's first time is 0
};

// A request, and how many others of the line and step are like it: by unrolled loops there are
// often several, which differ only in where they begin.
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

// Throws Error (usage) for a warp that the block does not have.
void check_warp(const Trace& trace, int warp);

// Those of `selection`: the costly requests of each line first, and the lines that have some; else
// in the order of the source. Empty where no line was chosen and the warp did nothing to memory.
// Throws Error (usage), which says what there is, for a warp that the block does not have, for a
// line in which the warp makes no access, and for a step that it does not reach.
std::vector<SelectedLine> select(const Trace& trace, const Selection& selection);

// By line, the requests that warp 0 of the block that the run traced makes when it executes them
// first. Empty where nothing was traced, and where the emulator stopped: the run has said all that
// is wrong.
std::vector<SelectedLine> first_requests(const KernelRun& run);

}  // namespace gemm_tutor
