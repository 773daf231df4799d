// Configurations of a kernel are estimated without a GPU, and measured where there is one.
#include <algorithm>
#include <chrono>
#include <map>
#include <stdexcept>

#include "catch.hpp"
#include "gpu/gpu.hpp"
#include "simt/compiler.hpp"
#include "support/error.hpp"
#include "tune/tuning.hpp"

using namespace gemm_tutor;

namespace {

Settings tile(int bm, int bn, int bk, int tm, int tn) {
  return {{"BM", bm}, {"BN", bn}, {"BK", bk}, {"TM", tm}, {"TN", tn}};
}

std::vector<Settings> some_configurations() {
  return {tile(128, 128, 8, 8, 8), tile(64, 64, 16, 4, 4), tile(64, 64, 16, 8, 8),
          tile(128, 128, 16, 8, 8), tile(64, 64, 32, 4, 4)};
}

// A lesson with a kernel that can be tuned: lesson 9's, with a few configurations.
Lesson tunable_lesson() {
  Lesson lesson = find_lesson("9");
  lesson.kernels.resize(1);
  lesson.kernels.front().configurations = [](const simt::GpuSpec&, const Problem&) {
    return some_configurations();
  };
  return lesson;
}

using Estimator = std::function<std::optional<simt::Estimate>(const Settings&)>;

Estimator on_h200(const Lesson& lesson, const Problem& problem) {
  return estimates_of({lesson, lesson.kernels.front()}, simt::find_gpu("h200"), problem).estimate;
}

Estimator on_h200(const Problem& problem) {
  static const Lesson tunable = tunable_lesson();
  return on_h200(tunable, problem);
}

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

SearchResult tuned(const Lesson& lesson, const Problem& problem) {
  const Kernel& kernel = lesson.kernels.front();
  const simt::GpuSpec& gpu = gpu::status().spec;
  const SearchRequest request{.configurations = kernel.configurations(gpu, problem),
                              .own = kernel.settings,
                              .budget = 60,
                              .threads = 2,
                              .seconds = seconds};
  return search(request, trials_on_gpu({lesson, kernel}, gpu, problem));
}

}  // namespace

TEST_CASE("a configuration's estimate is near the time that was recorded of it") {
  if (!simt::compiler_status().has_assembler) SKIP_BECAUSE("this compiler makes no machine code");
  // docs/results/nvidia-h200.json: lesson 9's own settings.
  const auto estimate = on_h200({2048, 2048, 2048})(tile(128, 128, 8, 8, 8));
  REQUIRE(estimate.has_value());
  REQUIRE(estimate->is_reliable());
  CHECK(estimate->low_ms < 0.355232);
  CHECK(estimate->high_ms > 0.355232);
  CHECK(estimate->gpu == "NVIDIA H200");
}

TEST_CASE("a small problem leaves SMs idle, and small tiles fewer of them") {
  if (!simt::compiler_status().has_assembler) SKIP_BECAUSE("this compiler makes no machine code");
  const Estimator of = on_h200({512, 512, 512});
  CHECK(of(tile(64, 64, 16, 4, 4))->median_ms < of(tile(128, 128, 16, 8, 8))->median_ms);
}

TEST_CASE(
    "lesson 14's orders of the sums are ranked as they were measured, and so are its blocks") {
  if (!simt::compiler_status().has_assembler) SKIP_BECAUSE("this compiler makes no machine code");
  const Lesson& beyond = find_lesson("beyond-cublas");
  const Kernel& kernel = beyond.kernels.front();
  const Problem problem{2048, 2048, 2048};
  const simt::GpuSpec gpu = simt::find_gpu("h200");
  const Estimator estimator = on_h200(beyond, problem);
  const auto milliseconds = [&](const std::string& setting, int value) {
    Settings settings = untuned_settings(kernel, gpu, problem);
    settings.set(setting, value);
    return estimator(settings)->median_ms;
  };
  // Of cuBLAS 102.3, 105.2 and 104.5 % (lessons/14-beyond-cublas/lesson.md).
  CHECK(milliseconds("ORDER", 1) > milliseconds("ORDER", 3));
  CHECK(milliseconds("ORDER", 3) > milliseconds("ORDER", 2));
  // 128 blocks have a tile each. 132 share them, which a second launch has to pay for.
  CHECK(milliseconds("BLOCKS", 132) > milliseconds("BLOCKS", 128));
}

TEST_CASE("a configuration that leaves its matrices has no estimate, and those after it have") {
  if (!simt::compiler_status().has_assembler) SKIP_BECAUSE("this compiler makes no machine code");
  Lesson wrong = tunable_lesson();
  const std::string right = "const float* A, const float* B, float* C, int M, int N, int K) {";
  const std::size_t at = wrong.source.find(right);
  REQUIRE(at != std::string::npos);
  wrong.source.insert(at + right.size(), "\n  if (BK == 32) C[-1000000] = 0;");
  const Estimator of = on_h200(wrong, {256, 256, 256});
  for (int times = 0; times < 5; ++times) {
    CHECK_THROWS_AS(of(tile(64, 64, 32, 4, 4)), Error);
  }
  CHECK(of(tile(64, 64, 16, 4, 4)).has_value());
}

TEST_CASE("settings that cannot be compiled or launched have no estimate") {
  const Estimator of = on_h200({64, 64, 64});
  CHECK_THROWS_AS(of(tile(512, 512, 32, 8, 8)), Error);
  CHECK_THROWS_AS(of(tile(128, 128, 6, 8, 8)), Error);
}

TEST_CASE("the size with edges has parts of tiles, in the alignment of the problem") {
  LaunchShape shape;
  shape.tile_rows = 128;
  shape.tile_columns = 64;
  shape.tile_depth = 16;
  for (const Problem problem : {Problem{4096, 4096, 4096}, {4095, 4097, 4098}, {512, 511, 512}}) {
    const Problem edges = problem_with_edges(shape, problem);
    CHECK(edges.m % shape.tile_rows != 0);
    CHECK(edges.n % shape.tile_columns != 0);
    CHECK(edges.k % shape.tile_depth != 0);
    CHECK(edges.m > shape.tile_rows);
    CHECK(edges.n > shape.tile_columns);
    CHECK((edges.n % 4 == 0) == (problem.n % 4 == 0));
    CHECK((edges.k % 4 == 0) == (problem.k % 4 == 0));
  }
}

TEST_CASE("every configuration is measured on the GPU, beside cuBLAS") {
  if (!gpu::status().available) SKIP_BECAUSE(gpu::status().problem);
  const Lesson lesson = tunable_lesson();
  for (const Problem problem : {Problem{1024, 1024, 1024}, {999, 1001, 500}}) {
    const SearchResult result = tuned(lesson, problem);
    for (const Candidate& candidate : result.candidates) {
      INFO(lesson.kernels.front().name_expression(candidate.settings, problem));
      CHECK(candidate.failure == "");
      REQUIRE(candidate.measured());
      CHECK(candidate.median_ms() > 0);
      CHECK(candidate.percent_of_cublas().has_value() == gpu::status().cublas_available);
    }
  }
}

TEST_CASE("a configuration with a wrong result is found on the way to the GPU") {
  if (!gpu::status().available) SKIP_BECAUSE(gpu::status().problem);
  Lesson lesson = tunable_lesson();
  const std::string right = "sum[i][j] +=";
  const std::size_t at = lesson.source.find(right);
  REQUIRE(at != std::string::npos);
  lesson.source.replace(at, right.size(), "sum[i][j] += 0.5f *");
  const SearchResult result = tuned(lesson, {512, 512, 512});
  CHECK(result.winner() == nullptr);
  for (const Candidate& candidate : result.candidates) CHECK(candidate.failure != "");
}

// The search, with times that are made up: no GPU, no compiler and no clock.
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

TEST_CASE(
    "autosearch: the best few are measured again, alternating, so that noise does not decide") {
  FakeMachine machine;
  for (int i = 1; i <= 7; ++i) machine.times[i] = {20.0 + i};
  machine.times[3] = {5, 30, 30, 30};  // once by luck
  machine.times[7] = {5};
  const SearchResult result = search(machine.request(7, 1000), machine.trials());
  CHECK(result.winner()->settings["BM"] == 7);
  CHECK(std::ranges::count_if(result.candidates, &Candidate::in_final) == 5);
  CHECK(result.winner()->measurements.size() == 4);
  // No setting is measured twice in a row.
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
