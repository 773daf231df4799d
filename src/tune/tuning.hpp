// The tuning of a lesson's kernel for a GPU and a problem: what is tried and how, and the result
// with the counts that explain it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "course/lesson.hpp"
#include "course/lesson_run.hpp"
#include "course/settings.hpp"
#include "course/tuning_file.hpp"
#include "simt/estimate.hpp"
#include "simt/gpu_spec.hpp"
#include "support/activity.hpp"

namespace gemm_tutor {

// Searches for the fastest of many configurations. The caller estimates and measures: the search
// knows neither GPU nor compiler.
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

// Returns the first kernel of `lessons` that can be tuned, because it has configurations. Throws
// Error (unavailable) if there is none.
LessonKernel find_tunable(const std::vector<Lesson>& lessons);

// Returns the problem at which a configuration is checked before it is timed: a few tiles in each
// direction, with partial tiles at the edges. If possible it has the alignment of `problem`, so
// that the same variant of the kernel is checked and timed.
Problem problem_with_edges(const LaunchShape& shape, const Problem& problem);

// Estimates a configuration without a GPU: compiles it, runs one block of each class of the grid
// on the emulator, and estimates the time at `problem` from the counts. An estimate is nothing if
// the compiler makes no machine code. It fails if the configuration does not compile, cannot be
// launched or accesses memory out of bounds. The kernel must outlive the trials.
Trials estimates_of(const LessonKernel& tunable, const simt::GpuSpec& gpu, const Problem& problem);

// The same, and measures on this machine's GPU. First it checks the configuration: at the size with
// edges on the emulator, which finds races and accesses out of bounds, and on the GPU, and all of C
// at `problem`. The time is taken together with cuBLAS's. Throws Error (unavailable) without a GPU,
// or if the matrices do not fit; and Interrupted. `activity` must outlive the trials.
Trials trials_on_gpu(const LessonKernel& tunable, const simt::GpuSpec& gpu, const Problem& problem,
                     Activity* activity = nullptr);

// A compared candidate with the emulator's counts.
struct Counted {
  std::string role;  // "winner", "runner-up"; by estimate "best estimate", "next"; "default"
  LessonRun run;
};

struct Tuning {
  LessonKernel tunable;
  Problem problem;
  simt::GpuSpec gpu = {};
  bool measured = false;  // on that GPU; otherwise candidates are ranked by estimates
  std::string date = {};  // "2026-11-21"
  double budget = 0;      // seconds
  SearchResult result = {};
  std::vector<Counted> counted = {};  // best first; empty if it was interrupted
  TuningFileChange stored = {};  // where the winner is, or why it is not; empty if there is none

  // The candidates with a time, measured or else estimated, fastest first.
  std::vector<const Candidate*> ranking() const;
};

// Counts the best candidate, the default and the runner-up on the emulator, each once. It runs some
// blocks of `problem` and scales the counts. Empty if there are no results. Throws Interrupted.
std::vector<Counted> count_best(const Tuning& tuning, Activity* activity);

}  // namespace gemm_tutor
