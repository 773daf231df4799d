// Nsight Compute's counts for the lessons' kernels on one GPU, for the chapter on the profiler.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "course/expression.hpp"

namespace gemm_tutor {

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
