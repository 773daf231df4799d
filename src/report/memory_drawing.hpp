// The short form of a trace: a source line's memory requests, one row per kind of memory.
#pragma once

#include <string>
#include <vector>

#include "simt/emulator.hpp"
#include "trace/selection.hpp"
#include "view/document.hpp"

namespace gemm_tutor {

// The most expensive of a line's requests to a kind of memory; the first if several are equal.
struct CostliestRequest {
  const AccessPicture* picture = nullptr;  // null if the line has no counted request
  int requests = 0;                        // the line's requests to that memory
  int alike = 0;                           // those that are similar to this one, including it
};
CostliestRequest costliest_request(const SelectedLine& line, simt::MemorySpace space);

// For global memory, the touched 128-byte lines with four sectors each. For shared memory, the 32
// banks with the words requested of each. For screen readers, only words.
Picture memory_drawing(const SelectedLine& line);

// Explains the drawings of these lines: of global memory ("drawn in …"), of shared memory, and
// which requests are drawn. Each is empty if there is no such drawing.
struct DrawingLegend {
  std::string global, shared, requests;
};
DrawingLegend drawing_legend(const std::vector<SelectedLine>& lines, const Terminal& terminal);

}  // namespace gemm_tutor
