#include "course/ladder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "course/recorded.hpp"
#include "gpu/gpu.hpp"
#include "run/target.hpp"
#include "support/text.hpp"

namespace gemm_tutor {
namespace {

void describe_machine(Ladder& ladder, const RunOptions& options) {
  const Target target = choose_target(options);
  ladder.date = today();
  ladder.gpu = target.gpu;
  if (!target.on_gpu) return;
  ladder.driver = gpu::status().driver;
  ladder.clocks = fmt::format("as found; SM {:.0f} MHz at most", 1000 * target.gpu.clock_ghz);
}

const LessonRun* changed_run(const Ladder& ladder, const LessonRun& run) {
  const Lesson* changed = changed_lesson(*run.lesson);
  const auto is_of_it = [&](const LessonRun& other) {
    return other.lesson->key() == changed->key() && is_own_kernel(other) &&
           other.problem == run.problem;
  };
  const auto found = changed ? std::ranges::find_if(ladder.runs, is_of_it) : ladder.runs.end();
  return found == ladder.runs.end() ? nullptr : &*found;
}

double machine_ffmas(const simt::Counters& c) {
  return static_cast<double>(c.machine[static_cast<std::size_t>(simt::InstructionKind::ffma)]);
}

double per_byte(const KernelRun& run, std::uint64_t bytes) {
  return bytes == 0 ? 0 : run.problem.flops() / static_cast<double>(bytes);
}

// On the GPU of the estimate. A record that is shown beside the estimate has its own.
std::optional<double> cublas_median_ms(const KernelRun& run) {
  if (run.timing && run.timing->cublas_median_ms) return run.timing->cublas_median_ms;
  if (const auto& own = run.recorded; own && own->device == run.estimate->gpu) {
    if (own->percent_of_cublas) return *own->percent_of_cublas / 100 * own->median_ms;
  }
  const auto recorded =
      recorded_cublas_timing(run.problem, run.estimate->gpu, run.update.types.precision);
  return recorded ? std::optional(recorded->median_ms) : std::nullopt;
}

std::optional<double> percent_of_peak_if_known(double tflops, const simt::GpuSpec* gpu,
                                               Precision precision) {
  return gpu == nullptr ? std::nullopt : percent_of_peak(tflops, *gpu, precision);
}

// Returns the kernels that the GPU supports. `ladder` gets the others.
std::vector<LessonKernel> rungs_of(const LadderRequest& request, Ladder& ladder) {
  std::vector<LessonKernel> rungs;
  for (const Lesson* lesson : request.lessons) {
    for (const Kernel& kernel : lesson->kernels) {
      if (kernel.compute_capability > ladder.gpu.compute_capability()) {
        ladder.left_out.push_back(&kernel);
      } else {
        rungs.emplace_back(*lesson, kernel);
      }
    }
  }
  if (rungs.empty() && !ladder.left_out.empty()) {
    const Kernel& first = *ladder.left_out.front();
    simt::require_capability(ladder.gpu, first.compute_capability, first.name);
  }
  return rungs;
}

}  // namespace

Ladder run_ladder(const LadderRequest& request, const LadderProgress& progress) {
  Ladder ladder;
  describe_machine(ladder, request.options);
  const std::vector<LessonKernel> rungs = rungs_of(request, ladder);
  const int all = static_cast<int>(rungs.size() * request.problems.size());
  for (const Problem& problem : request.problems) {
    RunOptions options = request.options;
    options.problem = problem;
    options.one_of_many = true;
    for (const auto& [lesson, kernel, unset] : rungs) {
      progress(static_cast<int>(ladder.runs.size()), all,
               fmt::format("{}, {} at {}", lesson->name(), kernel->name, size_words(problem)));
      const Settings settings = effective_settings(*kernel, ladder.gpu, options.problem);
      ladder.runs.push_back(run_kernel(*lesson, *kernel, settings, options));
    }
  }
  ladder.device = ladder.runs.front().device;
  ladder.backend = ladder.runs.front().backend;
  return ladder;
}

std::string_view name_of(TimeSource source) {
  constexpr std::array<std::string_view, 3> names = {"measured", "recorded", "estimated"};
  return names[static_cast<std::size_t>(source)];
}

simt::Product product_of(Precision precision) {
  using enum simt::Product;
  switch (precision) {
    case Precision::fp64:
      return fp64;
    case Precision::fp32:
    case Precision::fp16_pairs:
      return none;
    case Precision::tf32:
      return tf32;
    case Precision::fp16_sums:
      return fp16;
    case Precision::fp8:
      return fp8_fp32;
    case Precision::int8:
      return int8;
    case Precision::fp16:
    case Precision::bf16:
    case Precision::bf16_sums:
      break;
  }
  return fp16_fp32;
}

std::optional<double> percent_of_peak(double tflops, const simt::GpuSpec& gpu,
                                      Precision precision) {
  const double peak = gpu.peak_flops(product_of(precision));
  return peak > 0 ? std::optional(100 * tflops * 1e12 / peak) : std::nullopt;
}

double attainable_flops(const simt::GpuSpec& gpu, double intensity, Precision precision) {
  return std::min(gpu.peak_flops(product_of(precision)), gpu.memory_bandwidth * intensity);
}

double ridge_intensity(const simt::GpuSpec& gpu, Precision precision) {
  return gpu.peak_flops(product_of(precision)) / gpu.memory_bandwidth;
}

std::optional<LadderTime> measured_time(const KernelRun& run) {
  if (!run.timing) return {};
  const RunTiming& timing = *run.timing;
  const simt::GpuSpec* gpu = timing.where == Backend::gpu && run.gpu ? &*run.gpu : nullptr;
  return LadderTime{timing.median_ms, timing.tflops,
                    percent_of_peak_if_known(timing.tflops, gpu, run.update.types.precision),
                    timing.percent_of_cublas, TimeSource::measured};
}

LadderTime time_of(const RecordedTiming& recorded) {
  return {recorded.median_ms, recorded.tflops,
          percent_of_peak_if_known(recorded.tflops, simt::known_by_driver_name(recorded.device),
                                   recorded.precision),
          recorded.percent_of_cublas, TimeSource::recorded};
}

std::optional<LadderTime> recorded_time(const KernelRun& run) {
  return run.recorded ? std::optional(time_of(*run.recorded)) : std::nullopt;
}

std::optional<LadderTime> estimated_time(const KernelRun& run) {
  if (!run.estimate || !run.estimate->is_reliable()) return {};
  const double median_ms = run.estimate->median_ms;
  const double tflops = run.problem.flops() / (median_ms * 1e9);
  LadderTime time{
      median_ms,
      tflops,
      percent_of_peak_if_known(tflops, run.gpu ? &*run.gpu : nullptr, run.update.types.precision),
      {},
      TimeSource::estimated};
  if (const auto cublas_ms = cublas_median_ms(run)) {
    time.percent_of_cublas = 100 * *cublas_ms / median_ms;
  }
  return time;
}

std::optional<LadderTime> time_of(const KernelRun& run) {
  if (const auto measured = measured_time(run)) return measured;
  if (const auto recorded = recorded_time(run)) return recorded;
  return estimated_time(run);
}

std::optional<double> cublas_fp32_ms(const Ladder& ladder, const KernelRun& run) {
  for (const KernelRun& other : ladder.runs) {
    const bool is_fp32 = library_precision(other.update.types.precision) == Precision::fp32;
    if (is_fp32 && other.problem == run.problem && other.timing && other.timing->cublas_median_ms)
      return other.timing->cublas_median_ms;
  }
  if (ladder.backend == Backend::gpu) return {};
  const auto recorded = recorded_cublas_timing(run.problem, ladder.gpu.full_name);
  return recorded ? std::optional(recorded->median_ms) : std::nullopt;
}

bool is_own_kernel(const LessonRun& run) { return run.kernel == &run.lesson->kernels.front(); }

std::optional<double> speed_up(const Ladder& ladder, const LessonRun& run) {
  if (!is_own_kernel(run)) return {};
  const LessonRun* before = changed_run(ladder, run);
  if (!before) return {};
  auto now = time_of(run), then = time_of(*before);
  const auto now_estimated = estimated_time(run), then_estimated = estimated_time(*before);
  if (now && then && now->source != then->source && now_estimated && then_estimated) {
    now = now_estimated;
    then = then_estimated;
  }
  if (!now || !then) return {};
  return then->median_ms / now->median_ms;
}

double ffma_share(const KernelRun& run) {
  const simt::Counters& c = run.emulation->total;
  if (c.machine_instructions() > 0) {
    return machine_ffmas(c) / static_cast<double>(c.machine_instructions());
  }
  constexpr auto ffma = static_cast<std::size_t>(simt::InstructionKind::ffma);
  return static_cast<double>(c.instructions[ffma]) / static_cast<double>(c.warp_instructions());
}

std::optional<SpeedFactors> speed_factors(const KernelRun& run, const LadderTime& time) {
  if (!run.emulation || !run.gpu || !time.percent_of_peak || !is_clean(run)) return {};
  const simt::Counters& c = run.emulation->total;
  const double ffmas = machine_ffmas(c), warp = run.gpu->warp_size;
  if (ffmas == 0) return {};
  const simt::GpuSpec& gpu = *run.gpu;
  const double schedulers = number_of(gpu, "schedulers");
  const double slots = gpu.multiprocessors * schedulers * gpu.clock_ghz * 1e6;
  const SpeedFactors factors = {
      .ffma_share = ffma_share(run),
      .issue_rate = static_cast<double>(c.machine_instructions()) / (slots * time.median_ms),
      .needed = run.problem.flops() / 2 / (ffmas * warp),
      .slots_per_ffma = warp * schedulers / gpu.fp32_lanes_per_multiprocessor};
  constexpr double rounding = 0.001;  // more: other instructions multiply and add, too
  return factors.needed > 1 + rounding ? std::nullopt : std::optional(factors);
}

std::optional<double> wavefronts_per_ffma(const KernelRun& run) {
  const simt::Counters& c = run.emulation->total;
  if (c.ffma == 0) return {};
  const double ffma_of_warps = static_cast<double>(c.ffma) / 32;
  return static_cast<double>(c.shared_load_wavefronts + c.shared_store_wavefronts) / ffma_of_warps;
}

double global_intensity(const KernelRun& run) {
  const simt::Counters& c = run.emulation->total;
  return per_byte(run, c.global_load_bytes + c.global_store_bytes);
}

double shared_intensity(const KernelRun& run) {
  const simt::Counters& c = run.emulation->total;
  return per_byte(run, c.shared_load_bytes + c.shared_store_bytes);
}

std::string size_words(const Problem& p) {
  if (p.m == p.n && p.n == p.k) return with_thousands(p.m);
  return fmt::format("{}×{}×{}", with_thousands(p.m), with_thousands(p.n), with_thousands(p.k));
}

std::vector<Problem> problems_of(const Ladder& ladder) {
  std::vector<Problem> problems;
  for (const KernelRun& run : ladder.runs) {
    if (!std::ranges::count(problems, run.problem)) problems.push_back(run.problem);
  }
  return problems;
}

std::vector<Precision> precisions_of(const Ladder& ladder) {
  std::vector<Precision> precisions;
  for (const KernelRun& run : ladder.runs) {
    const Precision precision = run.update.types.precision;
    if (!std::ranges::count(precisions, precision)) precisions.push_back(precision);
  }
  return precisions;
}

}  // namespace gemm_tutor
