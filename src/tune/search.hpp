// Searches for the fastest of many configurations. The caller estimates and measures: the search
// knows neither GPU nor compiler.
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

// A configuration and its results.
struct Candidate {
  Settings settings;
  bool is_default = false;  // the kernel's default settings
  std::optional<simt::Estimate> estimate = std::nullopt;
  std::vector<Measurement> measurements = {};
  bool in_final = false;     // measured again, alternately with the other best ones
  std::string failure = {};  // why it cannot win; empty if it can

  bool measured() const { return !measurements.empty() && failure.empty(); }
  bool estimated() const { return estimate && estimate->is_reliable(); }
  double median_ms() const;  // median of the measurements' medians; there must be at least one
  // Median of the measurements' percentages; nothing without cuBLAS.
  std::optional<double> percent_of_cublas() const;
};

// Where the times come from. If one of the functions throws Error, the configuration cannot win,
// and the Error is the reason. Other exceptions end the search. Interrupted keeps the results.
struct Trials {
  // Estimates a configuration's time, if possible. Called from several threads at a time.
  std::function<std::optional<simt::Estimate>(const Settings&)> estimate;
  // Measures a configuration. It must check the result first. Called from one thread. Null where
  // nothing can be measured: then the estimates decide.
  std::function<Measurement(const Candidate&)> measure = nullptr;
};

struct SearchRequest {
  std::vector<Settings> configurations;
  Settings own;                     // the default settings, which are tried too
  double budget = 120;              // seconds of checking and measuring
  int threads = 1;                  // for estimates
  std::function<double()> seconds;  // the clock
  // Called before each measurement, with the configurations that are done, their total number, and
  // the best one so far, or null.
  std::function<void(int done, int all, const Candidate* best)> progress = nullptr;
};

struct SearchResult {
  // In this order: the finalists, fastest first; others that were measured; those that were not,
  // best estimate first; those without a reliable estimate; those that failed. Equal times are in
  // the order of their estimates, and equal estimates in that of nearness to the default.
  std::vector<Candidate> candidates;
  bool interrupted = false;
  bool out_of_time = false;  // not all were measured within the budget
  double seconds = 0;        // of checking and measuring

  const Candidate* winner() const;  // null if no candidate was measured
  int count_measured() const;
};

// Estimates all configurations, each once. Then measures them within the budget, the default first
// and then best estimate first. In the last fifth of the budget the best few are measured again,
// alternately, so that a short disturbance does not decide. If `activity` is asked to stop, or
// Trials throws Interrupted, returns the results until then.
SearchResult search(const SearchRequest& request, Trials trials, Activity* activity = nullptr);

}  // namespace gemm_tutor
