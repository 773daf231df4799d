// A learner's kernel beside the solution of its exercise: what both count, how long they take, and
// where their code differs.
#pragma once

#include "documents/json.hpp"
#include "exercise/check.hpp"
#include "view/document.hpp"

namespace gemm_tutor {

// Without parts where the check has no reference.
Section reference_section(const CheckReport& report);

// The value of the key "compared".
Json compared_json(const CheckReport& report);

}  // namespace gemm_tutor
