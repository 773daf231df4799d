// Is an exercise solved? Its kernel is compiled, run on the emulator at several sizes, and held
// against the exercise's goals.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compile/compiler.hpp"
#include "course/kernel_run.hpp"
#include "emulator/emulator.hpp"
#include "exercise/diagnosis.hpp"
#include "exercise/exercise.hpp"
#include "gemm/verification.hpp"
#include "support/activity.hpp"

namespace gemm_tutor {

// What is checked, in this order.
enum class Stage { compile, result, safety, traffic };
std::string_view name_of(Stage stage);  // "compile", "result", …

struct SizeCheck {
  Problem problem;
  Verification verification;
};

// A line's part of what a goal counts.
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
  std::vector<LineShare> lines;  // those with the most of it, largest first; none where it is met

  bool missed() const { return is_judged && !met; }
};

// A thread of the launch.
struct ThreadOfGrid {
  Dim3 block = {0, 0, 0}, thread = {0, 0, 0};
};

struct CheckReport {
  const Exercise* exercise = nullptr;
  std::string file_name;        // as the learner knows it
  std::string source;           // what it holds
  std::optional<Stage> failed;  // the first that did; nothing when the exercise is solved

  std::string compile_error, compile_help;  // with the learner's own file and line
  // What follows is filled in once it compiles.
  std::vector<CompilerWarning> warnings;  // each once, whatever the sizes
  std::vector<SizeCheck> sizes;           // the exercise's, in its order
  std::optional<Diagnosis> diagnosis;     // of the first of them that is wrong
  std::optional<ThreadOfGrid> wrong_by;   // that stored its first wrong element, where it is known
  std::vector<emulator::Finding> findings;  // of all sizes, the first of each kind at each line
  std::string cause;  // what is wrong, and what is right in its place, where it was found
  std::string place;  // where that is, and what of the values is known, without what is right
  std::vector<GoalCheck> goals;     // once result and safety are as they should be
  std::vector<int> untouched_gaps;  // as exercise.hpp has them
  // Where times are asked for: the emulator's run at a size that fills a GPU, of a kernel that
  // solves its exercise, and of one to make faster whose result is right.
  std::optional<KernelRun> timed;
  std::optional<KernelRun> reference;   // the same of the solution, once the exercise is solved
  std::uint64_t warp_instructions = 0;  // executed at all sizes and for all goals
  std::string gpu;                      // that ran it as well; empty: none did

  bool solved() const { return !failed; }
};

struct CheckOptions {
  // With Backend::gpu the kernel also runs there at every size, once the emulator found it sound.
  Backend backend = Backend::emulator;
  int threads = 0;        // of the emulator; 0: all cores
  bool estimate = false;  // the kernel's time, and the solution's beside it
  int most_trials = 100;  // changes that are tried to find out what is wrong
  Activity* activity = nullptr;
};

// Throws Error (unavailable) for what this machine cannot do; and Interrupted. What is wrong with
// the learner's kernel is no error.
CheckReport check_exercise(const Exercise& exercise, const std::string& source,
                           const std::string& file_name, const CheckOptions& options);

}  // namespace gemm_tutor
