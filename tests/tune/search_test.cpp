// The search, with times that are made up: no GPU, no compiler and no clock.
#include "tune/search.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>

#include "catch.hpp"
#include "support/error.hpp"

using namespace gemm_tutor;

namespace {

simt::Estimate estimate_of(double milliseconds) {
  simt::Estimate estimate;
  estimate.median_ms = milliseconds;
  return estimate;
}

// A machine on which the configuration with BM = i takes times[i] ms, and each measurement a
// second.
struct FakeMachine {
  std::map<int, std::vector<double>> times;  // one after the other, then the last again
  std::map<int, std::string> failures;       // of measuring
  std::map<int, std::string> uncompilable;
  double now = 100;
  std::vector<int> measured;  // in this order
  std::function<void()> before_measuring = [] {};

  // Of 1 ms, 2 ms and so on, unless others are given. Estimating does not count as a measurement.
  std::map<int, std::optional<simt::Estimate>> estimates;

  Trials trials() {
    return {.estimate = [this](const Settings& s) -> std::optional<simt::Estimate> {
              const auto failure = uncompilable.find(s["BM"]);
              if (failure != uncompilable.end()) {
                throw Error(ExitStatus::compile_error, failure->second, "");
              }
              const auto found = estimates.find(s["BM"]);
              return found == estimates.end() ? estimate_of(s["BM"]) : found->second;
            },
            .measure =
                [this](const Candidate& candidate) {
                  before_measuring();
                  const int which = candidate.settings["BM"];
                  now += 1;
                  const auto failure = failures.find(which);
                  if (failure != failures.end()) {
                    throw Error(ExitStatus::wrong_result, failure->second, "");
                  }
                  const auto before = static_cast<std::size_t>(std::ranges::count(measured, which));
                  CHECK(candidate.measurements.size() == before);
                  measured.push_back(which);
                  const std::vector<double>& all = times.at(which);
                  return Measurement{all[std::min(before, all.size() - 1)], 2.0};
                }};
  }

  // Of the configurations 1 to `count`; the last is the kernel's own.
  SearchRequest request(int count, double budget) {
    SearchRequest result;
    for (int i = 1; i < count; ++i) result.configurations.push_back({{"BM", i}});
    result.own = {{"BM", count}};
    result.budget = budget;
    result.threads = 2;
    result.seconds = [this] { return now; };
    return result;
  }
};

std::vector<int> order(const SearchResult& result) {
  std::vector<int> names;
  for (const Candidate& candidate : result.candidates) names.push_back(candidate.settings["BM"]);
  return names;
}

}  // namespace

TEST_CASE("autosearch: the default first, then by estimate, and the fastest wins") {
  FakeMachine machine;
  for (int i = 1; i <= 8; ++i) machine.times[i] = {10.0 + (i - 6) * (i - 6)};
  const SearchResult result = search(machine.request(8, 1000), machine.trials());
  CHECK(std::vector<int>(machine.measured.begin(), machine.measured.begin() + 8) ==
        std::vector<int>{8, 1, 2, 3, 4, 5, 6, 7});
  REQUIRE(result.winner() != nullptr);
  CHECK(result.winner()->settings["BM"] == 6);
  CHECK(result.winner()->median_ms() == 10);
  CHECK(*result.winner()->percent_of_cublas() == 20);
  CHECK(result.count_measured() == 8);
  CHECK_FALSE(result.out_of_time);
  CHECK_FALSE(result.interrupted);
}

TEST_CASE("autosearch: the best few are measured again in turns, so that noise does not choose") {
  FakeMachine machine;
  for (int i = 1; i <= 7; ++i) machine.times[i] = {20.0 + i};
  machine.times[3] = {5, 30, 30, 30};  // once by luck
  machine.times[7] = {5};
  const SearchResult result = search(machine.request(7, 1000), machine.trials());
  CHECK(result.winner()->settings["BM"] == 7);
  CHECK(std::ranges::count_if(result.candidates, &Candidate::in_final) == 5);
  CHECK(result.winner()->measurements.size() == 4);
  // In turns: never the same one twice running.
  CHECK(std::ranges::adjacent_find(machine.measured) == machine.measured.end());
}

TEST_CASE("autosearch: equal times are in the order of their estimates") {
  FakeMachine machine;
  for (int i = 1; i <= 4; ++i) machine.times[i] = {7};
  const SearchResult result = search(machine.request(4, 1000), machine.trials());
  CHECK(order(result) == std::vector<int>{1, 2, 3, 4});
}

TEST_CASE("autosearch: what has no reliable estimate is measured too") {
  FakeMachine machine;
  for (int i = 1; i <= 3; ++i) machine.times[i] = {10.0 - i};
  machine.estimates[1] = estimate_of(1);
  machine.estimates[1]->doubts = {"atomic operations"};
  machine.estimates[2] = std::nullopt;
  const SearchResult result = search(machine.request(3, 1000), machine.trials());
  CHECK(order(result) == std::vector<int>{3, 2, 1});
}

TEST_CASE("autosearch: when the budget is over, the rest is listed and not measured") {
  FakeMachine machine;
  for (int i = 1; i <= 30; ++i) machine.times[i] = {100.0 - i};
  const SearchResult result = search(machine.request(30, 20), machine.trials());
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
  const SearchResult result = search(machine.request(3, 0.5), machine.trials());
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
  const SearchResult result = search(machine.request(8, 1000), machine.trials(), &activity);
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
  const SearchResult result = search(machine.request(8, 1000), machine.trials(), &activity);
  CHECK(result.interrupted);
  CHECK(result.count_measured() == 8);
  CHECK(result.winner()->settings["BM"] == 1);
}

TEST_CASE("autosearch: interrupted before the first, nothing wins") {
  FakeMachine machine;
  machine.times[1] = {1};
  Activity activity;
  activity.stop();
  const SearchResult result = search(machine.request(1, 1000), machine.trials(), &activity);
  CHECK(result.interrupted);
  CHECK(result.winner() == nullptr);
}

TEST_CASE("autosearch: what fails is listed with the reason and never wins") {
  FakeMachine machine;
  for (int i = 1; i <= 4; ++i) machine.times[i] = {1.0 * i};
  machine.uncompilable[1] = "no such register";
  machine.failures[2] = "C[0][0] is 1, not 2";
  const SearchResult result = search(machine.request(4, 1000), machine.trials());
  CHECK(order(result) == std::vector<int>{3, 4, 2, 1});
  CHECK(result.candidates[2].failure == "C[0][0] is 1, not 2");
  CHECK(result.candidates[3].failure == "no such register");
  CHECK(result.count_measured() == 2);
}

TEST_CASE("autosearch: where all fail, nothing wins and every reason is there") {
  FakeMachine machine;
  for (int i = 1; i <= 6; ++i) machine.failures[i] = "wrong";
  const SearchResult result = search(machine.request(6, 1000), machine.trials());
  CHECK(result.winner() == nullptr);
  for (const Candidate& candidate : result.candidates) CHECK(candidate.failure == "wrong");
}

TEST_CASE("autosearch: one that fails in the final is out") {
  FakeMachine machine;
  for (int i = 1; i <= 3; ++i) machine.times[i] = {1.0 * i};
  machine.before_measuring = [&] {
    if (machine.measured.size() == 3) machine.failures[1] = "a launch failed";
  };
  const SearchResult result = search(machine.request(3, 1000), machine.trials());
  CHECK(result.winner()->settings["BM"] == 2);
  CHECK(result.candidates.back().failure == "a launch failed");
}

TEST_CASE("autosearch: whatever else goes wrong ends it") {
  FakeMachine machine;
  for (int i = 1; i <= 3; ++i) machine.times[i] = {1};
  machine.before_measuring = [] { throw std::logic_error("a fault"); };
  CHECK_THROWS_AS(search(machine.request(3, 1000), machine.trials()), std::logic_error);
}

TEST_CASE("autosearch: it says how far it is, and what is best") {
  FakeMachine machine;
  for (int i = 1; i <= 3; ++i) machine.times[i] = {1.0 * i};
  SearchRequest request = machine.request(3, 1000);
  std::vector<int> done;
  std::vector<double> best;
  request.progress = [&](int now, int all, const Candidate* leader) {
    CHECK(all == 3);
    done.push_back(now);
    best.push_back(leader ? leader->median_ms() : 0);
  };
  search(request, machine.trials());
  REQUIRE(done.size() > 3);
  CHECK(std::vector<int>(done.begin(), done.begin() + 4) == std::vector<int>{0, 1, 2, 3});
  CHECK(std::vector<double>(best.begin(), best.begin() + 4) == std::vector<double>{0, 3, 1, 1});
}

TEST_CASE("without measurements candidates are ranked by their estimates, each once") {
  // The configuration with BM = i takes 10 - i ms, by estimate.
  SearchRequest request;
  request.seconds = [] { return 0.0; };
  request.own = {{"BM", 2}, {"BN", 1}};
  for (int i = 1; i <= 6; ++i) request.configurations.push_back({{"BM", i}, {"BN", 1}});
  request.configurations.push_back(request.configurations.front());
  request.configurations.push_back({{"BM", 2}, {"BN", 2}});
  const Trials trials = {[](const Settings& settings) {
    if (settings["BM"] == 3) throw Error(ExitStatus::usage, "BM must not be 3", "");
    if (settings["BM"] == 4) return std::optional<simt::Estimate>();
    std::optional<simt::Estimate> estimate = estimate_of(10 - settings["BM"]);
    if (settings["BM"] == 5) estimate->doubts = {"atomic operations"};
    return estimate;
  }};
  Activity activity;
  const SearchResult result = search(request, trials, &activity);
  CHECK(activity.state().done == 7);
  CHECK_FALSE(result.interrupted);
  CHECK(result.winner() == nullptr);
  const std::vector<Candidate>& all = result.candidates;
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
  SearchRequest request;
  request.seconds = [] { return 0.0; };
  request.configurations = {{{"BM", 2}}, {{"BM", 1}}};
  request.own = {{"BM", 3}};
  const Trials trials = {[&](const Settings& settings) -> std::optional<simt::Estimate> {
    if (settings["BM"] == 2) activity.stop();
    return estimate_of(settings["BM"]);
  }};
  const SearchResult result = search(request, trials, &activity);
  CHECK(result.interrupted);
  const std::vector<Candidate>& all = result.candidates;
  REQUIRE(all.size() == 3);
  CHECK(all[0].settings["BM"] == 2);
  CHECK(all[1].settings["BM"] == 3);
  CHECK_FALSE(all[2].estimated());
  CHECK(all[2].failure == "");
}
