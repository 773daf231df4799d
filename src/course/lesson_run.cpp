#include "course/lesson_run.hpp"

#include <fmt/format.h>

#include <cmath>

#include "course/recorded.hpp"
#include "course/shown_code.hpp"
#include "course/tuning_file.hpp"
#include "gemm/matrices.hpp"
#include "run/cpu_run.hpp"
#include "run/cuda_run.hpp"
#include "run/target.hpp"

namespace gemm_tutor {
namespace {

// Predicts nothing if the formula has no value, for example because a teacher's formula divides by
// zero at this size. The counts are still shown.
void predict(LessonRun& run) try {
  const TrafficFormula& formula = run.kernel->traffic;
  const Values values = values_before(*run.kernel, run.settings, run.problem);
  const double loads = evaluated(formula.loads, values);
  const double stores = evaluated(formula.stores, values);
  run.predicted.loads = std::llround(loads);
  run.predicted.stores = std::llround(stores);
} catch (const Error&) {
}

// Uses the settings of its recorded times.
bool has_recorded_settings(const LessonRun& run) {
  return run.backend == Backend::emulator &&
         run.settings == untuned_settings(*run.kernel, *run.gpu, run.problem);
}

void add_recorded_time(LessonRun& run, const RunOptions& options) {
  if (run.kernel->from_library) {
    if (run.can_run_here()) return;
    run.recorded = recorded_cublas_timing(run.problem, choose_target(options).gpu.full_name);
  } else if (run.kernel->is_cuda() && has_recorded_settings(run)) {
    run.recorded = recorded_timing(run.kernel->name, run.problem, run.gpu->full_name);
  }
}

// Adds the lesson's data to a run of its kernel.
LessonRun of_lesson(KernelRun&& result, const LessonKernel& of) {
  const Lesson& lesson = *of.lesson;
  const Kernel& kernel = *of.kernel;
  LessonRun run{std::move(result), of};
  run.name = kernel.name_expression(of.settings, run.problem);
  run.source.file_name = lesson.source_file;
  run.excerpt = shown_code(lesson, kernel).all();
  if (!kernel.traffic.loads.empty()) predict(run);
  if (!kernel.is_cuda()) return run;
  run.predicted.is_exact =
      !kernel.traffic.whole_tiles_only || has_whole_tiles(kernel.shape(of.settings), run.problem);
  run.launch->tuning = tuning_words(kernel, of.settings, *run.gpu, run.problem);
  return run;
}

KernelRun executed(const Kernel& kernel, const std::optional<PreparedKernel>& prepared,
                   const RunOptions& options) {
  if (prepared) return run_cuda(*prepared, options);
  if (kernel.from_library) return run_library(options);
  return run_on_cpu({kernel.cpu, kernel.cpu_counted}, options);
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
std::optional<Comparison> compare_with_changed_lesson(const LessonRun& run, Activity* activity) {
  const Lesson* before = changed_lesson(*run.lesson);
  const simt::Counters& now = run.emulation->total;
  if (!before || !before->kernels.front().is_cuda() || now.global_load_sectors == 0) return {};
  try {
    const Kernel& kernel = before->kernels.front();
    const Settings settings = effective_settings(kernel, *run.gpu, run.problem);
    const PreparedKernel prepared = prepare(kernel_source(*before, kernel, settings, run.problem),
                                            run.problem, *run.gpu, activity);
    simt::Options options;
    options.blocks = compared_blocks;
    options.check = false;
    options.activity = activity;
    Matrices matrices = empty_matrices(run.problem);
    const simt::Result counted = emulate(prepared, matrices, options);
    if (counted.total.global_load_sectors == 0) return {};
    Comparison comparison{.lesson = before, .exact = counted.exact && run.emulation->exact};
    set_factors(comparison, counted.total, prepared.update.types, now, run.update.types);
    return comparison;
  } catch (const Error&) {
    return {};  // for example, its grid is too large at this size
  }
}

}  // namespace

void set_factors(Comparison& comparison, const simt::Counters& before, const Types& types_before,
                 const simt::Counters& now, const Types& types) {
  comparison.load_floats_factor = ratio(before.global_load_bytes, now.global_load_bytes) *
                                  bytes_of(types.a) / bytes_of(types_before.a);
  comparison.load_sectors_factor = ratio(before.global_load_sectors, now.global_load_sectors);
  comparison.unit = types_before.are_floats() && types.are_floats() ? "floats" : "elements";
}

std::optional<PreparedKernel> prepare_kernel(const LessonKernel& of, const RunOptions& options) {
  check_size(options.problem);
  if (!of.kernel->is_cuda()) return {};
  return prepare(kernel_source(*of.lesson, *of.kernel, of.settings, options.problem), options);
}

LessonRun run_kernel(const LessonKernel& of, const std::optional<PreparedKernel>& prepared,
                     const RunOptions& options) {
  LessonRun run = of_lesson(executed(*of.kernel, prepared, options), of);
  add_recorded_time(run, options);
  if (!prepared) return run;
  run.excerpt = with_lines(run.excerpt, of.lesson->source, lines_with_accesses(*run.emulation));
  if (!options.one_of_many) run.comparison = compare_with_changed_lesson(run, options.activity);
  return run;
}

LessonRun run_kernel(const Lesson& lesson, const Kernel& kernel, const Settings& settings,
                     const RunOptions& options) {
  const LessonKernel of(lesson, kernel, settings);
  return run_kernel(of, prepare_kernel(of, options), options);
}

LessonRun count_kernel(const LessonKernel& of, const RunOptions& options) {
  const auto prepared = prepare_kernel(of, options);
  if (!of.kernel->cpu) return run_kernel(of, prepared, options);
  return of_lesson(count_on_cpu({of.kernel->cpu, of.kernel->cpu_counted}, options), of);
}

Trace trace_kernel(const Lesson& lesson, const Kernel& kernel, const Settings& settings,
                   const RunOptions& options) {
  if (!kernel.is_cuda()) {
    throw Error(ExitStatus::usage,
                fmt::format("{} has no warps to trace: it {}", lesson.name(),
                            kernel.from_library ? "calls a library" : "runs on the CPU"),
                "Trace a kernel in CUDA C++, as in 'gemm-tutor trace 1'.");
  }
  return trace_kernel(kernel_source(lesson, kernel, settings, options.problem), options);
}

}  // namespace gemm_tutor
