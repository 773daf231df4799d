// Compares a learner's kernel with the exercise's solution: counts, estimated times and code.
#pragma once

#include "documents/json.hpp"
#include "exercise/check.hpp"
#include "view/document.hpp"

namespace gemm_tutor {

// Empty if the check has no reference.
Section reference_section(const CheckReport& report);

// Other ways to solve it, as changes of the reference. Empty until it is solved.
Section other_ways_section(const CheckReport& report);

// The value of the key "compared".
Json compared_json(const CheckReport& report);

}  // namespace gemm_tutor
