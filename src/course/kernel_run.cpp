#include "course/kernel_run.hpp"

#include <cmath>

#include "course/comparison.hpp"
#include "course/recorded.hpp"
#include "course/tuning_file.hpp"
#include "gemm/matrices.hpp"
#include "run/cpu_run.hpp"
#include "run/cuda_run.hpp"
#include "run/library_run.hpp"
#include "run/target.hpp"

namespace gemm_tutor {
namespace {

// Those that the report shows a count beside.
std::vector<int> lines_with_accesses(const KernelRun& run) {
  std::vector<int> lines;
  for (const emulator::LineCounters& line : run.emulation->lines) {
    const emulator::Counters& c = line.counters;
    const bool any = c.global_load_requests + c.global_store_requests + c.shared_load_requests +
                         c.shared_store_requests >
                     0;
    if (any) lines.push_back(line.line);
  }
  return lines;
}

// Nothing at a size at which a teacher's formula divides by zero, say: what is counted is shown all
// the same.
void predict(KernelRun& run) try {
  const TrafficFormula& formula = run.kernel->traffic;
  const Values values = values_before(*run.kernel, run.settings, run.problem);
  const double loads = Expression::parse(formula.loads).value(values);
  const double stores = Expression::parse(formula.stores).value(values);
  run.traffic.predicted_loads = std::llround(loads);
  run.traffic.predicted_stores = std::llround(stores);
} catch (const Error&) {
}

// Emulated with the settings that its recorded times are for.
bool has_recorded_settings(const KernelRun& run) {
  return run.backend == Backend::emulator &&
         run.settings == untuned_settings(*run.kernel, *run.gpu, run.problem);
}

void add_recorded_time(KernelRun& run, const RunOptions& options) {
  if (run.kernel->from_library) {
    if (run.can_run_here()) return;
    run.recorded = recorded_cublas_timing(run.problem, choose_target(options).gpu.full_name);
  } else if (run.kernel->is_cuda() && has_recorded_settings(run)) {
    run.recorded = recorded_timing(run.kernel->name, run.problem, run.gpu->full_name);
  }
}

// A run of a lesson's kernel, with what the lesson says of it.
KernelRun of_lesson(RunResult&& result, const LessonKernel& of) {
  const Lesson& lesson = *of.lesson;
  const Kernel& kernel = *of.kernel;
  KernelRun run{std::move(result)};
  run.lesson = &lesson;
  run.kernel = &kernel;
  run.settings = of.settings;
  run.name = kernel.name_expression(of.settings, run.problem);
  run.source_file = lesson.source_file;
  run.excerpt = excerpt(lesson, kernel);
  if (!kernel.traffic.loads.empty()) predict(run);
  if (!kernel.is_cuda()) return run;
  run.traffic.formula_is_exact =
      !kernel.traffic.whole_tiles_only || has_whole_tiles(kernel.shape(of.settings), run.problem);
  run.tuning = tuning_words(kernel, of.settings, *run.gpu, run.problem);
  return run;
}

RunResult executed(const LessonKernel& of, const RunOptions& options) {
  if (of.cuda) return run_cuda(*of.cuda, options);
  if (of.kernel->from_library) return run_library(options);
  return run_on_cpu({of.kernel->cpu, of.kernel->cpu_counted}, options);
}

RunResult planned(const LessonKernel& of, const RunOptions& options) {
  if (of.cuda) return plan_cuda(*of.cuda, options);
  return of.kernel->from_library ? plan_library(options) : plan_on_cpu(options);
}

}  // namespace

LessonKernel prepare_kernel(const Lesson& lesson, const Kernel& kernel, const Settings& settings,
                            const RunOptions& options) {
  check_size(options.problem);
  LessonKernel result{&lesson, &kernel, settings};
  if (kernel.is_cuda()) {
    result.cuda = prepare(kernel_source(lesson, kernel, settings, options.problem), options);
  }
  return result;
}

KernelRun plan_kernel(const LessonKernel& kernel, const RunOptions& options) {
  return of_lesson(planned(kernel, options), kernel);
}

KernelRun run_kernel(const LessonKernel& kernel, const RunOptions& options) {
  KernelRun run = of_lesson(executed(kernel, options), kernel);
  add_recorded_time(run, options);
  if (!kernel.cuda) return run;
  run.excerpt = with_counted_functions(run.excerpt, run.lesson->source, lines_with_accesses(run));
  if (!options.one_of_many) {
    run.comparison = compare_with_changed_lesson(*run.lesson, *run.emulation, run.problem, *run.gpu,
                                                 options.activity);
  }
  return run;
}

KernelRun plan_kernel(const Lesson& lesson, const Kernel& kernel, const Settings& settings,
                      const RunOptions& options) {
  return plan_kernel(prepare_kernel(lesson, kernel, settings, options), options);
}

KernelRun run_kernel(const Lesson& lesson, const Kernel& kernel, const Settings& settings,
                     const RunOptions& options) {
  return run_kernel(prepare_kernel(lesson, kernel, settings, options), options);
}

KernelRun run_kernel(const KernelSource& kernel, const RunOptions& options) {
  check_size(options.problem);
  KernelRun run{run_cuda(prepare(kernel, options), options)};
  run.excerpt = with_counted_functions(kernel_lines(kernel.source, run.name), kernel.source,
                                       lines_with_accesses(run));
  return run;
}

}  // namespace gemm_tutor
