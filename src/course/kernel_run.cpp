#include "course/kernel_run.hpp"

#include <cmath>

#include "course/cpu_run.hpp"
#include "course/cuda_run.hpp"
#include "course/entry.hpp"
#include "course/library_run.hpp"
#include "gemm/matrices.hpp"

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

// What is known of it as soon as it is named.
KernelRun described(const Lesson& lesson, const Kernel& kernel, const Settings& settings,
                    const RunOptions& options) {
  check_size(options.problem);
  KernelRun run;
  run.lesson = &lesson;
  run.kernel = &kernel;
  run.settings = settings;
  run.problem = options.problem;
  run.name = kernel.name_expression(settings, options.problem);
  run.source_file = lesson.source_file;
  if (!kernel.traffic.loads.empty()) predict(run);
  run.excerpt = excerpt(lesson, kernel);
  return run;
}

}  // namespace

KernelRun plan_kernel(const Lesson& lesson, const Kernel& kernel, const Settings& settings,
                      const RunOptions& options) {
  KernelRun run = described(lesson, kernel, settings, options);
  if (kernel.is_cuda()) {
    plan_cuda(run, kernel_source(lesson, kernel, settings, options.problem), options);
  } else if (kernel.from_library) {
    plan_library(run, options);
  } else {
    plan_on_cpu(run);
  }
  return run;
}

KernelRun run_kernel(const Lesson& lesson, const Kernel& kernel, const Settings& settings,
                     const RunOptions& options) {
  KernelRun run = described(lesson, kernel, settings, options);
  if (kernel.is_cuda()) {
    run_cuda(run, kernel_source(lesson, kernel, settings, options.problem), options);
    run.excerpt = with_counted_functions(run.excerpt, lesson.source, lines_with_accesses(run));
  } else if (kernel.from_library) {
    run_library(run, options);
  } else {
    run_on_cpu(run, options);
  }
  return run;
}

KernelRun run_kernel(const KernelSource& kernel, const RunOptions& options) {
  check_size(options.problem);
  KernelRun run;
  run.problem = options.problem;
  run.source_file = kernel.file_name;
  run_cuda(run, kernel, options);
  run.excerpt = with_counted_functions(kernel_lines(kernel.source, run.name), kernel.source,
                                       lines_with_accesses(run));
  return run;
}

}  // namespace gemm_tutor
