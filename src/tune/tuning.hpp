// The tuning of a lesson's kernel for a GPU and a problem: what is tried and how, and the result
// with the counts that explain it.
#pragma once

#include <string>
#include <vector>

#include "course/lesson.hpp"
#include "course/lesson_run.hpp"
#include "course/tuning_file.hpp"
#include "simt/gpu_spec.hpp"
#include "support/activity.hpp"
#include "tune/search.hpp"

namespace gemm_tutor {

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
