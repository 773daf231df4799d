// The fastest of many configurations within a budget of time. What is measured, and how, is the
// caller's: the search knows neither a GPU nor a compiler.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "course/settings.hpp"
#include "estimate/estimate.hpp"
#include "support/activity.hpp"

namespace gemm_tutor {

struct Measurement {
  double median_ms = 0;
  std::optional<double> cublas_median_ms;  // beside it
};

// What the search asks of a machine. An Error that one of these throws is the reason why its
// configuration cannot win; anything else ends the search, Interrupted without loss.
struct Trials {
  // What may be done ahead, such as compiling. Called once for each configuration before it is
  // measured, from several threads at a time.
  std::function<void(const Settings&)> prepare;
  // From one thread. That the result is right is checked before a first time counts.
  std::function<Measurement(const Settings&)> measure;
  // It is not measured again: what was prepared may go. From the same thread; may be null.
  std::function<void(const Settings&)> release = nullptr;
};

// How long a configuration takes, if that can be estimated: from several threads at a time. An
// Error that it throws is the reason why the configuration cannot win.
using Estimator = std::function<std::optional<Estimate>(const Settings&)>;

// A configuration, and what became of it.
struct Candidate {
  Settings settings;
  std::optional<Estimate> estimate;  // nothing where there is none
  bool is_default = false;           // the kernel's settings where nothing was tuned
  std::vector<Measurement> measurements;
  bool in_final = false;  // measured again, alternating with the others of the best
  std::string failure;    // why it cannot win; empty: it can

  bool measured() const { return !measurements.empty() && failure.empty(); }
  bool estimated() const { return estimate && estimate->is_reliable(); }
  double median_ms() const;  // of the measurements' medians; there must be one
  // Of the percentages beside each; nothing where cuBLAS was not there.
  std::optional<double> percent_of_cublas() const;
};

struct SearchRequest {
  double budget = 120;              // seconds
  int threads = 1;                  // that prepare
  std::function<double()> seconds;  // the clock: since some moment
  // Before each measurement: how many configurations are done, how many there are, and the best so
  // far, if there is one.
  std::function<void(int done, int all, const Candidate* best)> progress = nullptr;
};

struct SearchResult {
  // The finalists, fastest first; the others that were measured; those that failed; and those that
  // were not measured, best estimate first. Equal times are in the order of their estimates.
  std::vector<Candidate> candidates;
  bool interrupted = false;
  bool out_of_time = false;  // not all were measured within the budget
  double seconds = 0;

  const Candidate* winner() const;  // null where none was measured
  int count_measured() const;
};

// Estimates each of the configurations and the default ones, without those given twice: best
// estimate first, then those without a reliable one, last those that fail. Where `activity` is
// asked to stop, the others are not estimated.
std::vector<Candidate> ranked(const std::vector<Settings>& configurations, const Settings& own,
                              const Estimator& estimator, int threads,
                              Activity* activity = nullptr);

// Measures within the budget, the default first and then in the order that is given; the last fifth
// of the budget is for the best few, which are measured again, alternating, so that no passing
// disturbance chooses among them. Where `activity` is asked to stop, or Trials throws Interrupted,
// the result has what is known until then.
SearchResult search(std::vector<Candidate> candidates, const SearchRequest& request,
                    const Trials& trials, Activity* activity = nullptr);

}  // namespace gemm_tutor
