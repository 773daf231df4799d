#include "tune/tuning.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <tuple>
#include <utility>

#include "course/ladder.hpp"
#include "gemm/matrices.hpp"
#include "gemm/verification.hpp"
#include "gpu/gpu.hpp"
#include "run/cuda_run.hpp"
#include "run/prepared_kernel.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"
#include "support/parallel.hpp"

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

namespace {

constexpr std::size_t finalists = 5;
constexpr int rounds = 3;                     // measurements of each finalist
constexpr double share_of_first_round = 0.8;  // of the budget

double median_of(std::vector<double> values) {
  std::ranges::sort(values);
  return median(values);
}

int differences(const Settings& settings, const Settings& own) {
  int count = 0;
  for (const auto& [name, value] : settings) count += own[name] != value;
  return count;
}

// A running search.
class Search {
 public:
  Search(const SearchRequest& request, Trials& trials, Activity& activity)
      : request_(request), trials_(trials), activity_(activity), begun_(request.seconds()) {
    candidates_.push_back({.settings = request.own, .is_default = true});
    for (const Settings& settings : request.configurations) {
      if (std::ranges::count(candidates_, settings, &Candidate::settings) > 0) continue;
      candidates_.push_back({.settings = settings});
    }
  }

  SearchResult run() {
    SearchResult result;
    try {
      estimate();
      trials_.estimate = nullptr;  // frees the matrices that it holds
      sort();
      begun_ = request_.seconds();
      if (trials_.measure) result.out_of_time = !first_round();
      if (trials_.measure) final_round();
    } catch (const Interrupted&) {
      result.interrupted = true;
    }
    result.seconds = elapsed();
    result.interrupted = result.interrupted || activity_.stopping();
    sort();
    result.candidates = std::move(candidates_);
    return result;
  }

 private:
  double elapsed() const { return request_.seconds() - begun_; }

  void estimate() {
    activity_.begin("estimating", std::ssize(candidates_));
    parallel_for(std::ssize(candidates_), request_.threads, [&](std::int64_t index, int) {
      if (activity_.stopping()) return;
      Candidate& candidate = candidates_[static_cast<std::size_t>(index)];
      try {
        candidate.estimate = trials_.estimate(candidate.settings);
      } catch (const Interrupted&) {
      } catch (const Error& error) {
        candidate.failure = error.what();
      }
      activity_.advance();
    });
  }

  // False if the time was over before all candidates were measured.
  bool first_round() {
    const auto own = std::ranges::find_if(candidates_, &Candidate::is_default);
    std::rotate(candidates_.begin(), own, own + 1);
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      if (!candidates_[i].failure.empty()) continue;
      const double share = best_few().empty() ? 1 : share_of_first_round;
      if (elapsed() >= share * request_.budget) return false;
      measure(candidates_[i], i);
    }
    return true;
  }

  void final_round() {
    const std::vector<Candidate*> few = best_few();
    if (few.size() < 2) return;
    for (int round = 0; round < rounds; ++round) {
      for (Candidate* candidate : few) {
        if (elapsed() >= request_.budget && round > 0) return;
        if (candidate->measured()) measure(*candidate, candidates_.size());
      }
      for (Candidate* candidate : few) candidate->in_final = candidate->measured();
    }
  }

  void measure(Candidate& candidate, std::size_t done) try {
    if (request_.progress) {
      const std::vector<Candidate*> few = best_few();
      request_.progress(static_cast<int>(done), static_cast<int>(candidates_.size()),
                        few.empty() ? nullptr : few.front());
    }
    activity_.check();
    candidate.measurements.push_back(trials_.measure(candidate));
  } catch (const Error& error) {
    candidate.failure = error.what();
  }

  // Those measured, fastest first, at most as many as there are finalists.
  std::vector<Candidate*> best_few() {
    std::vector<Candidate*> measured;
    for (Candidate& candidate : candidates_) {
      if (candidate.measured()) measured.push_back(&candidate);
    }
    std::ranges::stable_sort(measured, {}, &Candidate::median_ms);
    measured.resize(std::min(measured.size(), finalists));
    return measured;
  }

  void sort() {
    std::ranges::stable_sort(candidates_, {}, [&](const Candidate& candidate) {
      constexpr double unknown = std::numeric_limits<double>::infinity();
      return std::tuple(!candidate.failure.empty(), !candidate.in_final,
                        candidate.measured() ? candidate.median_ms() : unknown,
                        candidate.estimated() ? candidate.estimate->median_ms : unknown,
                        differences(candidate.settings, request_.own));
    });
  }

  const SearchRequest& request_;
  Trials& trials_;
  Activity& activity_;
  std::vector<Candidate> candidates_;
  double begun_;
};

}  // namespace

double Candidate::median_ms() const {
  std::vector<double> times;
  for (const Measurement& measurement : measurements) times.push_back(measurement.median_ms);
  return median_of(std::move(times));
}

std::optional<double> Candidate::percent_of_cublas() const {
  std::vector<double> percent;
  for (const Measurement& measurement : measurements) {
    if (!measurement.cublas_median_ms) continue;
    percent.push_back(100 * *measurement.cublas_median_ms / measurement.median_ms);
  }
  return percent.empty() ? std::nullopt : std::optional(median_of(std::move(percent)));
}

const Candidate* SearchResult::winner() const {
  return candidates.empty() || !candidates.front().measured() ? nullptr : &candidates.front();
}

int SearchResult::count_measured() const {
  return static_cast<int>(std::ranges::count_if(candidates, &Candidate::measured));
}

SearchResult search(const SearchRequest& request, Trials trials, Activity* activity) {
  return Search(request, trials, or_unwatched(activity)).run();
}

}  // namespace gemm_tutor
