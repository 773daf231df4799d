// The trace of a lesson's kernel or of a user's kernel.
#pragma once

#include <optional>

#include "course/kernel_run.hpp"
#include "course/lesson.hpp"
#include "run/block_trace.hpp"

namespace gemm_tutor {

struct Trace : BlockTrace, LessonKernel {};

// Runs the block of options.trace on the emulator, with any backend. Throws the errors of
// run_kernel(), and Error (usage) if the grid has no such block or the kernel is not CUDA C++.
// Faults of the kernel are not an Error, but findings of the result.
Trace trace_kernel(const Lesson& lesson, const Kernel& kernel, const Settings& settings,
                   const RunOptions& options);
Trace trace_kernel(const KernelSource& kernel, const RunOptions& options);

// The same for a prepared kernel, which must be CUDA C++.
Trace trace_kernel(const PreparedLessonKernel& kernel, const RunOptions& options);

// Returns the trace of a run; nothing if it has none.
std::optional<Trace> trace_of(const KernelRun& run);

}  // namespace gemm_tutor
