// What a trace cannot show: what came after a kernel failed, and accesses that are not recorded.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "trace/trace.hpp"

namespace gemm_tutor {

struct Failure {
  std::vector<emulator::Finding> findings;  // none: the kernel did not fail
  bool stopped = false;                     // the emulator, by one of them
  std::string reached;  // a sentence: what the warp had done before; empty where nothing failed
};

// Of a warp, or of all that the block has.
Failure failure_of(const Trace& trace, std::optional<int> warp);

// "atomic additions (line 5), local memory (lines 3, 4)": what the kernel may do to memory that
// is not among the trace's accesses, a second launch included. Empty for nothing.
std::string not_recorded(const Trace& trace);
std::string not_recorded(const Trace& trace, int line);  // "atomic additions"

}  // namespace gemm_tutor
