#include "course/recorded.hpp"

#include <nlohmann/json.hpp>

namespace gemm_tutor {
namespace {

using Json = nlohmann::json;

bool is_of(const Json& run, std::string_view kernel, const Problem& problem) {
  const Json& size = run.at("problem");
  return run.contains("timing") && run.at("lesson").at("kernel") == kernel &&
         Problem{size.at("m"), size.at("n"), size.at("k")} == problem;
}

RecordedTiming timing_of(const Json& result, const Json& run) {
  const Json& timing = run.at("timing");
  RecordedTiming recorded;
  recorded.device = result.at("device");
  recorded.driver = result.at("driver");
  recorded.date = result.at("date");
  recorded.median_ms = timing.at("median_ms");
  recorded.tflops = timing.at("tflops");
  if (timing.contains("percent_of_cublas")) {
    recorded.percent_of_cublas = timing.at("percent_of_cublas").get<double>();
  }
  return recorded;
}

}  // namespace

std::optional<RecordedTiming> recorded_timing(std::string_view kernel, const Problem& problem,
                                              std::string_view device,
                                              const std::vector<const char*>& results) {
  for (const char* text : results) {
    const Json result = Json::parse(text);
    if (result.at("device") != device) continue;
    for (const Json& run : result.at("runs")) {
      if (is_of(run, kernel, problem)) return timing_of(result, run);
    }
  }
  return {};
}

}  // namespace gemm_tutor
