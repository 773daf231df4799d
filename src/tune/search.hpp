// Searches for the fastest of many configurations within a time budget. The caller measures: the
// search knows neither GPU nor compiler.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "course/settings.hpp"
#include "simt/estimate.hpp"
#include "support/activity.hpp"

namespace gemm_tutor {

struct Measurement {
  double median_ms = 0;
  std::optional<double> cublas_median_ms;  // measured alternately with it
};

// The functions that the search calls. If one throws Error, its configuration cannot win, and the
// Error is the reason. Other exceptions end the search. Interrupted keeps the results.
struct Trials {
  // Prepares a configuration, for example compiles it. Called once per configuration before it is
  // measured, from several threads at a time.
  std::function<void(const Settings&)> prepare;
  // Measures a configuration. Called from one thread. It must check the result first.
  std::function<Measurement(const Settings&)> measure;
  // Called from the same thread when a configuration is not measured again. May be null.
  std::function<void(const Settings&)> release = nullptr;
};

// Estimates a configuration's time, if possible. Called from several threads at a time. If it
// throws Error, the configuration cannot win.
using Estimator = std::function<std::optional<Estimate>(const Settings&)>;

// A configuration and its results.
struct Candidate {
  Settings settings;
  std::optional<Estimate> estimate;
  bool is_default = false;  // the kernel's default settings
  std::vector<Measurement> measurements;
  bool in_final = false;  // measured again, alternately with the other best ones
  std::string failure;    // why it cannot win; empty if it can

  bool measured() const { return !measurements.empty() && failure.empty(); }
  bool estimated() const { return estimate && estimate->is_reliable(); }
  double median_ms() const;  // median of the measurements' medians; there must be at least one
  // Median of the measurements' percentages; nothing without cuBLAS.
  std::optional<double> percent_of_cublas() const;
};

struct SearchRequest {
  double budget = 120;              // seconds
  int threads = 1;                  // for prepare()
  std::function<double()> seconds;  // the clock
  // Called before each measurement, with the configurations that are done, their total number, and
  // the best one so far, or null.
  std::function<void(int done, int all, const Candidate* best)> progress = nullptr;
};

struct SearchResult {
  // In this order: the finalists, fastest first; others that were measured; those that failed;
  // those that were not measured, best estimate first. Equal times are in the order of their
  // estimates.
  std::vector<Candidate> candidates;
  bool interrupted = false;
  bool out_of_time = false;  // not all were measured within the budget
  double seconds = 0;

  const Candidate* winner() const;  // null if no candidate was measured
  int count_measured() const;
};

// Estimates the configurations and the default settings `own`, each once. Returns them with the
// best estimate first, then those without a reliable estimate, then those that fail. If `activity`
// is asked to stop, the remaining ones are not estimated.
std::vector<Candidate> ranked(const std::vector<Settings>& configurations, const Settings& own,
                              const Estimator& estimator, int threads,
                              Activity* activity = nullptr);

// Measures within the budget, the default first and then in the given order. In the last fifth of
// the budget the best few are measured again, alternately, so that a short disturbance does not
// decide. If `activity` is asked to stop, or Trials throws Interrupted, returns the results until
// then.
SearchResult search(std::vector<Candidate> candidates, const SearchRequest& request,
                    const Trials& trials, Activity* activity = nullptr);

}  // namespace gemm_tutor
