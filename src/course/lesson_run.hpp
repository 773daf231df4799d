// A run of a lesson's kernel at one size, with what the course knows about the kernel. Reports show
// it.
#pragma once

#include <concepts>
#include <optional>

#include "course/lesson.hpp"
#include "run/prepared_kernel.hpp"
#include "run/run.hpp"

namespace gemm_tutor {

// A comparison with the kernel of changed_lesson() at the same size, from the emulator's counts.
struct Comparison {
  const Lesson* lesson = nullptr;  // the changed lesson
  double load_floats_factor =
      0;  // its loads divided by this kernel's: 32 means 32 times fewer here
  double load_sectors_factor = 0;  // the same for sectors of global loads
  bool exact = true;               // neither count was sampled
  const char* unit = "floats";     // of the loads; "elements" if one of them has other types
};

// Sets both factors from the counts of the two kernels, and the unit of the first.
void set_factors(Comparison& comparison, const simt::Counters& before, const Types& types_before,
                 const simt::Counters& now, const Types& types);

// The traffic by the kernel's formula, in elements. Nothing without a formula, or if it has no
// value at this size.
struct PredictedTraffic {
  std::optional<std::int64_t> loads, stores;
  bool is_exact = true;  // at this size: some formulas need whole tiles of C
};

struct LessonRun : KernelRun, LessonKernel {
  PredictedTraffic predicted = {};
  std::optional<Comparison> comparison = std::nullopt;
};

// A lesson's run or that of a user's kernel, which has no more than a KernelRun.
template <typename Run>
concept AnyRun = std::derived_from<Run, KernelRun>;

// Returns the kernel compiled for the size of `options`; nothing if it is not CUDA C++. Throws
// Error if it cannot be compiled or launched, or if the problem is too large.
std::optional<PreparedKernel> prepare_kernel(const LessonKernel& kernel, const RunOptions& options);

// Executes and verifies it as prepare_kernel() prepared it for the same options. Throws Error if it
// cannot run. A wrong result is not an Error: the run's verification fails, or its emulation has
// findings.
LessonRun run_kernel(const LessonKernel& kernel, const std::optional<PreparedKernel>& prepared,
                     const RunOptions& options);

// Prepares it, and runs it likewise.
LessonRun run_kernel(const Lesson& lesson, const Kernel& kernel, const Settings& settings,
                     const RunOptions& options);

// Prepares it and counts without timing: a kernel of the CPU is not run to its end.
LessonRun count_kernel(const LessonKernel& kernel, const RunOptions& options);

// Throws Error (usage) if the kernel is not CUDA C++, and what trace_kernel() of any kernel throws.
Trace trace_kernel(const Lesson& lesson, const Kernel& kernel, const Settings& settings,
                   const RunOptions& options);

}  // namespace gemm_tutor
