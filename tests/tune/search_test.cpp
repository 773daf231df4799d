// The search, with times that are made up: no GPU, no compiler and no clock.
#include "tune/search.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <stdexcept>

#include "catch.hpp"
#include "support/error.hpp"

using namespace gemm_tutor;

namespace {

// A machine on which the configuration with BM = i takes times[i] ms, and each measurement a
// second.
struct FakeMachine {
  std::map<int, std::vector<double>> times;  // one after the other, then the last again
  std::map<int, std::string> failures;       // of measuring
  std::map<int, std::string> uncompilable;
  double now = 100;
  std::vector<int> measured;  // in this order
  std::function<void()> before_measuring = [] {};

  std::mutex mutex;
  std::vector<int> prepared, released;

  Trials trials() {
    return {.prepare =
                [this](const Settings& s) {
                  const std::lock_guard lock(mutex);
                  prepared.push_back(s["BM"]);
                  const auto found = uncompilable.find(s["BM"]);
                  if (found != uncompilable.end()) {
                    throw Error(ExitStatus::compile_error, found->second, "");
                  }
                },
            .measure =
                [this](const Settings& s) {
                  before_measuring();
                  const int which = s["BM"];
                  now += 1;
                  const auto failure = failures.find(which);
                  if (failure != failures.end()) {
                    throw Error(ExitStatus::wrong_result, failure->second, "");
                  }
                  const auto before = static_cast<std::size_t>(std::ranges::count(measured, which));
                  measured.push_back(which);
                  const std::vector<double>& all = times.at(which);
                  return Measurement{all[std::min(before, all.size() - 1)], 2.0};
                },
            .release = [this](const Settings& s) { released.push_back(s["BM"]); }};
  }

  SearchRequest request(double budget, int threads = 2) {
    SearchRequest result;
    result.budget = budget;
    result.threads = threads;
    result.seconds = [this] { return now; };
    return result;
  }
};

Estimate estimate_of(double milliseconds) {
  Estimate estimate;
  estimate.median_ms = milliseconds;
  return estimate;
}

// With estimates of 1 ms, 2 ms and so on; the last is the kernel's own.
std::vector<Candidate> candidates(int count) {
  std::vector<Candidate> result(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    result[static_cast<std::size_t>(i)].settings = {{"BM", i + 1}};
    result[static_cast<std::size_t>(i)].estimate = estimate_of(i + 1);
  }
  result.back().is_default = true;
  return result;
}

std::vector<int> order(const SearchResult& result) {
  std::vector<int> names;
  for (const Candidate& candidate : result.candidates) names.push_back(candidate.settings["BM"]);
  return names;
}

}  // namespace

TEST_CASE("autosearch: the default first, then by estimate, and the fastest wins") {
  FakeMachine machine;
  for (int i = 1; i <= 8; ++i) machine.times[i] = {10.0 + (i - 6) * (i - 6)};
  const SearchResult result = search(candidates(8), machine.request(1000), machine.trials());
  CHECK(std::vector<int>(machine.measured.begin(), machine.measured.begin() + 8) ==
        std::vector<int>{8, 1, 2, 3, 4, 5, 6, 7});
  REQUIRE(result.winner() != nullptr);
  CHECK(result.winner()->settings["BM"] == 6);
  CHECK(result.winner()->median_ms() == 10);
  CHECK(*result.winner()->percent_of_cublas() == 20);
  CHECK(result.count_measured() == 8);
  CHECK_FALSE(result.out_of_time);
  CHECK_FALSE(result.interrupted);
  CHECK(machine.prepared.size() == 8);  // each once
  std::ranges::sort(machine.released);
  CHECK(machine.released == std::vector<int>{1, 2, 3});  // all but the finalists
}

TEST_CASE("autosearch: the best few are measured again in turns, so that noise does not choose") {
  FakeMachine machine;
  for (int i = 1; i <= 7; ++i) machine.times[i] = {20.0 + i};
  machine.times[3] = {5, 30, 30, 30};  // once by luck
  machine.times[7] = {5};
  const SearchResult result = search(candidates(7), machine.request(1000), machine.trials());
  CHECK(result.winner()->settings["BM"] == 7);
  CHECK(std::ranges::count_if(result.candidates, &Candidate::in_final) == 5);
  CHECK(result.winner()->measurements.size() == 4);
  // In turns: never the same one twice running.
  CHECK(std::ranges::adjacent_find(machine.measured) == machine.measured.end());
}

TEST_CASE("autosearch: equal times are in the order of their estimates") {
  FakeMachine machine;
  for (int i = 1; i <= 4; ++i) machine.times[i] = {7};
  const SearchResult result = search(candidates(4), machine.request(1000), machine.trials());
  CHECK(order(result) == std::vector<int>{1, 2, 3, 4});
}

TEST_CASE("autosearch: what has no reliable estimate is measured too") {
  FakeMachine machine;
  for (int i = 1; i <= 3; ++i) machine.times[i] = {10.0 - i};
  std::vector<Candidate> some = candidates(3);
  some[0].estimate->doubts = {"atomic operations"};
  some[1].estimate.reset();
  const SearchResult result = search(std::move(some), machine.request(1000), machine.trials());
  CHECK(order(result) == std::vector<int>{3, 2, 1});
}

TEST_CASE("autosearch: when the budget is over, the rest is listed and not measured") {
  FakeMachine machine;
  for (int i = 1; i <= 30; ++i) machine.times[i] = {100.0 - i};
  const SearchResult result = search(candidates(30), machine.request(20), machine.trials());
  CHECK(result.out_of_time);
  CHECK(result.count_measured() == 16);  // in four fifths of it
  CHECK(result.candidates.size() == 30);
  CHECK(result.winner()->settings["BM"] == 30);
  CHECK(result.winner()->in_final);
  CHECK(result.seconds <= 21);
  // The others, best estimate first.
  CHECK(result.candidates[16].settings["BM"] == 16);
  CHECK(result.candidates[29].settings["BM"] == 29);
  CHECK_FALSE(result.candidates[16].measured());
}

TEST_CASE("autosearch: a budget for nothing still measures one") {
  FakeMachine machine;
  for (int i = 1; i <= 3; ++i) machine.times[i] = {1};
  const SearchResult result = search(candidates(3), machine.request(0.5), machine.trials());
  CHECK(result.count_measured() == 1);
  CHECK(result.winner()->is_default);
  CHECK(result.out_of_time);
}

TEST_CASE("autosearch: interrupted halfway, it keeps what is known") {
  FakeMachine machine;
  for (int i = 1; i <= 8; ++i) machine.times[i] = {10.0 + i};
  Activity activity;
  machine.before_measuring = [&] {
    if (machine.measured.size() == 4) activity.stop();
    activity.check();
  };
  const SearchResult result =
      search(candidates(8), machine.request(1000), machine.trials(), &activity);
  CHECK(result.interrupted);
  CHECK(result.count_measured() == 4);
  REQUIRE(result.winner() != nullptr);
  CHECK(result.winner()->settings["BM"] == 1);
  CHECK(result.candidates.size() == 8);
}

TEST_CASE("autosearch: interrupted in the final, the winner is one of the finalists") {
  FakeMachine machine;
  for (int i = 1; i <= 8; ++i) machine.times[i] = {10.0 + i};
  Activity activity;
  machine.before_measuring = [&] {
    if (machine.measured.size() == 10) activity.stop();
    activity.check();
  };
  const SearchResult result =
      search(candidates(8), machine.request(1000), machine.trials(), &activity);
  CHECK(result.interrupted);
  CHECK(result.count_measured() == 8);
  CHECK(result.winner()->settings["BM"] == 1);
}

TEST_CASE("autosearch: interrupted before the first, nothing wins") {
  FakeMachine machine;
  machine.times[1] = {1};
  Activity activity;
  activity.stop();
  const SearchResult result =
      search(candidates(1), machine.request(1000), machine.trials(), &activity);
  CHECK(result.interrupted);
  CHECK(result.winner() == nullptr);
}

TEST_CASE("autosearch: what fails is listed with the reason and never wins") {
  FakeMachine machine;
  for (int i = 1; i <= 4; ++i) machine.times[i] = {1.0 * i};
  machine.uncompilable[1] = "no such register";
  machine.failures[2] = "C[0][0] is 1, not 2";
  const SearchResult result = search(candidates(4), machine.request(1000), machine.trials());
  CHECK(order(result) == std::vector<int>{3, 4, 1, 2});
  CHECK(result.candidates[2].failure == "no such register");
  CHECK(result.candidates[3].failure == "C[0][0] is 1, not 2");
  CHECK(result.count_measured() == 2);
}

TEST_CASE("autosearch: where all fail, nothing wins and every reason is there") {
  FakeMachine machine;
  for (int i = 1; i <= 6; ++i) machine.failures[i] = "wrong";
  const SearchResult result = search(candidates(6), machine.request(1000), machine.trials());
  CHECK(result.winner() == nullptr);
  for (const Candidate& candidate : result.candidates) CHECK(candidate.failure == "wrong");
}

TEST_CASE("autosearch: one that fails in the final is out") {
  FakeMachine machine;
  for (int i = 1; i <= 3; ++i) machine.times[i] = {1.0 * i};
  machine.before_measuring = [&] {
    if (machine.measured.size() == 3) machine.failures[1] = "a launch failed";
  };
  const SearchResult result = search(candidates(3), machine.request(1000), machine.trials());
  CHECK(result.winner()->settings["BM"] == 2);
  CHECK(result.candidates.back().failure == "a launch failed");
}

TEST_CASE("autosearch: whatever else goes wrong ends it") {
  FakeMachine machine;
  for (int i = 1; i <= 3; ++i) machine.times[i] = {1};
  machine.before_measuring = [] { throw std::logic_error("a fault"); };
  CHECK_THROWS_AS(search(candidates(3), machine.request(1000), machine.trials()), std::logic_error);
}

TEST_CASE("autosearch: it says how far it is, and what is best") {
  FakeMachine machine;
  for (int i = 1; i <= 3; ++i) machine.times[i] = {1.0 * i};
  SearchRequest request = machine.request(1000);
  std::vector<int> done;
  std::vector<double> best;
  request.progress = [&](int now, int all, const Candidate* leader) {
    CHECK(all == 3);
    done.push_back(now);
    best.push_back(leader ? leader->median_ms() : 0);
  };
  search(candidates(3), request, machine.trials());
  REQUIRE(done.size() > 3);
  CHECK(std::vector<int>(done.begin(), done.begin() + 4) == std::vector<int>{0, 1, 2, 3});
  CHECK(std::vector<double>(best.begin(), best.begin() + 4) == std::vector<double>{0, 3, 1, 1});
}

TEST_CASE("candidates are ranked by their estimates, each once") {
  // The configuration with BM = i takes 10 - i ms, by estimate.
  const Settings own = {{"BM", 2}, {"BN", 1}};
  std::vector<Settings> configurations;
  for (int i = 1; i <= 6; ++i) configurations.push_back({{"BM", i}, {"BN", 1}});
  configurations.push_back(configurations.front());
  configurations.push_back({{"BM", 2}, {"BN", 2}});
  const Estimator estimator = [](const Settings& settings) {
    if (settings["BM"] == 3) throw Error(ExitStatus::usage, "BM must not be 3", "");
    if (settings["BM"] == 4) return std::optional<Estimate>();
    std::optional<Estimate> estimate = estimate_of(10 - settings["BM"]);
    if (settings["BM"] == 5) estimate->doubts = {"atomic operations"};
    return estimate;
  };
  Activity activity;
  const std::vector<Candidate> all = ranked(configurations, own, estimator, 2, &activity);
  CHECK(activity.state().done == 7);
  std::vector<std::pair<int, int>> order;
  for (const Candidate& c : all) order.emplace_back(c.settings["BM"], c.settings["BN"]);
  // 2 and 1 is the kernel's own, so that it is before 2 and 2, which is as fast.
  CHECK(order ==
        std::vector<std::pair<int, int>>{{6, 1}, {2, 1}, {2, 2}, {1, 1}, {4, 1}, {5, 1}, {3, 1}});
  CHECK(std::ranges::count_if(all, &Candidate::is_default) == 1);
  CHECK(all[1].is_default);
  CHECK(all.back().failure == "BM must not be 3");
}

TEST_CASE("a ranking that is interrupted has what was estimated until then") {
  Activity activity;
  const Estimator estimator = [&](const Settings& settings) -> std::optional<Estimate> {
    if (settings["BM"] == 2) activity.stop();
    return estimate_of(settings["BM"]);
  };
  const std::vector<Candidate> all =
      ranked({{{"BM", 2}}, {{"BM", 1}}}, {{"BM", 3}}, estimator, 1, &activity);
  REQUIRE(all.size() == 3);
  CHECK(all[0].settings["BM"] == 2);
  CHECK(all[1].settings["BM"] == 3);
  CHECK_FALSE(all[2].estimated());
  CHECK(all[2].failure == "");
}
