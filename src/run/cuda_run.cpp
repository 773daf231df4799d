#include "run/cuda_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "gemm/matrices.hpp"
#include "gpu/gpu.hpp"
#include "run/arguments.hpp"
#include "run/launch_shape.hpp"
#include "run/prepared_kernel.hpp"
#include "run/run.hpp"
#include "run/target.hpp"
#include "simt/estimate.hpp"
#include "support/parallel.hpp"
#include "support/text.hpp"

namespace gemm_tutor {
namespace {

RunTiming gpu_timing(const gpu::Timing& measured, const Problem& problem) {
  RunTiming timing;
  timing.where = Backend::gpu;
  timing.runs = measured.runs;
  timing.median_ms = measured.median_ms;
  timing.min_ms = measured.min_ms;
  timing.tflops = problem.flops() / (measured.median_ms * 1e9);
  timing.spread_percent = 100 * measured.iqr_ms / measured.median_ms;
  return timing;
}

// The emulator's rate per core. On an AMD EPYC, 32 to 70 million were measured, depending on the
// kernel.
constexpr double warp_instructions_per_second = 40e6;
// Seconds of emulation without --blocks: alone, and in addition to a GPU, only for the counts.
constexpr double seconds_alone = 2, seconds_beside_gpu = 0.5;

simt::Options emulation_options(const PreparedKernel& kernel, const RunOptions& options,
                                bool on_gpu) {
  simt::Options result = emulator_options(kernel, options);
  if (std::holds_alternative<AutomaticBlocks>(options.blocks)) {
    const bool brief = on_gpu || options.one_of_many;
    const double seconds = brief ? seconds_beside_gpu : seconds_alone;
    result.warp_instructions =
        static_cast<std::uint64_t>(seconds * warp_instructions_per_second * core_count());
  } else if (const auto* count = std::get_if<std::int64_t>(&options.blocks)) {
    result.blocks = *count;
  }
  return result;
}

std::string emulator_name(const simt::GpuSpec& gpu) {
  constexpr std::string_view maker = "NVIDIA ";
  std::string_view name = gpu.full_name;
  if (name.starts_with(maker)) name.remove_prefix(maker.size());
  return fmt::format("emulator · {} limits", name);
}

// A one-dimensional grid is written as a number if it is one-dimensional for every problem.
std::string extent_text(const simt::Dim3& size, bool in_a_row) {
  if (in_a_row && size.y == 1 && size.z == 1) return std::to_string(size.x);
  return size.z == 1 ? fmt::format("dim3({}, {})", size.x, size.y)
                     : fmt::format("dim3({}, {}, {})", size.x, size.y, size.z);
}

std::string launch_statement(const std::string& name, const simt::Launch& launch,
                             const PreparedKernel& kernel) {
  const bool in_a_row = kernel.source.shape.stream_k.has_value();
  const std::string shared =
      launch.dynamic_shared_bytes ? fmt::format(", {}", launch.dynamic_shared_bytes) : "";
  return fmt::format("{}<<<{}, {}{}>>>({})", name, extent_text(launch.grid, in_a_row),
                     extent_text(launch.block, in_a_row), shared, text_of(kernel.arguments));
}

void set_backend(KernelRun& run, bool on_gpu, const simt::GpuSpec& gpu) {
  run.backend = on_gpu ? Backend::gpu : Backend::emulator;
  run.device = on_gpu ? gpu.full_name : emulator_name(gpu);
}

// What is known before anything is executed.
KernelRun described(const PreparedKernel& kernel, const Problem& problem, bool on_gpu) {
  const simt::GpuSpec& gpu = kernel.gpu;
  KernelRun run;
  run.problem = problem;
  run.update = kernel.update;
  if (kernel.refusal) run.not_emulated = kernel.refusal->what();
  run.source = kernel.source;
  set_backend(run, on_gpu, gpu);
  run.name = kernel.name;
  run.compiler = kernel.compiled.compiler;
  run.warnings = kernel.compiled.warnings;
  run.gpu = gpu;
  const auto launch_of = [&](const Pass& pass, const simt::Launch& launch) {
    return KernelLaunch{launch, launch_statement(pass.name, launch, kernel),
                        pass.compiled.resources, occupancy(gpu, pass.compiled.resources, launch)};
  };
  for (const EarlierPass& one : kernel.before)
    run.earlier_launches.push_back(launch_of(one, one.launch));
  run.launch = launch_of(kernel, kernel.launch);
  if (kernel.second_launch)
    run.second_launch = launch_of(*kernel.second_pass, *kernel.second_launch);
  return run;
}

void count(KernelRun& run, const PreparedKernel& kernel, Matrices& matrices,
           const simt::Options& options) {
  run.emulation = emulate(kernel, matrices, options);
  const simt::Counters& total = run.emulation->total;
  const Types& types = matrices.types;
  const auto elements = [](std::uint64_t bytes, int each) {
    return static_cast<std::int64_t>(bytes / static_cast<std::uint64_t>(each));
  };
  run.traffic.load_bytes = types.a == types.b ? bytes_of(types.a) : sizeof(float);
  run.traffic.store_bytes = bytes_of(types.c);
  run.traffic.counted_loads = elements(total.global_load_bytes, run.traffic.load_bytes);
  run.traffic.counted_stores = elements(total.global_store_bytes, run.traffic.store_bytes);
  run.traffic.count_is_exact = run.emulation->exact;
}

// The parts of C that the emulated blocks computed; empty for all of C.
std::vector<Region> emulated_tiles(const PreparedKernel& kernel, const Problem& problem,
                                   const simt::Result& emulation) {
  if (emulation.exact) return {};
  return completed_regions(kernel, problem, emulation.emulated);
}

// What they wrote, if the blocks computed other tiles than expected, or if it was not known which.
// (A second pass writes all of its tiles, also from parts that were not computed.)
std::vector<Region> tiles_elsewhere(const PreparedKernel& kernel, const Matrices& matrices,
                                    const std::vector<Region>& tiles) {
  if (kernel.source.shape.stream_k || tiles.empty()) return {};
  if (!kernel.source.shape.has_tile()) {
    return written_strips(matrices.problem, changed_elements(matrices));
  }
  return written_elsewhere(matrices.problem, changed_elements(matrices), tiles);
}

// A lower precision by which a wrong result is right, and of which the kernel has instructions.
template <typename Verify>
std::optional<WrongKind> kind_of_precision(const std::string& ptx, Scaling scaling,
                                           const Verify& verified) {
  constexpr std::pair<Precision, const char*> lower[] = {{Precision::fp32, ".f32"},
                                                         {Precision::tf32, ".tf32"},
                                                         {Precision::fp16, ".f16"},
                                                         {Precision::bf16, ".bf16"}};
  const Precision judged = scaling.precision;
  if (terms_of(judged).exact_to > 0) return {};
  for (const auto& [precision, name] : lower) {
    if (precision <= judged || ptx.find(name) == ptx.npos) continue;
    scaling.precision = precision;
    if (!verified(scaling).passed) continue;
    const PrecisionTerms& terms = terms_of(precision);
    return WrongKind{"precision",
                     fmt::format("Each element is within the error bound of {}, of which the "
                                 "kernel has instructions: --precision {} judges it by that",
                                 terms.title, terms.name)};
  }
  return {};
}

void verify_result(KernelRun& run, const PreparedKernel& kernel, const Matrices& matrices,
                   std::span<const float> c, const std::vector<Region>& regions,
                   const RunOptions& options) {
  const RowMajorOperands operands(matrices, kernel.source.transposed);
  const Update& update = run.update;
  const auto verified = [&](const Scaling& scaling) {
    return verify(run.problem, operands.a(), operands.b(), c, regions, {}, options.activity,
                  scaling);
  };
  const Scaling scaling = scaling_of(update, matrices.c_before);
  run.verification = verified(scaling);
  if (!run.verification.passed && run.verification.unwritten_elements == 0)
    run.wrong.kind = kind_of_precision(kernel.compiled.ptx, scaling, verified);
  if (!options.further) return;
  const Verification& verification = run.verification;
  run.wrong.computed = {run.problem,
                        options.seed,
                        update,
                        kernel.source.transposed,
                        kernel.launch.grid,
                        verification.passed,
                        elements_to_explain(run.problem, c, regions, verification.first_wrong)};
}

void finish_on_emulator(KernelRun& run, const PreparedKernel& kernel, const Matrices& matrices,
                        const RunOptions& options) {
  set_backend(run, false, kernel.gpu);
  const std::vector<Region> tiles = emulated_tiles(kernel, run.problem, *run.emulation);
  const std::vector<Region> elsewhere = tiles_elsewhere(kernel, matrices, tiles);
  verify_result(run, kernel, matrices, matrices.c, elsewhere.empty() ? tiles : elsewhere, options);
  if (run.verification.unwritten_elements > 0) {
    run.wrong.unwritten = draw_unwritten(run.problem, matrices.c, kernel.source.shape, tiles);
  }
}

RunTiming beside_cublas(const gpu::KernelTiming& measured, const Problem& problem) {
  RunTiming timing = gpu_timing(measured.kernel, problem);
  if (measured.cublas.runs > 0) {
    timing.cublas_median_ms = measured.cublas.median_ms;
    timing.percent_of_cublas = 100 * measured.cublas.median_ms / timing.median_ms;
  }
  return timing;
}

// A wrong kernel is not timed.
void finish_on_gpu(KernelRun& run, const PreparedKernel& kernel, const Matrices& matrices,
                   const RunOptions& options) {
  const gpu::DeviceKernel device_kernel = on_device(kernel);
  gpu::Session session(run.problem, matrices.a, matrices.b, matrices.types);
  or_unwatched(options.activity).begin("running on the GPU");
  const std::vector<float> c = session.run(device_kernel, matrices.c_before);
  verify_result(run, kernel, matrices, c, {}, options);
  if (run.verification.unwritten_elements > 0) {
    run.wrong.unwritten = draw_unwritten(run.problem, c, kernel.source.shape, {});
  }
  if (!run.verification.passed || options.only_result) return;
  run.timing = beside_cublas(session.time(device_kernel, options.activity), run.problem);
}

// If the emulator stopped the kernel, unwritten elements are not an additional finding.
void report_unwritten(KernelRun& run) {
  if (!run.emulation) return;
  const Verification& verification = run.verification;
  if (run.emulation->stopped) run.wrong.unwritten.reset();
  if (!run.wrong.unwritten) return;
  run.emulation->findings.push_back(
      simt::never_written("C", verification.unwritten_elements, verification.elements_checked));
}

// Returns the trace recorded during the run, or records it now if the block was not emulated.
// Nothing if there is not enough memory.
std::optional<Trace> traced(const PreparedKernel& kernel, Matrices& matrices, KernelRun& run,
                            const RunOptions& options) {
  if (auto& recording = run.emulation->recording) {
    return block_trace(kernel, options, std::move(*std::exchange(recording, {})));
  }
  RunOptions unchecked = options;  // the run has already found the kernel's errors
  unchecked.check = false;
  try {
    return trace_block(kernel, matrices, unchecked);
  } catch (const Error&) {
    return {};
  } catch (const std::bad_alloc&) {
    return {};
  }
}

}  // namespace

KernelRun run_cuda(const PreparedKernel& kernel, const RunOptions& options) {
  const bool on_gpu = choose_target(options).on_gpu;
  KernelRun run = described(kernel, options.problem, on_gpu);
  // To ask takes long.
  run.gpu_is_missing = !on_gpu && !options.one_of_many && !gpu::status().available;
  Matrices matrices = make_matrices(run.problem, options.seed, options.activity, kernel.update);
  if (kernel.program || !on_gpu) {
    count(run, kernel, matrices, emulation_options(kernel, options, on_gpu));
  }
  const bool is_sound = run.findings().empty();
  run.kept_from_gpu = on_gpu && !is_sound;
  if (on_gpu && is_sound) {
    finish_on_gpu(run, kernel, matrices, options);
  } else {
    finish_on_emulator(run, kernel, matrices, options);
  }
  report_unwritten(run);
  // A further size tells only what is found first, not its edges, which take emulations of their
  // own.
  if (run.emulation && options.check && !options.only_result)
    find_edges(run.emulation->findings, kernel, options);
  if (options.trace && run.emulation) run.trace = traced(kernel, matrices, run, options);
  if (is_sound && run.emulation && !options.only_result)
    run.estimate = estimated(kernel, matrices, *run.emulation);
  return run;
}

KernelRun run_kernel(const KernelSource& kernel, const RunOptions& options) {
  check_size(options.problem);
  PreparedKernel prepared = prepare_to_run(kernel, options);
  KernelRun run = run_cuda(prepared, options);
  const std::string& source = run.source.source;
  run.excerpt = kernel_lines(source, run.name);
  if (options.further) try_further_sizes(run, prepared, options);
  if (!run.emulation) return run;
  run.excerpt = with_counted_functions(run.excerpt, source, lines_with_accesses(*run.emulation));
  return run;
}

namespace {

using simt::Finding;
using simt::FindingKind;
using LineAndKind = std::pair<int, FindingKind>;
using Counts = std::map<LineAndKind, std::uint64_t>;

LineAndKind place_of(const Finding& finding) { return {finding.line, finding.kind()}; }

bool is_outside(const Finding& finding) {
  return finding.is_outside() && finding.space == simt::MemorySpace::global;
}

// An element beyond the end of a row is another row's.
bool may_be_of_edge(const Finding& finding) {
  return is_outside(finding) ||
         (finding.kind() == FindingKind::race && finding.space == simt::MemorySpace::global);
}

struct Direction {
  const char* name;
  int Problem::*size;
  int tile = 1;  // of a block; along K a multiple of every likely step
};

class Edges {
 public:
  Edges(const PreparedKernel& kernel, const RunOptions& options)
      : kernel_(kernel), options_(options) {
    constexpr int most_steps = 128;
    const LaunchShape& shape = kernel.source.shape;
    directions_ = {{"M", &Problem::m, shape.tile_rows},
                   {"N", &Problem::n, shape.tile_columns},
                   {"K", &Problem::k, most_steps}};
    whole_ = options.problem;
    for (const Direction& d : directions_) whole_.*d.size = whole(d);
  }

  // The sentence about the edges, and the findings that come from them; both empty if it is not so.
  std::string find(const std::vector<Finding>& findings, Counts& places) {
    const Counts persistent = counts_at(whole_);
    for (const Finding& finding : findings) {
      if (may_be_of_edge(finding) && !persistent.contains(place_of(finding)))
        places[place_of(finding)] = finding.count;
    }
    std::map<std::pair<int, int>, std::vector<std::string>> names;  // by size and step
    bool is_guarded = true;                                         // in part, in all directions
    for (const Direction& d : directions_) {
      const int size = options_.problem.*d.size;
      if (size % d.tile == 0) continue;
      const int step = d.size == &Problem::k ? step_along_k(places) : d.tile;
      const int tiles_before = whole(d) - d.tile;
      if (size % step == 0 || times(with(d, tiles_before + size % d.tile), places) == 0) continue;
      // What nothing guards goes over the edge more often the farther the tile does.
      const std::uint64_t most = times(with(d, tiles_before + 1), places);
      const std::uint64_t least = times(with(d, tiles_before + step - 1), places);
      is_guarded = is_guarded && step > 2 && most <= least;
      names[{size, step}].push_back(d.name);
    }
    if (names.empty()) {
      places.clear();
      return "";
    }
    std::vector<std::string> parts;
    for (const auto& [edge, of] : names) {
      parts.push_back(
          fmt::format("{} = {} is not a multiple of {}", join(of, " = "), edge.first, edge.second));
    }
    return join(parts, ", ") + (is_guarded ? ", and the guard of the edge lets some through"
                                           : ", and nothing guards the edge");
  }

 private:
  // At most two tiles, and as many as the problem has.
  int whole(const Direction& d) const {
    return options_.problem.*d.size > d.tile ? 2 * d.tile : d.tile;
  }

  Problem with(const Direction& d, int size) const {
    Problem problem = whole_;
    problem.*d.size = size;
    return problem;
  }

  Counts counts_at(const Problem& problem) const {
    simt::Options options;
    options.activity = options_.activity;
    options.max_instructions = most_instructions(kernel_, problem);
    Matrices matrices = make_matrices(problem, options_.seed, options_.activity, kernel_.update);
    const EmulatedMemory memory(kernel_, matrices);
    const simt::Result result =
        kernel_.program->run(launch_for(kernel_.source.shape, problem), memory.buffers(),
                             arguments_of(kernel_.parameters, problem), options);
    Counts counts;
    for (const Finding& finding : result.findings) counts[place_of(finding)] += finding.count;
    return counts;
  }

  // How often the findings of these places are found at a problem.
  std::uint64_t times(const Problem& problem, const Counts& places) const {
    std::uint64_t result = 0;
    for (const auto& [place, count] : counts_at(problem)) {
      if (places.contains(place) && place.second == FindingKind::bounds) result += count;
    }
    return result;
  }

  // The smallest power of two whose multiples are whole steps.
  int step_along_k(const Counts& places) const {
    const Direction& k = directions_.back();
    int step = 2;
    while (step < k.tile && times(with(k, k.tile + step), places) > 0) step *= 2;
    return step;
  }

  const PreparedKernel& kernel_;
  const RunOptions& options_;
  std::vector<Direction> directions_;
  Problem whole_;
};

}  // namespace

void find_edges(std::vector<Finding>& findings, const PreparedKernel& kernel,
                const RunOptions& options) {
  const bool can_tell = kernel.program && kernel.source.shape.has_tile() && kernel.is_alone() &&
                        !kernel.source.shape.stream_k;
  if (!can_tell || std::ranges::none_of(findings, is_outside)) return;
  Counts places;
  const std::string edge = Edges(kernel, options).find(findings, places);
  for (Finding& finding : findings) {
    if (places.contains(place_of(finding))) finding.edge = edge;
  }
}

namespace {

// C[0][0] of A·B and of B·A, which needs square matrices.
std::optional<OperandOrder> operand_order(const Matrices& matrices) {
  const Problem& p = matrices.problem;
  if (p.m != p.n || p.n != p.k) return {};
  const auto size = static_cast<std::size_t>(p.n);
  OperandOrder order;
  for (std::size_t k = 0; k < size; ++k) {
    order.right += static_cast<double>(matrices.a[k]) * matrices.b[k * size];
    order.exchanged += static_cast<double>(matrices.b[k]) * matrices.a[k * size];
  }
  return order;
}

void execute(KernelRun& run, const Matrices& matrices, Activity* activity) {
  gpu::Session session(run.problem, matrices.a, matrices.b);
  or_unwatched(activity).begin("running on the GPU");
  const std::vector<float> c = session.run_cublas();
  run.verification = verify(run.problem, matrices.a, matrices.b, c, {}, {}, activity);
  run.timing = gpu_timing(session.time_cublas(activity), run.problem);
}

}  // namespace

KernelRun run_library(const RunOptions& options) {
  const Target target = choose_target(options);
  const bool on_gpu = target.on_gpu && gpu::status().cublas_available;
  KernelRun run;
  run.problem = options.problem;
  run.backend = on_gpu ? Backend::gpu : Backend::none;
  run.device = on_gpu ? target.gpu.full_name : "no GPU with cuBLAS here";
  const Matrices matrices = make_matrices(run.problem, options.seed, options.activity);
  run.operand_order = operand_order(matrices);
  if (run.can_run_here()) execute(run, matrices, options.activity);
  return run;
}

namespace {

using Buffers = std::vector<simt::Buffer>;

std::optional<simt::Estimate> estimate_of(const Pass& pass, const simt::Launch& launch,
                                          const simt::GpuSpec& gpu, const Buffers& buffers,
                                          const Problem& problem, const simt::Result& counted) {
  if (!pass.program) return {};
  return simt::estimate_time(*pass.program, launch, buffers, arguments_of(pass.parameters, problem),
                             pass.compiled.resources, counted, gpu);
}

// The counts of machine code are only of the main launch. `blocks` is how many are counted.
std::optional<simt::Estimate> estimate_of_other(const Pass& pass, const simt::Launch& launch,
                                                const simt::GpuSpec& gpu, const Buffers& buffers,
                                                const Problem& problem, std::int64_t blocks) {
  simt::Options options;
  options.blocks = blocks;
  options.check = false;
  const simt::Result counted =
      pass.program->run(launch, buffers, arguments_of(pass.parameters, problem), options);
  return estimate_of(pass, launch, gpu, buffers, problem, counted);
}

// The limit of all launches is that of the main one.
void add(simt::Estimate& estimate, const std::optional<simt::Estimate>& other) {
  if (!other) return;
  estimate.median_ms += other->median_ms;
  estimate.low_ms += other->low_ms;
  estimate.high_ms += other->high_ms;
  for (std::size_t i = 0; i < simt::limit_count; ++i) estimate.cycles[i] += other->cycles[i];
  for (simt::Change& change : estimate.changes) change.median_ms += other->median_ms;
  for (const std::string& doubt : other->doubts) estimate.doubts.push_back(doubt);
}

}  // namespace

std::optional<simt::Estimate> estimated(const PreparedKernel& kernel, Matrices& matrices,
                                        const simt::Result& counted) {
  const EmulatedMemory memory(kernel, matrices);
  const Buffers& buffers = memory.buffers();
  const Problem& problem = matrices.problem;
  std::optional<simt::Estimate> estimate =
      estimate_of(kernel, kernel.launch, kernel.gpu, buffers, problem, counted);
  if (!estimate) return estimate;
  // Different blocks of an earlier pass may do different work; those of a second pass do the same.
  constexpr std::int64_t many = 256;
  for (const EarlierPass& one : kernel.before)
    add(*estimate, estimate_of_other(one, one.launch, kernel.gpu, buffers, problem, many));
  if (kernel.second_launch)
    add(*estimate, estimate_of_other(*kernel.second_pass, *kernel.second_launch, kernel.gpu,
                                     buffers, problem, 1));
  return estimate;
}

}  // namespace gemm_tutor
