#include "tune/search.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <tuple>
#include <utility>

#include "support/error.hpp"
#include "support/median.hpp"
#include "support/parallel.hpp"

namespace gemm_tutor {
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
