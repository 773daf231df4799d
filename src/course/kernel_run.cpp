#include "course/kernel_run.hpp"

#include <cmath>

#include "course/recorded.hpp"
#include "course/shown_code.hpp"
#include "course/tuning_file.hpp"
#include "gemm/matrices.hpp"
#include "run/cpu_run.hpp"
#include "run/cuda_run.hpp"
#include "run/further_sizes.hpp"
#include "run/prepared_kernel.hpp"
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

// Predicts nothing if the formula has no value, for example because a teacher's formula divides by
// zero at this size. The counts are still shown.
void predict(KernelRun& run) try {
  const TrafficFormula& formula = run.kernel->traffic;
  const Values values = values_before(*run.kernel, run.settings, run.problem);
  const double loads = Expression::parse(formula.loads).value(values);
  const double stores = Expression::parse(formula.stores).value(values);
  run.traffic.predicted_loads = std::llround(loads);
  run.traffic.predicted_stores = std::llround(stores);
} catch (const Error&) {
}

// Uses the settings of its recorded times.
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

// Adds the lesson's data to a run of its kernel.
KernelRun of_lesson(RunResult&& result, const LessonKernel& of) {
  const Lesson& lesson = *of.lesson;
  const Kernel& kernel = *of.kernel;
  KernelRun run{std::move(result), of};
  run.name = kernel.name_expression(of.settings, run.problem);
  run.source.file_name = lesson.source_file;
  run.excerpt = shown_code(lesson, kernel).all();
  if (!kernel.traffic.loads.empty()) predict(run);
  if (!kernel.is_cuda()) return run;
  run.traffic.formula_is_exact =
      !kernel.traffic.whole_tiles_only || has_whole_tiles(kernel.shape(of.settings), run.problem);
  run.tuning = tuning_words(kernel, of.settings, *run.gpu, run.problem);
  return run;
}

RunResult executed(const PreparedLessonKernel& of, const RunOptions& options) {
  if (of.cuda) return run_cuda(*of.cuda, options);
  if (of.kernel->from_library) return run_library(options);
  return run_on_cpu({of.kernel->cpu, of.kernel->cpu_counted}, options);
}

RunResult planned(const PreparedLessonKernel& of, const RunOptions& options) {
  if (of.cuda) return plan_cuda(*of.cuda, options);
  return of.kernel->from_library ? plan_library(options) : plan_on_cpu(options);
}

// --- Beside the lesson that it changes

constexpr std::int64_t compared_blocks = 4;  // one per class of blocks

double ratio(std::uint64_t before, std::uint64_t now) {
  return static_cast<double>(before) / static_cast<double>(now);
}

// A kernel's loads do not depend on the matrices' values.
Matrices empty_matrices(const Problem& problem) {
  Matrices matrices;
  matrices.problem = problem;
  matrices.a.resize(static_cast<std::size_t>(problem.a_elements()));
  matrices.b.resize(static_cast<std::size_t>(problem.b_elements()));
  matrices.c.resize(static_cast<std::size_t>(problem.c_elements()));
  return matrices;
}

// Compares with a few blocks of changed_lesson()'s kernel. Returns nothing if there is no such
// lesson with a CUDA kernel, if that kernel cannot run at this size, or if one of the two loads
// nothing.
std::optional<Comparison> compare_with_changed_lesson(const KernelRun& run, Activity* activity) {
  const Lesson* before = changed_lesson(*run.lesson);
  const emulator::Counters& now = run.emulation->total;
  if (!before || !before->kernels.front().is_cuda() || now.global_load_sectors == 0) return {};
  try {
    const Kernel& kernel = before->kernels.front();
    const Settings settings = effective_settings(kernel, *run.gpu, run.problem);
    const PreparedKernel prepared = prepare(kernel_source(*before, kernel, settings, run.problem),
                                            run.problem, *run.gpu, activity);
    emulator::Options options;
    options.blocks = compared_blocks;
    options.check = false;
    options.activity = activity;
    Matrices matrices = empty_matrices(run.problem);
    const emulator::Result counted = emulate(prepared, matrices, options);
    if (counted.total.global_load_sectors == 0) return {};
    Comparison comparison{.lesson = before, .exact = counted.exact && run.emulation->exact};
    set_factors(comparison, counted.total, prepared.update.types, now, run.update.types);
    return comparison;
  } catch (const Error&) {
    return {};  // for example, its grid is too large at this size
  }
}

}  // namespace

void set_factors(Comparison& comparison, const emulator::Counters& before,
                 const Types& types_before, const emulator::Counters& now, const Types& types) {
  comparison.load_floats_factor = ratio(before.global_load_bytes, now.global_load_bytes) *
                                  bytes_of(types.a) / bytes_of(types_before.a);
  comparison.load_sectors_factor = ratio(before.global_load_sectors, now.global_load_sectors);
  comparison.unit = types_before.are_floats() && types.are_floats() ? "floats" : "elements";
}

PreparedLessonKernel prepare_kernel(const Lesson& lesson, const Kernel& kernel,
                                    const Settings& settings, const RunOptions& options) {
  check_size(options.problem);
  PreparedLessonKernel result{{&lesson, &kernel, settings}};
  if (kernel.is_cuda()) {
    result.cuda = prepare(kernel_source(lesson, kernel, settings, options.problem), options);
  }
  return result;
}

KernelRun count_kernel(const PreparedLessonKernel& of, const RunOptions& options) {
  if (!of.kernel->cpu) return run_kernel(of, options);
  return of_lesson(count_on_cpu({of.kernel->cpu, of.kernel->cpu_counted}, options), of);
}

KernelRun run_kernel(const PreparedLessonKernel& kernel, const RunOptions& options) {
  KernelRun run = of_lesson(executed(kernel, options), kernel);
  add_recorded_time(run, options);
  if (!kernel.cuda) return run;
  run.excerpt = with_lines(run.excerpt, run.lesson->source, lines_with_accesses(run));
  if (!options.one_of_many) run.comparison = compare_with_changed_lesson(run, options.activity);
  return run;
}

KernelRun plan_kernel(const Lesson& lesson, const Kernel& kernel, const Settings& settings,
                      const RunOptions& options) {
  const PreparedLessonKernel of = prepare_kernel(lesson, kernel, settings, options);
  return of_lesson(planned(of, options), of);
}

KernelRun run_kernel(const Lesson& lesson, const Kernel& kernel, const Settings& settings,
                     const RunOptions& options) {
  return run_kernel(prepare_kernel(lesson, kernel, settings, options), options);
}

KernelRun run_kernel(const KernelSource& kernel, const RunOptions& options) {
  check_size(options.problem);
  PreparedKernel prepared = prepare_to_run(kernel, options);
  KernelRun run{run_cuda(prepared, options), {}};
  const std::string& source = run.source.source;
  run.excerpt = kernel_lines(source, run.name);
  if (options.further) try_further_sizes(run, prepared, options);
  if (!run.emulation) return run;
  run.excerpt = with_counted_functions(run.excerpt, source, lines_with_accesses(run));
  return run;
}

}  // namespace gemm_tutor
