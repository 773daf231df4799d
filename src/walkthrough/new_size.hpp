// Parses a new size of the matrices and new settings of the kernel.
#pragma once

#include <string>

#include "course/settings.hpp"
#include "gemm/problem.hpp"

namespace gemm_tutor {

struct NewSize {
  Problem problem;
  Settings settings;
};

// Changes `size` by "512", "300 200 100", "300x200x100" or "BM=64 TM=4". Throws Error (usage) with
// the part that is neither a size nor a setting.
NewSize size_from(const std::string& text, NewSize size);

}  // namespace gemm_tutor
