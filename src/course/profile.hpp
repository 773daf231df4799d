// What Nsight Compute counted of the lessons' kernels on one GPU, for the chapter on the profiler.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "course/expression.hpp"

namespace gemm_tutor {

// lessons/profiler/metrics.csv, which scripts/gpu-check reads, too.
struct ProfilerMetric {
  std::string name;    // "global_load_sectors", here and in recordings
  std::string metric;  // as Nsight Compute names it
  std::string where;   // in its report: "Launch Statistics: Registers Per Thread"
  std::string words;   // "sectors that they load"
};

const std::vector<ProfilerMetric>& profiler_metrics();

// Throws Error (usage) where there is no metric of that name.
const ProfilerMetric& profiler_metric(std::string_view name);

// Of the hot loop of one kernel's machine code, the first instruction of a kind.
struct LoopInstruction {
  std::string kind;     // "FFMA reuse", "LDS.128"
  std::string address;  // in the kernel's code, hexadecimal
  std::string text;     // "FFMA R16, R8, R12.reuse, R16"
  int in_loop = 0;      // how many of this kind there are
};

struct HotLoop {
  std::string kernel;
  int instructions = 0;
  double share_of_executed = 0;  // of all that the kernel's warps executed
  std::vector<LoopInstruction> lines;
};

struct Profile {
  std::string device, driver, date, profiler, compiler;
  int size = 0;                                        // M = N = K
  std::map<std::string, Values, std::less<>> kernels;  // by kernel: metrics by name
  HotLoop hot_loop;
};

// As scripts/record-profile writes it.
Profile read_profile(std::string_view json);

// docs/results/profile/nvidia-h200.json, as the build embedded it.
const Profile& recorded_profile();

// The value of `formula`, "ffma/(32·instructions)", of that kernel's metrics. Throws Error (usage)
// where the kernel or a metric was not recorded.
double profiled(const Profile& profile, std::string_view kernel, std::string_view formula);

// As texts show it: three digits, but whole numbers as they are. "0.37", "67.5", "1,717".
std::string metric_text(double value);

}  // namespace gemm_tutor
