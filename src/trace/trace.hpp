// What the warps of one block did to memory, of a kernel of a lesson or of the user's own.
#pragma once

#include <optional>

#include "course/kernel_run.hpp"
#include "course/lesson.hpp"
#include "run/block_trace.hpp"

namespace gemm_tutor {

struct Trace : BlockTrace {
  const Lesson* lesson = nullptr;  // null for a kernel of the user's own, like the next
  const Kernel* kernel = nullptr;
  Settings settings = {};
};

// Runs the block that options.trace names on the emulator, for any backend. Throws Error for
// what run_kernel() does, and (usage) for a block that the grid does not have and for a kernel that
// is not CUDA C++. A kernel with faults is no Error: they are findings of the result, and the
// accesses are those before and after them.
Trace trace_kernel(const Lesson& lesson, const Kernel& kernel, const Settings& settings,
                   const RunOptions& options);
Trace trace_kernel(const KernelSource& kernel, const RunOptions& options);

// The same of a kernel that is prepared, which is CUDA C++.
Trace trace_kernel(const LessonKernel& kernel, const RunOptions& options);

// Of a run that was asked for one; nothing where there was none to make.
std::optional<Trace> trace_of(const KernelRun& run);

}  // namespace gemm_tutor
