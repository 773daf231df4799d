// Joins findings that come from one cause, so that a report says each cause once.
#pragma once

#include <vector>

#include "emulator/finding.hpp"

namespace gemm_tutor::emulator {

// Returns one finding for each cause: the first one, with the lines and the counts of all. One
// cause have the findings of one edge; races that one barrier would order; and faults of the same
// kind with the same array, or at barriers.
std::vector<Finding> one_per_cause(const std::vector<Finding>& findings);

}  // namespace gemm_tutor::emulator
