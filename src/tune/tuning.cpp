#include "tune/tuning.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "course/ladder.hpp"
#include "gemm/matrices.hpp"
#include "gemm/same_product.hpp"
#include "gemm/verification.hpp"
#include "gpu/gpu.hpp"
#include "run/estimated.hpp"
#include "run/prepared_kernel.hpp"
#include "support/error.hpp"

namespace gemm_tutor {
namespace {

constexpr std::uint64_t seed = 1;

Error cannot_win(const std::string& why) {
  return {ExitStatus::wrong_result, why, "It cannot win: others are tried."};
}

void require_no_findings(const simt::Result& result) {
  if (result.findings.empty()) return;
  const simt::Finding& finding = result.findings.front();
  throw cannot_win(fmt::format("{} (line {})", message(finding), finding.line));
}

void require_none_wrong(const std::optional<WrongElement>& wrong, const Problem& problem,
                        std::string_view where) {
  if (!wrong) return;
  throw cannot_win(fmt::format("wrong at {} {}: C[{}][{}] is {:.6g}, not {:.6g}",
                               size_words(problem), where, wrong->row, wrong->column, wrong->value,
                               wrong->reference));
}

struct Tuned {
  LessonKernel tunable;
  simt::GpuSpec gpu;
  Problem problem;

  // Reports no progress, because several threads call it.
  PreparedKernel compiled(const Settings& settings, const Problem& size) const {
    return prepare(kernel_source(*tunable.lesson, *tunable.kernel, settings, size), size, gpu);
  }
};

// Of the first launch: estimated() counts a second one itself.
simt::Result counted_blocks(const PreparedKernel& kernel, Matrices& matrices) {
  simt::Options options;
  options.threads = 1;  // several of these run at the same time
  options.blocks = 1;
  options.check = false;
  options.max_instructions = most_instructions(kernel, matrices.problem);
  const EmulatedMemory memory(kernel, matrices);
  return kernel.program->run(kernel.launch, memory.buffers(),
                             arguments_of(kernel.parameters, matrices.problem), options);
}

// The matrices of the few emulations that run at the same time, which all write C. More would
// waste memory, because most of the time is spent in compiling.
struct Desk {
  std::mutex mutex;
  std::optional<Matrices> matrices;
};

class Estimates {
 public:
  explicit Estimates(Tuned tuned) : tuned_(std::move(tuned)) {}

  std::optional<simt::Estimate> estimate(const Settings& settings) {
    const PreparedKernel kernel = tuned_.compiled(settings, tuned_.problem);
    Desk& desk = desks_[next_++ % desks_.size()];
    const std::lock_guard lock(desk.mutex);
    if (!desk.matrices) desk.matrices = make_matrices(tuned_.problem, seed);
    const simt::Result counted = counted_blocks(kernel, *desk.matrices);
    require_no_findings(counted);
    return estimated(kernel, *desk.matrices, counted);
  }

 private:
  const Tuned tuned_;
  std::array<Desk, 4> desks_;
  std::atomic<std::size_t> next_ = 0;
};

class Measurements {
 public:
  Measurements(Tuned tuned, Activity* activity)
      : tuned_(std::move(tuned)),
        activity_(activity),
        matrices_(make_matrices(tuned_.problem, seed, activity)),
        session_(tuned_.problem, matrices_.a, matrices_.b) {}

  Measurement measure(const Candidate& candidate) {
    const PreparedKernel kernel = tuned_.compiled(candidate.settings, tuned_.problem);
    if (candidate.measurements.empty()) {
      check_edges(candidate.settings, problem_with_edges(kernel.source.shape, tuned_.problem));
      check(session_.run(on_device(kernel)));
    }
    const gpu::KernelTiming timing = session_.time(on_device(kernel), activity_);
    Measurement result{.median_ms = timing.kernel.median_ms, .cublas_median_ms = std::nullopt};
    if (timing.cublas.runs > 0) result.cublas_median_ms = timing.cublas.median_ms;
    return result;
  }

 private:
  void check_edges(const Settings& settings, const Problem& edges) const {
    const PreparedKernel kernel = tuned_.compiled(settings, edges);
    Matrices small = make_matrices(edges, seed);
    simt::Options options;
    options.max_instructions = most_instructions(kernel, edges);
    require_no_findings(emulate(kernel, small, options));
    require_right(edges, small, small.c, "on the emulator");
    require_right(edges, small, gpu::Session(edges, small.a, small.b).run(on_device(kernel)),
                  "on the GPU");
  }

  void require_right(const Problem& problem, const Matrices& matrices, const std::vector<float>& c,
                     std::string_view where) const {
    require_none_wrong(verify(problem, matrices.a, matrices.b, c, {}, {}, activity_).first_wrong,
                       problem, where);
  }

  // The first result is accepted as right if it agrees with the reference and with cuBLAS. Others
  // are compared with it.
  void check(const std::vector<float>& c) {
    const Problem& problem = tuned_.problem;
    if (known_) return require_none_wrong(known_->first_wrong(c), problem, "on the GPU");
    require_right(problem, matrices_, c, "on the GPU");
    SameProduct first(problem, matrices_.a, matrices_.b,
                      gpu::status().cublas_available ? session_.run_cublas() : c);
    require_none_wrong(first.first_wrong(c), problem, "on the GPU beside cuBLAS");
    known_.emplace(std::move(first));
  }

  const Tuned tuned_;
  Activity* activity_;
  const Matrices matrices_;
  gpu::Session session_;
  std::optional<SameProduct> known_;
};

}  // namespace

LessonKernel find_tunable(const std::vector<Lesson>& lessons) {
  for (const Lesson& lesson : lessons) {
    for (const Kernel& kernel : lesson.kernels) {
      if (kernel.configurations) return {lesson, kernel};
    }
  }
  throw Error(ExitStatus::unavailable, "no lesson has a kernel to tune",
              "'gemm-tutor list' shows the lessons there are.");
}

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

Trials estimates_of(const LessonKernel& tunable, const simt::GpuSpec& gpu, const Problem& problem) {
  const auto estimates = std::make_shared<Estimates>(Tuned{tunable, gpu, problem});
  return {[estimates](const Settings& settings) { return estimates->estimate(settings); }};
}

Trials trials_on_gpu(const LessonKernel& tunable, const simt::GpuSpec& gpu, const Problem& problem,
                     Activity* activity) {
  Trials trials = estimates_of(tunable, gpu, problem);
  const auto measurements = std::make_shared<Measurements>(Tuned{tunable, gpu, problem}, activity);
  trials.measure = [measurements](const Candidate& candidate) {
    return measurements->measure(candidate);
  };
  return trials;
}

std::vector<const Candidate*> Tuning::ranking() const {
  std::vector<const Candidate*> ranking;
  for (const Candidate& candidate : result.candidates) {
    if (measured ? candidate.measured() : candidate.estimated()) ranking.push_back(&candidate);
  }
  return ranking;
}

std::vector<Counted> count_best(const Tuning& tuning, Activity* activity) {
  const std::vector<const Candidate*> ranking = tuning.ranking();
  if (ranking.empty()) return {};
  std::vector<std::pair<std::string, const Candidate*>> roles = {
      {tuning.measured ? "winner" : "best estimate", ranking.front()}};
  const auto own = std::ranges::find_if(ranking, &Candidate::is_default);
  if (own != ranking.end() && own != ranking.begin()) roles.emplace_back("default", *own);
  if (ranking.size() > 1 && own != ranking.begin() + 1) {
    roles.emplace_back(tuning.measured ? "runner-up" : "next", ranking[1]);
  }
  RunOptions options;
  options.problem = tuning.problem;
  options.backend = Backend::emulator;
  options.gpu = tuning.gpu.name;
  options.one_of_many = true;
  options.activity = activity;
  std::vector<Counted> counted;
  for (const auto& [role, candidate] : roles) {
    counted.push_back({role, run_kernel(*tuning.tunable.lesson, *tuning.tunable.kernel,
                                        candidate->settings, options)});
  }
  return counted;
}

}  // namespace gemm_tutor
