// Recorded times and the profiler's counts, from docs/results, for readers without a GPU.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "course/expression.hpp"
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

// Nsight Compute's counts for the lessons' kernels on one GPU, for the chapter on the profiler.

// A row of lessons/profiler/metrics.csv, which scripts/gpu-check also reads.
struct ProfilerMetric {
  std::string name;    // "global_load_sectors", also in recordings
  std::string metric;  // Nsight Compute's name
  std::string where;   // its place in the report: "Launch Statistics: Registers Per Thread"
  std::string words;   // "sectors that they load"
};

const std::vector<ProfilerMetric>& profiler_metrics();

// Throws Error (usage) if there is no metric of that name.
const ProfilerMetric& profiler_metric(std::string_view name);

// The first instruction of a kind in the hot loop of a kernel's machine code.
struct LoopInstruction {
  std::string kind;     // "FFMA reuse", "LDS.128"
  std::string address;  // offset in the kernel's code, hexadecimal
  std::string text;     // "FFMA R16, R8, R12.reuse, R16"
  int in_loop = 0;      // number of instructions of this kind in the loop
};

struct HotLoop {
  std::string kernel;
  int instructions = 0;
  double share_of_executed = 0;  // share of all instructions that the kernel's warps executed
  std::vector<LoopInstruction> lines;
};

struct Profile {
  std::string device, driver, date, profiler, compiler;
  int size = 0;                                        // M = N = K
  std::map<std::string, Values, std::less<>> kernels;  // by kernel: metrics by name
  HotLoop hot_loop;
};

// Parses the JSON that scripts/record-profile writes.
Profile read_profile(std::string_view json);

// Returns docs/results/profile/nvidia-h200.json, which the build embeds.
const Profile& recorded_profile();

// Returns the value of `formula`, "ffma/(32·instructions)", for the kernel's metrics. Throws Error
// (usage) if the kernel or a metric was not recorded.
double profiled(const Profile& profile, std::string_view kernel, std::string_view formula);

// As texts show it: three digits, but whole numbers as they are. "0.37", "67.5", "1,717".
std::string metric_text(double value);

}  // namespace gemm_tutor
