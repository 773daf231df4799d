#include "course/recorded_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "course/ladder.hpp"
#include "course/profile.hpp"
#include "course/recorded.hpp"
#include "gemm/extents.hpp"
#include "support/error.hpp"
#include "support/references.hpp"
#include "support/text.hpp"

namespace gemm_tutor {
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
  const auto timing = kernel == "cublas" ? recorded_cublas_timing(problem, device)
                                         : recorded_timing(kernel, problem, device);
  if (!timing) return "";
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

}  // namespace gemm_tutor
