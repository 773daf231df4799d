// The report of `tune`: a line of progress, the ranked table, and the reason why the winner wins.
#pragma once

#include <string>

#include "tune/tuning.hpp"
#include "view/document.hpp"

namespace gemm_tutor {

// "12 of 80 · best so far 2.61 ms, 79 % of peak, 103 % of cuBLAS".
std::string tune_progress_text(const Tuning& tuning, int done, int all, const Candidate* best);

Document tune_document(const Tuning& tuning);

// {"kernel", "problem", "device", "measured", "configurations": […], "why": […], …}. A
// configuration has an "estimate" from estimate_json() and, if it was measured, a "median_ms" and
// a "percent_of_peak".
std::string tune_json(const Tuning& tuning);

}  // namespace gemm_tutor
