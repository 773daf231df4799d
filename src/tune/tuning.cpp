#include "tune/tuning.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "course/ladder.hpp"
#include "support/error.hpp"

namespace gemm_tutor {
namespace {

// What the best is compared with: the default, and the next best.
std::vector<std::pair<std::string, const Candidate*>> chosen(const Tuning& tuning) {
  std::vector<std::pair<std::string, const Candidate*>> result;
  const auto add = [&](std::string role, const Candidate& candidate) {
    const bool is_there =
        std::ranges::any_of(result, [&](const auto& other) { return other.second == &candidate; });
    const bool can = tuning.measured ? candidate.measured() : candidate.estimated();
    if (can && !is_there) result.emplace_back(std::move(role), &candidate);
  };
  const std::vector<Candidate>& all = tuning.result.candidates;
  if (all.empty()) return result;
  add(tuning.measured ? "winner" : "best estimate", all[0]);
  for (const Candidate& candidate : all) {
    if (candidate.is_default) add("default", candidate);
  }
  if (all.size() > 1) add(tuning.measured ? "runner-up" : "next", all[1]);
  return result;
}

}  // namespace

Tunable find_tunable(const std::vector<Lesson>& lessons) {
  for (const Lesson& lesson : lessons) {
    for (const Kernel& kernel : lesson.kernels) {
      if (kernel.configurations) return {&lesson, &kernel};
    }
  }
  throw Error(ExitStatus::unavailable, "no lesson has a kernel to tune",
              "'gemm-tutor list' shows the lessons there are.");
}

std::vector<Counted> count_best(const Tuning& tuning, Activity* activity) {
  RunOptions options;
  options.problem = tuning.problem;
  options.backend = Backend::emulator;
  options.gpu = tuning.gpu.name;
  options.one_of_many = true;
  options.activity = activity;
  std::vector<Counted> counted;
  for (const auto& [role, candidate] : chosen(tuning)) {
    counted.push_back(
        {role, candidate->is_default,
         run_kernel(*tuning.tunable.lesson, *tuning.tunable.kernel, candidate->settings, options)});
  }
  return counted;
}

double busy_share(const KernelRun& run) {
  const auto blocks = static_cast<double>(run.launch->grid.count());
  const double sms = run.gpu->multiprocessors;
  return blocks / (std::ceil(blocks / sms) * sms);
}

double Aspect::factor() const {
  const double least = std::min(best, other), most = std::max(best, other);
  return most == least ? 1 : most / std::max(least, 1e-9);
}

std::vector<Aspect> aspects(const KernelRun& best, const KernelRun& other) {
  const auto loads = [](const KernelRun& run) {
    return static_cast<double>(run.traffic.counted_loads.value_or(0));
  };
  std::vector<Aspect> all = {
      {"FFMA of all instructions", ffma_share(best), ffma_share(other), true},
      {"shared wavefronts per FFMA", wavefronts_per_ffma(best).value_or(0),
       wavefronts_per_ffma(other).value_or(0), false},
      {"floats loaded", loads(best), loads(other), false},
      {"SMs at work", busy_share(best), busy_share(other), true}};
  if (best.occupancy->exact && other.occupancy->exact) {
    all.push_back({"occupancy", best.occupancy->occupancy, other.occupancy->occupancy, true});
  }
  return all;
}

std::optional<Aspect> largest_advantage(const KernelRun& best, const KernelRun& other) {
  constexpr double least_factor = 1.05;
  std::optional<Aspect> largest;
  for (const Aspect& aspect : aspects(best, other)) {
    const bool is_better =
        aspect.more_is_better ? aspect.best > aspect.other : aspect.best < aspect.other;
    if (is_better && aspect.factor() > least_factor &&
        (!largest || aspect.factor() > largest->factor()))
      largest = aspect;
  }
  return largest;
}

}  // namespace gemm_tutor
