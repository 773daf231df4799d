#include "course/recorded_text.hpp"

#include <fmt/format.h>

#include "course/profile.hpp"
#include "course/recorded.hpp"
#include "support/error.hpp"
#include "support/references.hpp"
#include "support/text.hpp"

namespace gemm_tutor {
namespace {

constexpr std::string_view recorded_device = "NVIDIA H200";

std::string milliseconds_text(double ms) {
  const int decimals = ms < 1 ? 3 : ms < 10 ? 2 : ms < 100 ? 1 : 0;
  return fmt::format("{:.{}f} ms", ms, decimals);
}

// What `kind` of number it is, in words; empty for no such number.
std::string timed_number(const std::string& kind, const std::string& kernel, int size) {
  const Problem problem{size, size, size};
  const auto timing = kernel == "cublas" ? recorded_cublas_timing(problem, recorded_device)
                                         : recorded_timing(kernel, problem, recorded_device);
  if (!timing) return "";
  if (kind == "ms") return milliseconds_text(timing->median_ms);
  if (kind == "tflops") return fmt::format("{:.1f} TFLOP/s", timing->tflops);
  return timing->percent_of_cublas ? fmt::format("{:.0f} %", *timing->percent_of_cublas) : "";
}

bool is_kind(std::string_view word) {
  return word == "percent" || word == "ms" || word == "tflops" || word == "ncu";
}

std::string number_of(const std::vector<std::string>& words) {
  if (words.size() != 3) return "";
  if (words[0] == "ncu") return metric_text(profiled(recorded_profile(), words[1], words[2]));
  const auto size = number_in<int>(words[2]);
  return size ? timed_number(words[0], words[1], *size) : "";
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
                "Write {percent KERNEL SIZE}, {ms KERNEL SIZE} or {tflops KERNEL SIZE} of a time "
                "in docs/results, or {ncu KERNEL FORMULA} of metrics in docs/results/profile.");
  });
}

}  // namespace gemm_tutor
