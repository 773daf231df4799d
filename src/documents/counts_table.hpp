// A table of the emulator's counts of several kernels.
#pragma once

#include <vector>

#include "course/lesson_run.hpp"
#include "view/document.hpp"

namespace gemm_tutor {

struct NamedRun {
  Cell name;
  const KernelRun* run = nullptr;
};

Table counts_table(const std::vector<NamedRun>& runs, int kernel_columns);

}  // namespace gemm_tutor
