// The result of tuning a kernel for a GPU and a problem, with the counts that explain it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "course/kernel_run.hpp"
#include "course/lesson.hpp"
#include "course/tuning_file.hpp"
#include "simt/gpu_spec.hpp"
#include "support/activity.hpp"
#include "tune/search.hpp"

namespace gemm_tutor {

// A lesson's kernel that can be tuned, because it has configurations.
struct Tunable {
  const Lesson* lesson = nullptr;
  const Kernel* kernel = nullptr;
};

// Returns the first one of `lessons`. Throws Error (unavailable) if there is none.
Tunable find_tunable(const std::vector<Lesson>& lessons);

// A compared candidate with the emulator's counts.
struct Counted {
  std::string role;  // "winner", "runner-up"; by estimate "best estimate", "next"; "default"
  bool is_default = false;
  KernelRun run;
};

struct Tuning {
  Tunable tunable;
  Problem problem;
  GpuSpec gpu;
  bool measured = false;  // on that GPU; otherwise candidates are ranked by estimates
  std::string date;       // "2026-11-21"
  double budget = 0;      // seconds
  SearchResult result;
  std::vector<Counted> counted;  // best first; empty if it was interrupted
  TuningFileChange stored;       // where the winner is, or why it is not; empty if there is none
};

// Counts the best candidate, the default and the runner-up on the emulator, each once. It runs some
// blocks of `problem` and scales the counts. Empty if there are no results. Throws Interrupted.
std::vector<Counted> count_best(const Tuning& tuning, Activity* activity);

// Returns the average share of multiprocessors that have a block until the last block ends, if all
// blocks take the same time: 0 to 1.
double busy_share(const KernelRun& run);

// A number by which two runs are compared.
struct Aspect {
  std::string name;  // "FFMA of all instructions"
  double best = 0, other = 0;
  bool more_is_better = true;

  double factor() const;  // how much larger the larger one is; at least 1
};

// Compares two runs of the same problem. The order is that of reports.
std::vector<Aspect> aspects(const KernelRun& best, const KernelRun& other);

// Returns the aspect with the largest factor among those in which `best` is better by more than a
// few percent; nothing if there is none.
std::optional<Aspect> largest_advantage(const KernelRun& best, const KernelRun& other);

}  // namespace gemm_tutor
