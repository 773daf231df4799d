#include "tune/search.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <limits>
#include <mutex>
#include <thread>
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

// Infinite where nothing is known.
double estimated_ms(const Candidate& candidate) {
  return candidate.estimated() ? candidate.estimate->median_ms
                               : std::numeric_limits<double>::infinity();
}

// Prepares candidates in order on other threads. It does not run far ahead of the current
// candidate, because prepared candidates need memory until they are measured.
class Preparation {
 public:
  Preparation(const std::vector<Candidate>& candidates, int threads, const Trials& trials)
      : states_(candidates.size()),
        ahead_(2 * static_cast<std::size_t>(threads)),
        thread_([this, &candidates, &trials, threads] {
          parallel_for(static_cast<std::int64_t>(candidates.size()), threads,
                       [&](std::int64_t index, int) {
                         prepare(static_cast<std::size_t>(index), candidates, trials);
                       });
        }) {}

  ~Preparation() {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  Preparation(const Preparation&) = delete;
  Preparation& operator=(const Preparation&) = delete;

  // Throws what preparing it threw, and Interrupted.
  void wait_for(std::size_t index, const Activity& activity) {
    using namespace std::chrono_literals;
    std::unique_lock lock(mutex_);
    reached_ = std::max(reached_, index);
    changed_.notify_all();
    while (!states_[index].done) {
      activity.check();
      changed_.wait_for(lock, 20ms);
    }
    if (states_[index].failure) std::rethrow_exception(states_[index].failure);
  }

 private:
  struct State {
    bool done = false;
    std::exception_ptr failure;
  };

  bool may_begin(std::size_t index) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return over_ || index <= reached_ + ahead_; });
    return !over_;
  }

  void prepare(std::size_t index, const std::vector<Candidate>& candidates, const Trials& trials) {
    if (!may_begin(index)) return;
    State state{true, nullptr};
    try {
      if (candidates[index].failure.empty()) trials.prepare(candidates[index].settings);
    } catch (...) {
      state.failure = std::current_exception();
    }
    {
      const std::lock_guard lock(mutex_);
      states_[index] = state;
    }
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<State> states_;
  std::size_t reached_ = 0, ahead_;
  bool over_ = false;
  std::thread thread_;  // the last: it uses what is above
};

// A running search. `candidates_` are not moved during the search, because threads refer to them.
class Search {
 public:
  Search(std::vector<Candidate> candidates, const SearchRequest& request, const Trials& trials,
         Activity& activity)
      : candidates_(std::move(candidates)),
        released_(candidates_.size()),
        order_(candidates_),
        request_(request),
        trials_(trials),
        activity_(activity),
        begun_(request.seconds()) {}

  SearchResult run() {
    SearchResult result;
    try {
      result.out_of_time = !first_round();
      final_round();
    } catch (const Interrupted&) {
      result.interrupted = true;
    }
    sort();
    result.candidates = std::move(candidates_);
    result.seconds = elapsed();
    return result;
  }

 private:
  double elapsed() const { return request_.seconds() - begun_; }

  // False if the time was over before all candidates were measured.
  bool first_round() {
    Preparation preparation(order_, request_.threads, trials_);
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      if (!candidates_[i].failure.empty()) continue;
      const bool none_yet = best() == nullptr;
      if (!none_yet && elapsed() >= share_of_first_round * request_.budget) return false;
      if (none_yet && elapsed() >= request_.budget) return false;
      report(i);
      try {
        preparation.wait_for(i, activity_);
        measure(i);
      } catch (const Error& error) {
        candidates_[i].failure = error.what();
      }
      release_all_but(best_few());
    }
    return true;
  }

  void final_round() {
    const std::vector<std::size_t> few = best_few();
    if (few.size() < 2) return;
    for (int round = 0; round < rounds; ++round) {
      for (const std::size_t i : few) {
        if (elapsed() >= request_.budget && round > 0) return;
        if (!candidates_[i].measured()) continue;
        report(candidates_.size());
        try {
          measure(i);
        } catch (const Error& error) {
          candidates_[i].failure = error.what();
        }
      }
      for (const std::size_t i : few) candidates_[i].in_final = candidates_[i].measured();
    }
  }

  void measure(std::size_t index) {
    activity_.check();
    candidates_[index].measurements.push_back(trials_.measure(candidates_[index].settings));
  }

  void report(std::size_t done) const {
    if (!request_.progress) return;
    request_.progress(static_cast<int>(done), static_cast<int>(candidates_.size()), best());
  }

  // Those measured, fastest first, at most as many as there are finalists.
  std::vector<std::size_t> best_few() const {
    std::vector<std::size_t> measured;
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      if (candidates_[i].measured()) measured.push_back(i);
    }
    std::ranges::stable_sort(measured, {},
                             [&](std::size_t i) { return candidates_[i].median_ms(); });
    measured.resize(std::min(measured.size(), finalists));
    return measured;
  }

  const Candidate* best() const {
    const std::vector<std::size_t> few = best_few();
    return few.empty() ? nullptr : &candidates_[few.front()];
  }

  void release_all_but(const std::vector<std::size_t>& kept) {
    if (!trials_.release) return;
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      const bool is_over = candidates_[i].measured() || !candidates_[i].failure.empty();
      if (!is_over || released_[i] || std::ranges::count(kept, i) > 0) continue;
      trials_.release(candidates_[i].settings);
      released_[i] = true;
    }
  }

  void sort() {
    const auto place = [](const Candidate& candidate) {
      const int group = candidate.measured()         ? (candidate.in_final ? 0 : 1)
                        : !candidate.failure.empty() ? 2
                                                     : 3;
      const double measured = candidate.measured() ? candidate.median_ms() : 0;
      const double estimated = estimated_ms(candidate);
      return std::tuple(group, measured, estimated);
    };
    std::ranges::stable_sort(candidates_, {}, place);
  }

  std::vector<Candidate> candidates_;
  std::vector<bool> released_;
  const std::vector<Candidate> order_;  // as they were: what other threads look at
  const SearchRequest& request_;
  const Trials& trials_;
  Activity& activity_;
  double begun_;
};

void estimate(Candidate& candidate, const Estimator& estimator) try {
  candidate.estimate = estimator(candidate.settings);
} catch (const Interrupted&) {
} catch (const Error& error) {
  candidate.failure = error.what();
}

int differences(const Settings& settings, const Settings& own) {
  int count = 0;
  for (const auto& [name, value] : settings) count += own[name] != value;
  return count;
}

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

std::vector<Candidate> ranked(const std::vector<Settings>& configurations, const Settings& own,
                              const Estimator& estimator, int threads, Activity* activity) {
  std::vector<Candidate> candidates(1);
  candidates.front().settings = own;
  candidates.front().is_default = true;
  for (const Settings& settings : configurations) {
    if (std::ranges::count(candidates, settings, &Candidate::settings) > 0) continue;
    candidates.emplace_back().settings = settings;
  }
  Activity& watched = or_unwatched(activity);
  watched.begin("estimating", std::ssize(candidates));
  parallel_for(std::ssize(candidates), threads, [&](std::int64_t index, int) {
    if (watched.stopping()) return;
    estimate(candidates[static_cast<std::size_t>(index)], estimator);
    watched.advance();
  });
  // Of those that are estimated alike, the nearest to the kernel's own come first.
  std::ranges::stable_sort(candidates, {}, [&](const Candidate& candidate) {
    return std::tuple(!candidate.failure.empty(), estimated_ms(candidate),
                      differences(candidate.settings, own));
  });
  return candidates;
}

SearchResult search(std::vector<Candidate> candidates, const SearchRequest& request,
                    const Trials& trials, Activity* activity) {
  const auto own = std::ranges::find_if(candidates, &Candidate::is_default);
  if (own != candidates.end()) std::rotate(candidates.begin(), own, own + 1);
  return Search(std::move(candidates), request, trials, or_unwatched(activity)).run();
}

}  // namespace gemm_tutor
