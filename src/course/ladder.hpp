// Many kernels at many sizes, one after the other: what `gemm-tutor compare` puts side by side.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "course/kernel_run.hpp"

namespace gemm_tutor {

struct Ladder {
  std::string device;                         // a GPU's name, or the emulator with its limits
  Backend backend = Backend::emulator;        // or the GPU
  std::optional<std::string> driver, clocks;  // of a GPU
  std::string date;                           // today's: 2026-11-21
  GpuSpec gpu;                                // that ran it, or whose limits the emulator assumed
  std::vector<KernelRun> runs;                // size by size, in the order of the lessons
  std::vector<const Kernel*> left_out;        // for newer GPUs than this one
};

struct LadderRequest {
  std::vector<const Lesson*> lessons;  // with kernels for a GPU
  std::vector<Problem> problems;
  RunOptions options;  // but for the problem
};

// Called before each run: how many are done, how many there are, and what is next.
using LadderProgress = std::function<void(int done, int all, const std::string& next)>;

// Throws what run_kernel() throws; a kernel whose result is wrong is among the runs, one for newer
// GPUs is left out where there are others.
Ladder run_ladder(const LadderRequest& request, const LadderProgress& progress);

// A run's time: taken now on a GPU, recorded on one earlier, or estimated.
enum class TimeSource { measured, recorded, estimated };
std::string_view name_of(TimeSource source);  // "measured"

struct LadderTime {
  double median_ms = 0, tflops = 0;
  std::optional<double> percent_of_cublas;
  TimeSource source = TimeSource::measured;
};

// In percent of cuBLAS where its time is known for that GPU and size: from the same run, or
// recorded. Nothing without an estimate, and where it is not reliable.
std::optional<LadderTime> estimated_time(const KernelRun& run);

// The most certain one: measured, else recorded, else estimated.
std::optional<LadderTime> time_of(const KernelRun& run);

// It is of the lesson's first kernel, not of another that is shown beside it.
bool is_own_kernel(const KernelRun& run);

// How many times faster a lesson's own kernel is than that of changed_lesson() at the same size.
// By the estimates where the times are of different sources and there are both. Nothing where that
// lesson is not in the ladder.
std::optional<double> speed_up(const Ladder& ladder, const KernelRun& run);

// FFMA of all instructions of its warps, as written in PTX: 0 to 1.
double ffma_share(const KernelRun& run);

// Wavefronts of shared memory for each FFMA of a warp. Nothing where the kernel has no FFMA.
std::optional<double> wavefronts_per_ffma(const KernelRun& run);

// FLOP for each byte loaded from and stored to global memory, and to shared memory; 0 where it is
// not used.
double global_intensity(const KernelRun& run);
double shared_intensity(const KernelRun& run);

// "1,024" for M = N = K, "3,000×5,000×700" for M, N and K.
std::string size_words(const Problem& problem);

// The problems in a ladder, each once, in its order.
std::vector<Problem> problems_of(const Ladder& ladder);

}  // namespace gemm_tutor
