// One kernel at one size, from source to verdict, with what the course knows of it: what the
// reports show.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "course/excerpt.hpp"
#include "course/lesson.hpp"
#include "run/kernel_source.hpp"
#include "run/prepared_kernel.hpp"
#include "run/run.hpp"

namespace gemm_tutor {

// A time measured earlier on another machine, from docs/results.
struct RecordedTiming {
  std::string device, driver, date;
  double median_ms = 0, tflops = 0;
  std::optional<double> percent_of_cublas;
};

// Against the own kernel of changed_lesson() at the same size, from the emulator's counts of both.
struct Comparison {
  LessonNumber lesson;             // that lesson
  double load_floats_factor = 0;   // its loads over these: 32 means 32 times less here
  double load_sectors_factor = 0;  // the same for sectors of global loads
  bool exact = true;               // neither count was sampled
};

// The same kernel on one of several GPUs, compiled and counted for it.
struct GpuEstimate {
  GpuSpec gpu;
  std::optional<Estimate> estimate;
};

struct KernelRun : RunResult {
  const Lesson* lesson = nullptr;  // null for a kernel of the user's own, like the next
  const Kernel* kernel = nullptr;
  Settings settings = {};
  // Of the source: a lesson's shown_code(), and other lines with counts; of another kernel the
  // kernel and functions with counts.
  std::vector<SourceLine> excerpt = {};
  std::string tuning = {};  // that its settings are what a search found, or why that is ignored
  std::optional<RecordedTiming> recorded = std::nullopt;
  std::optional<Comparison> comparison = std::nullopt;
  std::vector<GpuEstimate> estimates =
      {};  // where several GPUs were named: of each, this run's first
};

// A kernel of a lesson, ready for all that is shown of it at one size.
struct LessonKernel {
  const Lesson* lesson = nullptr;
  const Kernel* kernel = nullptr;
  Settings settings;
  std::optional<PreparedKernel> cuda = std::nullopt;  // where it is CUDA C++: compiled
};

// Throws Error for what cannot be compiled or launched, and for a problem that is too large.
LessonKernel prepare_kernel(const Lesson& lesson, const Kernel& kernel, const Settings& settings,
                            const RunOptions& options);

// Executes and verifies it; `options` are those that it was prepared for. Throws Error for what
// cannot be done; a wrong result is no Error but a KernelRun whose verification did not pass or
// whose emulation has findings.
KernelRun run_kernel(const LessonKernel& kernel, const RunOptions& options);

// The same without executing anything: its launch, what it needs, the formula's traffic, the
// excerpt, and the backend and device it would run on (Backend::none for the library's where it
// would not). Nothing is emulated, timed or verified.
KernelRun plan_kernel(const LessonKernel& kernel, const RunOptions& options);

// Both prepare the kernel for that alone.
KernelRun run_kernel(const Lesson& lesson, const Kernel& kernel, const Settings& settings,
                     const RunOptions& options);
KernelRun plan_kernel(const Lesson& lesson, const Kernel& kernel, const Settings& settings,
                      const RunOptions& options);

// run_kernel() for a kernel of the user's own, which has no lesson, no formula and no recorded
// time.
KernelRun run_kernel(const KernelSource& kernel, const RunOptions& options);

}  // namespace gemm_tutor
