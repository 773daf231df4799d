// A kernel tuned for a GPU and a problem: what was found, and the counts that explain it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "course/kernel_run.hpp"
#include "course/lesson.hpp"
#include "model/gpu_spec.hpp"
#include "support/activity.hpp"
#include "tune/search.hpp"

namespace gemm_tutor {

// What can be tuned: a lesson's kernel that has configurations.
struct Tunable {
  const Lesson* lesson = nullptr;
  const Kernel* kernel = nullptr;
};

// The first there is among `lessons`. Throws Error (unavailable) where there is none.
Tunable find_tunable(const std::vector<Lesson>& lessons);

// One of those compared, with what the emulator counted of it.
struct Counted {
  std::string role;  // "winner", "runner-up"; by estimate "best estimate", "next"; "default"
  bool is_default = false;
  KernelRun run;
};

struct Tuning {
  Tunable tunable;
  Problem problem;
  GpuSpec gpu;
  bool measured = false;  // on that GPU; else the candidates are ranked by their estimates
  std::string date;       // "2026-11-21"
  double budget = 0;      // seconds
  SearchResult result;
  std::vector<Counted> counted;  // the best first; none where it was interrupted
  std::string stored;            // where the winner was; empty: nothing was
};

// Counts, on the emulator, what the best candidate, the default and the runner-up do to memory,
// each once: in some blocks of `problem`, scaled to all. None where nothing is known. Throws
// Interrupted.
std::vector<Counted> count_best(const Tuning& tuning, Activity* activity);

// Of the multiprocessors, how many have a block, on average until the last of them is done and if
// all blocks take as long: 0 to 1.
double busy_share(const KernelRun& run);

// What a run is like, in the numbers that decide: each is better the one way or the other.
struct Aspect {
  std::string name;  // "FFMA of all instructions"
  double best = 0, other = 0;
  bool more_is_better = true;

  double factor() const;  // how much larger the larger one is; at least 1
};

// Of two runs of the same problem, in the order in which reports list them.
std::vector<Aspect> aspects(const KernelRun& best, const KernelRun& other);

// The aspect with the largest factor of those in which `best` is better by more than a few percent;
// nothing where there is none.
std::optional<Aspect> largest_advantage(const KernelRun& best, const KernelRun& other);

}  // namespace gemm_tutor
