// Traces that several tests look at.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "course/lesson.hpp"
#include "course/lesson_run.hpp"
#include "run/stream_k_schedule.hpp"

namespace gemm_tutor {

inline RunOptions options_of(const Problem& problem, const simt::Dim3& block) {
  RunOptions options;
  options.problem = problem;
  options.gpu = "h200";
  options.trace = TraceRequest{.block = block};
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
                          const simt::Dim3& block) {
  return trace_kernel(lesson, kernel, kernel.settings, options_of(problem, block));
}

inline Trace lesson_trace(const std::string& lesson, const std::string& kernel,
                          const Problem& problem, const simt::Dim3& block) {
  return lesson_trace(find_lesson(lesson), find_kernel(find_lesson(lesson), kernel), problem,
                      block);
}

// With as many blocks as tiles, of a kernel whose blocks share them: each then has a tile of its
// own.
inline Settings a_tile_for_each_block(const Kernel& kernel, const Problem& problem) {
  Settings settings = kernel.settings;
  const LaunchShape shape = kernel.shape(settings);
  if (shape.stream_k) {
    settings.set("BLOCKS", static_cast<int>(StreamKSchedule(shape, problem).tiles()));
  }
  return settings;
}

// Of a block that computes one tile alone: it is in the midst of the grid of three by three tiles
// or more, and somewhere in a grid of one row.
inline Trace trace_of_tile(const Lesson& lesson, const Kernel& kernel, const Problem& problem) {
  const Settings settings = a_tile_for_each_block(kernel, problem);
  const simt::Dim3 block =
      kernel.shape(settings).stream_k ? simt::Dim3{3, 0, 0} : simt::Dim3{1, 2, 0};
  return trace_kernel(lesson, kernel, settings, options_of(problem, block));
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
