// A ladder as a table with bars, as JSON and as CSV.
#pragma once

#include <string>

#include "course/ladder.hpp"
#include "view/style.hpp"

namespace gemm_tutor {

std::string compare_text(const Ladder& ladder, const Terminal& terminal);

// A sentence: which kernels the ladder is without, and why. Empty where it has all.
std::string left_out_text(const Ladder& ladder);

// {"device", "driver", "date", "clocks", "runs": […]}: one object of lesson_json's shape a run; and
// "left_out", with the names of kernels for newer GPUs, where there are any.
std::string compare_json(const Ladder& ladder);

// One line a run, with a header; numbers as JSON has them, empty where they do not apply.
std::string compare_csv(const Ladder& ladder);

}  // namespace gemm_tutor
