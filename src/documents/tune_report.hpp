// What `tune` shows: a line while it goes on, the ranked table, and why the winner wins.
#pragma once

#include <string>

#include "tune/tuning.hpp"
#include "view/document.hpp"

namespace gemm_tutor {

// "12 of 80 · best so far 2.61 ms, 103 % of cuBLAS".
std::string tune_progress_text(int done, int all, const Candidate* best);

Document tune_document(const Tuning& tuning);

// {"kernel", "problem", "device", "measured", "configurations": […], "why": […], …}. A
// configuration has an "estimate" as estimate_json() writes it, and where it was measured a
// "median_ms".
std::string tune_json(const Tuning& tuning);

}  // namespace gemm_tutor
