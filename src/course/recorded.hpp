// Recorded times from docs/results, for readers without a GPU.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "course/lesson_run.hpp"

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

// Returns cuBLAS's time at that size, for matrices of that precision: the median of those recorded
// with each kernel.
std::optional<RecordedTiming> recorded_cublas_timing(const Problem& problem,
                                                     std::string_view device,
                                                     Precision precision = Precision::fp32);

// Replaces references in a lesson's `text`, so that text and data cannot differ, by numbers
// recorded on the NVIDIA H200, or on the NVIDIA H100 if SIZE is followed by "h100":
//   {percent KERNEL SIZE}  percentage of cuBLAS's speed at SIZE, "4096" or "2048x2048x2047": "98 %"
//   {peak KERNEL SIZE}     percentage of the GPU's peak for the kernel's precision: "74 %"
//   {room KERNEL SIZE}     how many times as fast the peak is: "1.31"
//   {ms KERNEL SIZE}       "2.75 ms"
//   {tflops KERNEL SIZE}   "50.0 TFLOP/s"
//   {gain KERNEL OTHER SIZE}  points of cuBLAS's speed that KERNEL gains: "0.9 ± 0.2 points"
//   {ncu KERNEL FORMULA}   a formula over the profiler's metrics (metrics.csv): "0.37"
// Instead of a KERNEL, the four before {gain} may have cublas, with FP32, or cublas-bf16 and the
// like. Other braces stay. Throws Error (usage) with `path` if a number was not recorded.
std::string with_recorded_numbers(std::string_view text, std::string_view path);

}  // namespace gemm_tutor
