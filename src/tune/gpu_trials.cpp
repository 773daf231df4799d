#include "tune/gpu_trials.hpp"

#include <fmt/format.h>

#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "course/ladder.hpp"
#include "gemm/matrices.hpp"
#include "gemm/same_product.hpp"
#include "gemm/verification.hpp"
#include "gpu/gpu.hpp"
#include "run/kernel_source.hpp"
#include "run/prepared_kernel.hpp"
#include "support/error.hpp"

namespace gemm_tutor {
namespace {

constexpr std::uint64_t seed = 1;

Error not_right(const std::string& why) {
  return {ExitStatus::wrong_result, why, "It cannot win: others are tried."};
}

std::string first_wrong_text(const WrongElement& wrong) {
  return fmt::format("C[{}][{}] is {:.6g}, not {:.6g}", wrong.row, wrong.column, wrong.value,
                     wrong.reference);
}

void require_right(const Problem& problem, const Verification& verification,
                   std::string_view where) {
  if (verification.passed) return;
  throw not_right(fmt::format("wrong at {} on the {}: {}", size_words(problem), where,
                              first_wrong_text(*verification.first_wrong)));
}

// A configuration, compiled.
struct Ready {
  PreparedKernel with_edges, timed;
  bool checked = false;
};

}  // namespace

Problem problem_with_edges(const LaunchShape& shape, const Problem& problem) {
  // An extent in whole tiles and a part of one, which is a multiple of 4 where `like` is one.
  const auto extent = [](int tiles, int tile, int like) {
    const int cut = like % 4 == 0 && tile > 4 ? 4 : 1;
    return tiles * tile - cut;
  };
  return {.m = extent(2, shape.tile_rows, problem.m),
          .n = extent(2, shape.tile_columns, problem.n),
          .k = extent(5, shape.tile_depth, problem.k)};
}

struct GpuTrials::Impl {
  Impl(const Lesson& the_lesson, const Kernel& the_kernel, GpuSpec the_gpu,
       const Problem& the_problem, Activity* the_activity)
      : lesson(the_lesson),
        kernel(the_kernel),
        gpu(std::move(the_gpu)),
        problem(the_problem),
        activity(the_activity),
        matrices(make_matrices(problem, seed, activity)),
        session(problem, matrices.a, matrices.b) {}

  // From any thread.
  void prepare(const Settings& settings) {
    const LaunchShape shape = kernel.shape(settings);
    const Problem edges = problem_with_edges(shape, problem);
    Ready ready{.with_edges = compiled_for(settings, edges),
                .timed = compiled_for(settings, problem)};
    check_on_emulator(ready.with_edges, edges);
    const std::lock_guard lock(mutex);
    all.insert_or_assign(name_of(settings), std::move(ready));
  }

  Measurement measure(const Settings& settings) {
    Ready& ready = find(settings);
    if (!ready.checked) check(ready);
    ready.checked = true;
    const gpu::KernelTiming timing = session.time(on_device(ready.timed), activity);
    Measurement result{.median_ms = timing.kernel.median_ms, .cublas_median_ms = std::nullopt};
    if (timing.cublas.runs > 0) result.cublas_median_ms = timing.cublas.median_ms;
    return result;
  }

  void release(const Settings& settings) {
    const std::lock_guard lock(mutex);
    all.erase(name_of(settings));
  }

 private:
  std::string name_of(const Settings& settings) const {
    return kernel.name_expression(settings, problem);
  }

  // Reports no progress, because several threads call it.
  PreparedKernel compiled_for(const Settings& settings, const Problem& size) const {
    return gemm_tutor::prepare(kernel_source(lesson, kernel, settings, size), size, gpu);
  }

  // References to a map's elements stay valid.
  Ready& find(const Settings& settings) {
    const std::lock_guard lock(mutex);
    return all.at(name_of(settings));
  }

  static void check_on_emulator(const PreparedKernel& prepared, const Problem& edges) {
    Matrices small = make_matrices(edges, seed);
    emulator::Options options;
    options.threads = 1;  // several of these run at the same time
    options.max_instructions = most_instructions(prepared, edges);
    const emulator::Result result = emulate(prepared, small, options);
    if (!result.findings.empty()) {
      const emulator::Finding& finding = result.findings.front();
      throw not_right(fmt::format("{} (line {})", message(finding), finding.line));
    }
    require_right(edges, verify(edges, small.a, small.b, small.c), "emulator");
  }

  // On the GPU.
  void check(const Ready& ready) {
    const Problem edges = problem_with_edges(ready.timed.source.shape, problem);
    const Matrices small = make_matrices(edges, seed);
    gpu::Session there(edges, small.a, small.b);
    require_right(edges, verify(edges, small.a, small.b, there.run(on_device(ready.with_edges))),
                  "GPU");
    std::vector<float> c = session.run(on_device(ready.timed));
    if (!known) {
      learn(std::move(c));
    } else if (const auto wrong = known->first_wrong(c)) {
      throw not_right(
          fmt::format("wrong at {} on the GPU: {}", size_words(problem), first_wrong_text(*wrong)));
    }
  }

  // The first result. It is accepted as right if it agrees with the reference and with cuBLAS.
  void learn(std::vector<float> c) {
    require_right(problem, verify(problem, matrices.a, matrices.b, c, {}, {}, activity), "GPU");
    SameProduct first(problem, matrices.a, matrices.b, std::move(c));
    if (gpu::status().cublas_available) {
      if (const auto wrong = first.first_wrong(session.run_cublas())) {
        throw not_right(fmt::format("at {} cuBLAS has another result: {}", size_words(problem),
                                    first_wrong_text(*wrong)));
      }
    }
    known.emplace(std::move(first));
  }

  const Lesson& lesson;
  const Kernel& kernel;
  const GpuSpec gpu;
  const Problem problem;
  Activity* activity;
  Matrices matrices;
  gpu::Session session;
  std::optional<SameProduct> known;
  std::mutex mutex;
  std::map<std::string, Ready> all;  // by name
};

GpuTrials::GpuTrials(const Lesson& lesson, const Kernel& kernel, const GpuSpec& gpu,
                     const Problem& problem, Activity* activity)
    : impl_(std::make_unique<Impl>(lesson, kernel, gpu, problem, activity)) {}

GpuTrials::~GpuTrials() = default;

Trials GpuTrials::trials() {
  Impl& impl = *impl_;
  return {.prepare = [&impl](const Settings& settings) { impl.prepare(settings); },
          .measure = [&impl](const Settings& settings) { return impl.measure(settings); },
          .release = [&impl](const Settings& settings) { impl.release(settings); }};
}

}  // namespace gemm_tutor
