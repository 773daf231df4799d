#include "course/recorded_text.hpp"

#include <fmt/format.h>

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
std::string number_of(const std::string& kind, const std::string& kernel, int size) {
  const Problem problem{size, size, size};
  const auto timing = kernel == "cublas" ? recorded_cublas_timing(problem, recorded_device)
                                         : recorded_timing(kernel, problem, recorded_device);
  if (!timing) return "";
  if (kind == "ms") return milliseconds_text(timing->median_ms);
  if (kind == "tflops") return fmt::format("{:.1f} TFLOP/s", timing->tflops);
  return timing->percent_of_cublas ? fmt::format("{:.0f} %", *timing->percent_of_cublas) : "";
}

bool is_kind(std::string_view word) {
  return word == "percent" || word == "ms" || word == "tflops";
}

}  // namespace

std::string with_recorded_numbers(std::string_view text, std::string_view path) {
  return with_references(text, [&](std::string_view reference) -> std::optional<std::string> {
    const std::vector<std::string> words = split(reference, ' ');
    if (!is_kind(words.front())) return {};
    const auto size = words.size() == 3 ? number_in<int>(words[2]) : std::nullopt;
    const std::string number = size ? number_of(words[0], words[1], *size) : "";
    if (!number.empty()) return number;
    throw Error(ExitStatus::usage,
                fmt::format("{}: '{{{}}}' is no recorded number", path, reference),
                "Write {percent KERNEL SIZE}, {ms KERNEL SIZE} or {tflops KERNEL SIZE}, of a time "
                "in docs/results.");
  });
}

}  // namespace gemm_tutor
