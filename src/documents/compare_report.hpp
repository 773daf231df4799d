// The lessons side by side: as a document, as JSON and as CSV.
#pragma once

#include <string>

#include "course/ladder.hpp"
#include "view/document.hpp"

namespace gemm_tutor {

// For each size the times, with bars; the roofline at the last; what the emulator counted.
Document compare_document(const Ladder& ladder);

// {"device", "driver", "date", "clocks", "runs": […]}: one object of lesson_json's shape a run; and
// "left_out", with the names of kernels for newer GPUs, where there are any.
std::string compare_json(const Ladder& ladder);

// One line a run, with a header; numbers as JSON has them, empty where they do not apply.
std::string compare_csv(const Ladder& ladder);

}  // namespace gemm_tutor
