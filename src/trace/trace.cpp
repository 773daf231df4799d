#include "trace/trace.hpp"

#include <fmt/format.h>

#include "gemm/matrices.hpp"
#include "support/error.hpp"

namespace gemm_tutor {

Trace trace_kernel(const KernelSource& source, const RunOptions& options) {
  check_size(options.problem);
  return {trace_cuda(source, options)};
}

Trace trace_kernel(const Lesson& lesson, const Kernel& kernel, const Settings& settings,
                   const RunOptions& options) {
  if (!kernel.is_cuda()) {
    throw Error(ExitStatus::usage,
                fmt::format("lesson {} has no warps to trace: it {}", lesson.number,
                            kernel.from_library ? "calls a library" : "runs on the CPU"),
                "Trace a kernel in CUDA C++, as in 'gemm-tutor trace 1'.");
  }
  check_size(options.problem);
  Trace trace = trace_kernel(kernel_source(lesson, kernel, settings, options.problem), options);
  trace.lesson = &lesson;
  trace.kernel = &kernel;
  trace.settings = settings;
  return trace;
}

std::optional<Trace> trace_of(const KernelRun& run) {
  if (!run.trace) return {};
  return Trace{*run.trace, run.lesson, run.kernel, run.settings};
}

}  // namespace gemm_tutor
