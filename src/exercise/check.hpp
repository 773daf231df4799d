// Checks a solution of an exercise. It compiles the kernel, runs it on the emulator at several
// sizes, and compares its counts with the exercise's goals.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "course/expression.hpp"
#include "course/lesson_run.hpp"
#include "exercise/diagnosis.hpp"
#include "exercise/exercise.hpp"
#include "gemm/verification.hpp"
#include "simt/compiler.hpp"
#include "simt/emulator.hpp"
#include "support/activity.hpp"

namespace gemm_tutor {

// The stages of a check, in order.
enum class Stage { compile, result, safety, traffic };
std::string_view name_of(Stage stage);  // "compile", "result", …

struct SizeCheck {
  Problem problem;
  Verification verification;
};

// A line's share of a goal's count.
struct LineShare {
  int line = 0;
  double counted = 0;
};

struct GoalCheck {
  const Goal* goal = nullptr;
  double expected = 0;
  std::optional<double> counted;
  std::string not_counted;  // why there is no count: "global_load_requests is 0"
  bool is_judged = true;    // else this machine cannot count it, whatever the kernel does
  std::string arithmetic;   // "M·N·K·(1/BM + 1/BN) = 64·64·64·(1/32 + 1/32) = 16,384"
  bool met = false;
  bool waits = false;  // it would be met, but an earlier goal of the ladder is missed
  // If it is missed and CheckOptions::counts_ways: the share of the way from the handout's count to
  // the limit, where it is at least half of it and the handout is right. Else 0.
  double way = 0;
  std::vector<LineShare> lines;  // lines with the largest shares, largest first; empty if met

  bool missed() const { return is_judged && !met; }
};

// A thread of the launch.
struct ThreadOfGrid {
  simt::Dim3 block = {0, 0, 0}, thread = {0, 0, 0};
};

struct CheckReport {
  const Exercise* exercise = nullptr;
  std::string file_name;        // as shown to the learner
  std::string source;           // its contents
  std::optional<Stage> failed;  // the first failed stage; nothing if the exercise is solved

  std::string compile_error, compile_help;  // with the learner's file and line
  // The members below are set only if it compiles.
  std::vector<simt::CompilerWarning> warnings;  // each once
  std::vector<SizeCheck> sizes;                 // in the exercise's order
  std::optional<Diagnosis> diagnosis;           // of the first wrong size
  std::optional<ThreadOfGrid> wrong_by;  // the thread that stored its first wrong element, if known
  std::vector<simt::Finding> findings;   // of all sizes, the first of each kind per line
  std::string cause;                     // what is wrong and what would be right, if it was found
  std::string place;  // where the error is and what is known of the values, without the solution
  // If result and safety have passed: the exercise's goals, after the essential ones that are
  // missed.
  std::vector<GoalCheck> goals;
  std::vector<int> untouched_gaps;  // see exercise.hpp
  // If times are requested: the emulator's run at a size that fills a GPU, for a kernel that solves
  // its exercise, or one to make faster with a right result.
  std::optional<KernelRun> timed;
  std::optional<KernelRun> reference;   // the same for the solution, if the exercise is solved
  std::uint64_t warp_instructions = 0;  // executed at all sizes and for all goals
  std::string gpu;                      // the GPU that also ran it; may be empty

  bool solved() const { return !failed; }
};

inline constexpr std::uint64_t check_seed = 1;  // the same matrices for all learners

struct CheckOptions {
  // Of the matrices, and of the sizes that are checked beside the exercise's own.
  std::uint64_t seed = check_seed;
  // With Backend::gpu the kernel also runs there at every size, if the emulator found no errors.
  Backend backend = Backend::emulator;
  // counts_of_solution() and counts_of_handout(). If it is empty, they are counted when needed.
  Values counts = {};
  bool counts_ways = false;   // GoalCheck::way, for which the handout runs
  int threads = 0;            // of the emulator; 0 for all cores
  bool estimate = false;      // estimate the times of the kernel and the solution
  int most_trials = 100;      // the most changes to try to find the error
  bool keeps_kernels = true;  // in the compiler's cache
  Activity* activity = nullptr;
};

// The sizes that are checked beside the exercise's own: less than a tile, and several tiles along
// each of M, N and K, because with fewer, a block may cover what one before it has left out. M, N
// and K have each remainder of a division by 8; which ones meet depends on the seed. They cost
// little beside the exercise's own sizes.
std::vector<Problem> further_sizes_of(const Exercise& exercise, std::uint64_t seed);

// What the limits of the essential goals need to know of the solution's runs, by name. It depends
// on the seed.
Values counts_of_solution(const Exercise& exercise, const CheckOptions& options);

// What the handout counts for each goal, by handout_prefix and the goal's index. Empty unless the
// handout is right and safe.
Values counts_of_handout(const Exercise& exercise, const CheckOptions& options);

// Throws Error (unavailable) if this machine cannot check it, and Interrupted. A wrong kernel is
// not an Error.
CheckReport check_exercise(const Exercise& exercise, const std::string& source,
                           const std::string& file_name, const CheckOptions& options);

}  // namespace gemm_tutor
