// The comparison of lessons as a document, as JSON and as CSV.
#pragma once

#include <string>

#include "course/ladder.hpp"
#include "view/document.hpp"

namespace gemm_tutor {

// For each size the times, with bars; the roofline at the last size; and the emulator's counts.
Document compare_document(const Ladder& ladder);

// {"device", "driver", "date", "clocks", "runs": […]} with one object of lesson_json() per run. If
// kernels need newer GPUs, "left_out" has their names.
std::string compare_json(const Ladder& ladder);

// A header and one line per run. Numbers are those of the JSON; fields that do not apply are empty.
std::string compare_csv(const Ladder& ladder);

}  // namespace gemm_tutor
