// A run of a lesson's kernel at one size, with what the course knows about the kernel. Reports show
// it.
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

// A recorded time from docs/results.
struct RecordedTiming {
  std::string device, driver, date;
  double median_ms = 0, tflops = 0;
  std::optional<double> percent_of_cublas = std::nullopt;  // of the same types
  Precision precision = Precision::fp32;
};

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
void set_factors(Comparison& comparison, const emulator::Counters& before,
                 const Types& types_before, const emulator::Counters& now, const Types& types);

// The estimated time on one of several GPUs. The kernel is compiled and counted for each.
struct GpuEstimate {
  GpuSpec gpu;
  std::optional<Estimate> estimate;
};

struct KernelRun : RunResult, LessonKernel {
  // Shown lines of the source. For a lesson, shown_code() and other lines with counts. For another
  // kernel, the kernel and functions with counts.
  std::vector<SourceLine> excerpt = {};
  std::string tuning = {};  // says that a search found the settings, or why that is ignored
  std::optional<RecordedTiming> recorded = std::nullopt;
  std::optional<Comparison> comparison = std::nullopt;
  std::vector<GpuEstimate> estimates =
      {};  // if several GPUs were named, one for each, this run's first
};

// A lesson's kernel, prepared for one size.
struct PreparedLessonKernel : LessonKernel {
  std::optional<PreparedKernel> cuda = std::nullopt;  // the compiled kernel, if it is CUDA C++
};

// Throws Error if it cannot be compiled or launched, or if the problem is too large.
PreparedLessonKernel prepare_kernel(const Lesson& lesson, const Kernel& kernel,
                                    const Settings& settings, const RunOptions& options);

// Executes and verifies it. `options` must be those that it was prepared with. Throws Error if it
// cannot run. A wrong result is not an Error: the KernelRun's verification fails, or its emulation
// has findings.
KernelRun run_kernel(const PreparedLessonKernel& kernel, const RunOptions& options);

// Counts without timing: a kernel of the CPU is not run to its end.
KernelRun count_kernel(const PreparedLessonKernel& kernel, const RunOptions& options);

// Prepares it, and runs it likewise.
KernelRun run_kernel(const Lesson& lesson, const Kernel& kernel, const Settings& settings,
                     const RunOptions& options);

// Describes the run without executing it: the launch, the resources, the formula's traffic, the
// excerpt, and the backend and device (Backend::none for the library if it cannot run).
KernelRun plan_kernel(const Lesson& lesson, const Kernel& kernel, const Settings& settings,
                      const RunOptions& options);

// Runs a user's kernel, which has no lesson, no formula and no recorded time.
KernelRun run_kernel(const KernelSource& kernel, const RunOptions& options);

}  // namespace gemm_tutor
