// The report of `tune`: a line of progress, the ranked table, and the reason why the winner wins.
#pragma once

#include <string>
#include <string_view>

#include "report/launch_text.hpp"
#include "tune/tuning.hpp"
#include "view/document.hpp"

namespace gemm_tutor {

// "12 of 80 · best so far 2.61 ms, 79 % of peak, 103 % of cuBLAS".
std::string tune_progress_text(const Tuning& tuning, int done, int all, const Candidate* best);

// A number by which two runs of the same problem are compared.
struct Aspect {
  std::string_view name, key;  // "SMs at work"; in JSON
  double (*of)(const KernelRun& run);
  std::string (*text)(const KernelRun& run, double value);
  int better = 0;                // 1: more is better; -1: less is; 0: neither
  bool needs_occupancy = false;  // and registers, which are not always known

  bool is_known(const KernelRun& run) const { return !needs_occupancy || has_exact_occupancy(run); }
  std::string text_of(const KernelRun& run) const { return text(run, of(run)); }
};

// Returns the aspect in which `best` is better by the largest factor; null if it is better in none
// by more than a few percent.
const Aspect* largest_advantage(const KernelRun& best, const KernelRun& other);

Document tune_document(const Tuning& tuning);

// {"kernel", "problem", "device", "measured", "configurations": […], "why": […], …}. A
// configuration has an "estimate" from estimate_json() and, if it was measured, a "median_ms" and
// a "percent_of_peak".
std::string tune_json(const Tuning& tuning);

}  // namespace gemm_tutor
