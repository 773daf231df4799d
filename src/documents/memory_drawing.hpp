// The short form of a trace: a source line's requests of memory, one row for each kind of memory.
#pragma once

#include <string>
#include <vector>

#include "emulator/trace.hpp"
#include "trace/selection.hpp"
#include "view/document.hpp"

namespace gemm_tutor {

// The costliest of a line's requests of that memory; of several, the first.
struct CostliestRequest {
  const AccessPicture* picture = nullptr;  // null where the line has none that is counted
  int requests = 0;                        // that the line makes of that memory
  int alike = 0;                           // of those, with this one
};
CostliestRequest costliest_request(const SelectedLine& line, emulator::MemorySpace space);

// Of global memory the 128-byte lines that the request touches, as four sectors each; of shared
// memory the 32 banks, with the words asked of each. Where it is read aloud, in words alone.
Picture memory_drawing(const SelectedLine& line);

// What the drawings of these lines show of global memory ("drawn in …"), of shared memory, and of
// which requests. Each is empty where nothing of it is drawn.
struct DrawingLegend {
  std::string global, shared, requests;
};
DrawingLegend drawing_legend(const std::vector<SelectedLine>& lines, const Terminal& terminal);

}  // namespace gemm_tutor
