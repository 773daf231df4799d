#include "course/recorded.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "course/embedded_lessons.hpp"
#include "course/ladder.hpp"
#include "gemm/problem.hpp"
#include "support/error.hpp"
#include "support/text.hpp"

namespace gemm_tutor {
namespace {

using Json = nlohmann::json;

bool is_at(const Json& run, const Problem& problem) {
  return Problem{run.at("m"), run.at("n"), run.at("k")} == problem;
}

// FP32, unless the file says otherwise.
Precision precision_of(const Json& run) {
  return precision_named(run.value("precision", "fp32")).value();
}

RecordedTiming timing_of(const Json& result, const Problem& problem, Precision precision,
                         double median_ms) {
  RecordedTiming recorded;
  recorded.precision = precision;
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
    recorded = timing_of(result, problem, precision_of(run), run.at("median_ms"));
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
                                                     std::string_view device, Precision precision) {
  std::vector<double> medians_ms;
  const Json* file = nullptr;
  for_each_run(parsed_embedded(), device, problem, "runs",
               [&](const Json& result, const Json& run) {
                 if (!run.contains("cublas_median_ms")) return;
                 if (precision_of(run) != library_precision(precision)) return;
                 medians_ms.push_back(run.at("cublas_median_ms"));
                 file = &result;
               });
  if (file == nullptr) return {};
  const auto middle = medians_ms.begin() + std::ssize(medians_ms) / 2;
  std::ranges::nth_element(medians_ms, middle);
  return timing_of(*file, problem, precision, *middle);
}

namespace {

// Removes a last word "h100". Texts that refer to times of that GPU say so.
std::string_view take_device(std::vector<std::string>& words) {
  if (words.back() != "h100") return "NVIDIA H200";
  words.pop_back();
  return "NVIDIA H100 80GB HBM3";
}

std::string milliseconds_text(double ms) {
  const int decimals = ms < 1 ? 3 : ms < 10 ? 2 : ms < 100 ? 1 : 0;
  return fmt::format("{:.{}f} ms", ms, decimals);
}

// What `kind` of number it is, in words; empty for no such number.
std::string timed_number(const std::string& kind, const std::string& kernel, const Problem& problem,
                         std::string_view device) {
  std::optional<RecordedTiming> timing = recorded_timing(kernel, problem, device);
  for (const std::string& name : precision_names()) {
    const Precision precision = precision_named(name).value();
    if (kernel == (precision == Precision::fp32 ? "cublas" : "cublas-" + name))
      timing = recorded_cublas_timing(problem, device, precision);
  }
  if (!timing) return "";
  if ((kind == "peak" || kind == "room") && !time_of(*timing).percent_of_peak) return "";
  if (kind == "ms") return milliseconds_text(timing->median_ms);
  if (kind == "peak") return fmt::format("{:.0f} %", *time_of(*timing).percent_of_peak);
  if (kind == "room") return fmt::format("{:.2f}", 100 / *time_of(*timing).percent_of_peak);
  if (kind == "tflops") return fmt::format("{:.1f} TFLOP/s", timing->tflops);
  return timing->percent_of_cublas ? fmt::format("{:.0f} %", *timing->percent_of_cublas) : "";
}

bool is_kind(std::string_view word) {
  constexpr std::array kinds = {"percent", "peak", "room", "ms", "tflops", "ncu", "gain"};
  return std::ranges::count(kinds, word) > 0;
}

std::string gained(const std::string& kernel, const std::string& other, const Problem& problem,
                   std::string_view device) {
  const auto gain = recorded_gain(kernel, other, problem, device);
  return gain ? fmt::format("{:.1f} ± {:.1g} points", gain->points, gain->deviation) : "";
}

std::string number_of(std::vector<std::string> words) {
  const std::string_view device = take_device(words);
  if (words.size() != (words[0] == "gain" ? 4 : 3)) return "";
  if (words[0] == "ncu") return metric_text(profiled(recorded_profile(), words[1], words[2]));
  const auto problem = problem_in(words.back());
  if (!problem) return "";
  return words[0] == "gain" ? gained(words[1], words[2], *problem, device)
                            : timed_number(words[0], words[1], *problem, device);
}

}  // namespace

std::string with_recorded_numbers(std::string_view text, std::string_view path) {
  return with_references(text, [&](std::string_view reference) -> std::optional<std::string> {
    const std::vector<std::string> words = split(reference, ' ');
    if (!is_kind(words.front())) return {};
    std::string reason;
    try {
      if (const std::string number = number_of(words); !number.empty()) return number;
    } catch (const Error& error) {
      reason = std::string(": ") + error.what();
    }
    throw Error(ExitStatus::usage,
                fmt::format("{}: '{{{}}}' is not a recorded number{}", path, reference, reason),
                "Write {percent KERNEL SIZE}, {peak KERNEL SIZE}, {room KERNEL SIZE}, {ms KERNEL "
                "SIZE}, {tflops KERNEL SIZE} or {gain KERNEL OTHER SIZE} of times in docs/results, "
                "or {ncu KERNEL FORMULA} of metrics in docs/results/profile.");
  });
}

namespace {

constexpr const char* how_to_record =
    "'scripts/gpu-check DIR --only profiler' and 'scripts/record-profile DIR' record it.";

std::vector<ProfilerMetric> read_metrics(std::string_view csv) {
  std::vector<ProfilerMetric> metrics;
  for (const std::string& line : split_lines(csv)) {
    std::vector<std::string> fields = split(line, ',');
    metrics.push_back({fields.at(0), fields.at(1), fields.at(2), fields.at(3)});
  }
  metrics.erase(metrics.begin());  // the columns' names
  return metrics;
}

Values numbers_in(const Json& json) {
  Values numbers;
  for (const auto& [name, value] : json.items()) {
    if (value.is_number()) numbers[name] = value;
  }
  return numbers;
}

HotLoop hot_loop_in(const Json& json) {
  HotLoop loop{json.at("kernel"), json.at("instructions"), json.at("share_of_executed"), {}};
  for (const Json& line : json.at("lines")) {
    loop.lines.push_back(
        {line.at("kind"), line.at("address"), line.at("text"), line.at("in_loop")});
  }
  return loop;
}

}  // namespace

const std::vector<ProfilerMetric>& profiler_metrics() {
  static const std::vector<ProfilerMetric> metrics = read_metrics(embedded_profiler_metrics());
  return metrics;
}

const ProfilerMetric& profiler_metric(std::string_view name) {
  const auto found = std::ranges::find(profiler_metrics(), name, &ProfilerMetric::name);
  if (found != profiler_metrics().end()) return *found;
  throw Error(ExitStatus::usage, fmt::format("the profiler has no metric '{}'", name),
              "lessons/profiler/metrics.csv has their names.");
}

Profile read_profile(std::string_view json) {
  const Json parsed = Json::parse(json);
  std::map<std::string, Values, std::less<>> kernels;
  for (const auto& [name, numbers] : parsed.at("kernels").items()) {
    kernels[name] = numbers_in(numbers);
  }
  return {parsed.at("device"),   parsed.at("driver"),
          parsed.at("date"),     parsed.at("profiler"),
          parsed.at("compiler"), parsed.at("size"),
          std::move(kernels),    hot_loop_in(parsed.at("hot_loop"))};
}

const Profile& recorded_profile() {
  static const Profile profile = read_profile(embedded_profile());
  return profile;
}

double profiled(const Profile& profile, std::string_view kernel, std::string_view formula) {
  const auto found = profile.kernels.find(kernel);
  if (found == profile.kernels.end()) {
    throw Error(ExitStatus::usage, fmt::format("'{}' was not profiled", kernel), how_to_record);
  }
  return evaluated(formula, found->second);
}

std::string metric_text(double value) {
  if (value == std::floor(value) || value >= 1000) return with_thousands(std::llround(value));
  return fmt::format("{:.{}f}", value, value < 10 ? 2 : value < 100 ? 1 : 0);
}

}  // namespace gemm_tutor
