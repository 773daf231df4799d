// Finds arrays of a thread that a loop of the kernel leaves: "for (int i = 0; i <= 4; ++i) a[i] =
// 0;" of float a[4]. A compiler takes it that this never happens, so its code need not show it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "source/kernel.hpp"

namespace gemm_tutor::source {

struct ArrayOverrun {
  std::string array;
  std::vector<std::int64_t> extents;
  std::int64_t index = 0;  // of the element outside, row by row
  int line = 0;            // in the text
  bool is_written = false, is_float = false;
};

// Returns the first of each array and line. Only the first and the last iterations of loops with
// known bounds are followed, and only what some thread does at some size: under an unknown
// condition nothing, except one like "row < M" of a kernel's parameter.
std::vector<ArrayOverrun> array_overruns(const Kernel& kernel, std::string_view name_expression);

}  // namespace gemm_tutor::source
