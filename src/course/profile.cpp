#include "course/profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "course/embedded_lessons.hpp"
#include "support/error.hpp"
#include "support/text.hpp"

namespace gemm_tutor {
namespace {

using Json = nlohmann::json;

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
  return Expression::parse(formula).value(found->second);
}

std::string metric_text(double value) {
  if (value == std::floor(value) || value >= 1000) return with_thousands(std::llround(value));
  return fmt::format("{:.{}f}", value, value < 10 ? 2 : value < 100 ? 1 : 0);
}

}  // namespace gemm_tutor
