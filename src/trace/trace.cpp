#include "trace/trace.hpp"

#include <fmt/format.h>

#include "gemm/matrices.hpp"
#include "support/error.hpp"

namespace gemm_tutor {

namespace {

RunOptions on_emulator(const RunOptions& options) {
  RunOptions result = options;
  result.backend = Backend::emulator;
  return result;
}

}  // namespace

Trace trace_kernel(const KernelSource& source, const RunOptions& options) {
  check_size(options.problem);
  return {trace_cuda(prepare(source, on_emulator(options)), options), {}};
}

Trace trace_kernel(const PreparedLessonKernel& kernel, const RunOptions& options) {
  return {trace_cuda(*kernel.cuda, options), kernel};
}

Trace trace_kernel(const Lesson& lesson, const Kernel& kernel, const Settings& settings,
                   const RunOptions& options) {
  if (!kernel.is_cuda()) {
    throw Error(ExitStatus::usage,
                fmt::format("{} has no warps to trace: it {}", lesson.name(),
                            kernel.from_library ? "calls a library" : "runs on the CPU"),
                "Trace a kernel in CUDA C++, as in 'gemm-tutor trace 1'.");
  }
  return trace_kernel(prepare_kernel(lesson, kernel, settings, on_emulator(options)), options);
}

std::optional<Trace> trace_of(const KernelRun& run) {
  return run.trace ? std::optional(Trace{*run.trace, run}) : std::nullopt;
}

}  // namespace gemm_tutor
