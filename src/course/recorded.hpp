// Recorded times from docs/results, for readers without a GPU.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "course/kernel_run.hpp"

namespace gemm_tutor {

// The files of docs/results, which the build embeds. scripts/record-results writes them from the
// JSON of `compare`.
const std::vector<const char*>& embedded_results();

// Returns the time of `kernel` with its default settings on the GPU of that full name, at exactly
// that size. Nothing if no embedded file, or none of `results`, has it.
std::optional<RecordedTiming> recorded_timing(std::string_view kernel, const Problem& problem,
                                              std::string_view device);
std::optional<RecordedTiming> recorded_timing(std::string_view kernel, const Problem& problem,
                                              std::string_view device,
                                              const std::vector<const char*>& results);

// How many points more of cuBLAS's speed one kernel has than another, over passes that time both:
// the mean of the differences, and their standard deviation.
struct RecordedGain {
  double points = 0, deviation = 0;
};

// Nothing if they were not measured in the same passes.
std::optional<RecordedGain> recorded_gain(std::string_view kernel, std::string_view other,
                                          const Problem& problem, std::string_view device);
std::optional<RecordedGain> recorded_gain(std::string_view kernel, std::string_view other,
                                          const Problem& problem, std::string_view device,
                                          const std::vector<const char*>& results);

// Returns cuBLAS's time at that size: the median of those recorded with each kernel.
std::optional<RecordedTiming> recorded_cublas_timing(const Problem& problem,
                                                     std::string_view device);

}  // namespace gemm_tutor
