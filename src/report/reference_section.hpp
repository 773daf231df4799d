// Compares a learner's kernel with the exercise's solution: counts, estimated times and code.
#pragma once

#include <vector>

#include "course/lesson_run.hpp"
#include "exercise/check.hpp"
#include "report/json.hpp"
#include "view/document.hpp"

namespace gemm_tutor {

// Empty if the check has no reference.
Section reference_section(const CheckReport& report);

// Other ways to solve it, as changes of the reference. Empty until it is solved.
Section other_ways_section(const CheckReport& report);

// The value of the key "compared".
Json compared_json(const CheckReport& report);

// A table of the emulator's counts of several kernels.
struct NamedRun {
  Cell name;
  const KernelRun* run = nullptr;
};

Table counts_table(const std::vector<NamedRun>& runs, int kernel_columns);

}  // namespace gemm_tutor
