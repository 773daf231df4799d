#include "course/recorded.hpp"

#include <nlohmann/json.hpp>
#include <string>

namespace gemm_tutor {
namespace {

using Json = nlohmann::json;

bool is_at(const Json& run, const Problem& problem) {
  return Problem{run.at("m"), run.at("n"), run.at("k")} == problem;
}

RecordedTiming timing_of(const Json& result, const Problem& problem, double median_ms) {
  RecordedTiming recorded;
  recorded.device = result.at("device");
  recorded.driver = result.at("driver");
  recorded.date = result.at("date");
  recorded.median_ms = median_ms;
  recorded.tflops = problem.flops() / (median_ms * 1e9);
  return recorded;
}

std::vector<Json> parse(const std::vector<const char*>& texts) {
  std::vector<Json> results;
  for (const char* text : texts) results.push_back(Json::parse(text));
  return results;
}

const std::vector<Json>& parsed_embedded() {
  static const std::vector<Json> results = parse(embedded_results());
  return results;
}

// Returns the first run at that size on that GPU for which `fits` is true; both members are null if
// there is none.
struct FoundRun {
  const Json* result = nullptr;  // the file's
  const Json* run = nullptr;
};

template <typename Fits>
FoundRun find_run(const std::vector<Json>& results, std::string_view device, const Problem& problem,
                  Fits fits) {
  for (const Json& result : results) {
    if (result.at("device") != device) continue;
    for (const Json& run : result.at("runs")) {
      if (is_at(run, problem) && fits(run)) return {&result, &run};
    }
  }
  return {};
}

std::optional<RecordedTiming> find_timing(std::string_view kernel, const Problem& problem,
                                          std::string_view device,
                                          const std::vector<Json>& results) {
  const auto is_of_kernel = [&](const Json& run) { return run.at("kernel") == kernel; };
  const auto [result, run] = find_run(results, device, problem, is_of_kernel);
  if (!run) return {};
  RecordedTiming recorded = timing_of(*result, problem, run->at("median_ms"));
  if (run->contains("cublas_median_ms")) {
    recorded.percent_of_cublas = 100 * double{run->at("cublas_median_ms")} / recorded.median_ms;
  }
  return recorded;
}

}  // namespace

std::optional<RecordedTiming> recorded_timing(std::string_view kernel, const Problem& problem,
                                              std::string_view device) {
  return find_timing(kernel, problem, device, parsed_embedded());
}

std::optional<RecordedTiming> recorded_timing(std::string_view kernel, const Problem& problem,
                                              std::string_view device,
                                              const std::vector<const char*>& results) {
  return find_timing(kernel, problem, device, parse(results));
}

std::optional<RecordedTiming> recorded_cublas_timing(const Problem& problem,
                                                     std::string_view device) {
  const auto has_cublas = [](const Json& run) { return run.contains("cublas_median_ms"); };
  const auto [result, run] = find_run(parsed_embedded(), device, problem, has_cublas);
  if (!run) return {};
  return timing_of(*result, problem, run->at("cublas_median_ms"));
}

}  // namespace gemm_tutor
