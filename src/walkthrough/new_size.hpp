// What is typed to change the size of the matrices, and the kernel's tile.
#pragma once

#include <string>

#include "course/settings.hpp"
#include "gemm/problem.hpp"

namespace gemm_tutor {

struct NewSize {
  Problem problem;
  Settings settings;
};

// "512", "300 200 100", "300x200x100", "BM=64 TM=4" over what there is. Throws Error (usage) that
// says what of it is no size and no setting.
NewSize size_from(const std::string& text, NewSize size);

}  // namespace gemm_tutor
