// What a trace does not show: accesses after the kernel failed, and accesses that are not recorded.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "course/lesson_run.hpp"

namespace gemm_tutor {

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
