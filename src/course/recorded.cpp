#include "course/recorded.hpp"

#include <algorithm>
#include <cmath>
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

// Calls `use` with each of `kind`, "runs" or "passes", at that size on that GPU, and the file's
// object that it is in.
template <typename Use>
void for_each_run(const std::vector<Json>& results, std::string_view device, const Problem& problem,
                  const char* kind, Use use) {
  for (const Json& result : results) {
    if (result.at("device") != device || !result.contains(kind)) continue;
    for (const Json& run : result.at(kind)) {
      if (is_at(run, problem)) use(result, run);
    }
  }
}

// In each pass; empty if none was recorded.
std::vector<double> percents_of_cublas(std::string_view kernel, const Problem& problem,
                                       std::string_view device, const std::vector<Json>& results) {
  std::vector<double> percents;
  for_each_run(results, device, problem, "passes", [&](const Json&, const Json& passes) {
    if (passes.at("kernel") != kernel) return;
    const Json& cublas = passes.at("cublas_median_ms");
    for (std::size_t i = 0; i < cublas.size(); ++i) {
      percents.push_back(100 * double{cublas[i]} / double{passes.at("median_ms")[i]});
    }
  });
  return percents;
}

std::optional<RecordedGain> find_gain(std::string_view kernel, std::string_view other,
                                      const Problem& problem, std::string_view device,
                                      const std::vector<Json>& results) {
  std::vector<double> gains = percents_of_cublas(kernel, problem, device, results);
  const std::vector<double> before = percents_of_cublas(other, problem, device, results);
  if (gains.size() < 2 || gains.size() != before.size()) return {};
  const auto passes = static_cast<double>(gains.size());
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < gains.size(); ++i) sum += gains[i] -= before[i];
  for (const double gain : gains) squares += std::pow(gain - sum / passes, 2);
  return RecordedGain{sum / passes, std::sqrt(squares / (passes - 1))};
}

std::optional<RecordedTiming> find_timing(std::string_view kernel, const Problem& problem,
                                          std::string_view device,
                                          const std::vector<Json>& results) {
  std::optional<RecordedTiming> recorded;
  for_each_run(results, device, problem, "runs", [&](const Json& result, const Json& run) {
    if (recorded || run.at("kernel") != kernel) return;
    recorded = timing_of(result, problem, run.at("median_ms"));
    if (run.contains("cublas_median_ms")) {
      recorded->percent_of_cublas = 100 * double{run.at("cublas_median_ms")} / recorded->median_ms;
    }
  });
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

std::optional<RecordedGain> recorded_gain(std::string_view kernel, std::string_view other,
                                          const Problem& problem, std::string_view device) {
  return find_gain(kernel, other, problem, device, parsed_embedded());
}

std::optional<RecordedGain> recorded_gain(std::string_view kernel, std::string_view other,
                                          const Problem& problem, std::string_view device,
                                          const std::vector<const char*>& results) {
  return find_gain(kernel, other, problem, device, parse(results));
}

std::optional<RecordedTiming> recorded_cublas_timing(const Problem& problem,
                                                     std::string_view device) {
  std::vector<double> medians_ms;
  const Json* file = nullptr;
  for_each_run(parsed_embedded(), device, problem, "runs",
               [&](const Json& result, const Json& run) {
                 if (!run.contains("cublas_median_ms")) return;
                 medians_ms.push_back(run.at("cublas_median_ms"));
                 file = &result;
               });
  if (file == nullptr) return {};
  const auto middle = medians_ms.begin() + std::ssize(medians_ms) / 2;
  std::ranges::nth_element(medians_ms, middle);
  return timing_of(*file, problem, *middle);
}

}  // namespace gemm_tutor
