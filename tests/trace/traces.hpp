// Traces that several tests look at.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "course/kernel_run.hpp"
#include "course/lesson.hpp"
#include "trace/trace.hpp"

namespace gemm_tutor {

inline TraceOptions options_of(const Problem& problem, const Dim3& block) {
  TraceOptions options;
  options.problem = problem;
  options.block = block;
  options.gpu = "h200";
  return options;
}

// Of a run beside a trace.
inline RunOptions emulated(const Problem& problem) {
  RunOptions options;
  options.problem = problem;
  options.backend = Backend::emulator;
  options.gpu = "h200";
  options.one_of_many = true;
  return options;
}

inline Trace lesson_trace(const Lesson& lesson, const Kernel& kernel, const Problem& problem,
                          const Dim3& block) {
  return trace_kernel(lesson, kernel, kernel.settings, options_of(problem, block));
}

inline Trace lesson_trace(const std::string& lesson, const std::string& kernel,
                          const Problem& problem, const Dim3& block) {
  return lesson_trace(find_lesson(lesson), find_kernel(find_lesson(lesson), kernel), problem,
                      block);
}

inline std::vector<std::pair<const Lesson*, const Kernel*>> cuda_kernels() {
  std::vector<std::pair<const Lesson*, const Kernel*>> result;
  for (const Lesson& lesson : lessons()) {
    for (const Kernel& kernel : lesson.kernels) {
      if (kernel.is_cuda()) result.emplace_back(&lesson, &kernel);
    }
  }
  return result;
}

}  // namespace gemm_tutor
