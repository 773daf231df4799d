// Runs many kernels at many sizes, for `gemm-tutor compare`.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "course/lesson_run.hpp"

namespace gemm_tutor {

struct Ladder {
  std::string device;                         // a GPU's name, or the emulator with its limits
  Backend backend = Backend::emulator;        // or the GPU
  std::optional<std::string> driver, clocks;  // of a GPU
  std::string date;                           // today: 2026-11-21
  simt::GpuSpec gpu;                          // the GPU, or whose limits the emulator used
  std::vector<LessonRun> runs;                // size by size, in the order of the lessons
  std::vector<const Kernel*> left_out;        // kernels that need a newer GPU
};

struct LadderRequest {
  std::vector<const Lesson*> lessons;  // with kernels for a GPU
  std::vector<Problem> problems;
  RunOptions options;  // without the problem
};

// Called before each run, with the number of runs done, of all runs, and the next run's name.
using LadderProgress = std::function<void(int done, int all, const std::string& next)>;

// Throws what run_kernel() throws. A kernel with a wrong result is among the runs. Kernels that
// need a newer GPU are left out if there are others.
Ladder run_ladder(const LadderRequest& request, const LadderProgress& progress);

// The source of a run's time: measured now on a GPU, recorded earlier, or estimated.
enum class TimeSource { measured, recorded, estimated };
std::string_view name_of(TimeSource source);  // "measured"

struct LadderTime {
  double median_ms = 0, tflops = 0;
  // Of the GPU's peak for the kernel's precision; nothing on a CPU, or if it is not known.
  std::optional<double> percent_of_peak;
  std::optional<double> percent_of_cublas;  // of the same types
  TimeSource source = TimeSource::measured;
};

// The tensor cores' products that reach the most in a precision; none in FP32, whose peak is that
// of the FP32 units, also for a kernel that uses others in their place.
simt::Product product_of(Precision precision);

// Returns a rate as a percentage of the GPU's peak for that precision; nothing if it is not known.
std::optional<double> percent_of_peak(double tflops, const simt::GpuSpec& gpu,
                                      Precision precision = Precision::fp32);

// Returns FLOP/s by the roofline model (Williams, Waterman and Patterson, 2009). A kernel with
// `intensity` FLOP per byte of memory traffic is limited by arithmetic or by bandwidth, whichever
// is lower.
double attainable_flops(const simt::GpuSpec& gpu, double intensity,
                        Precision precision = Precision::fp32);

// Returns the intensity, in FLOP per byte, above which arithmetic is the limit.
double ridge_intensity(const simt::GpuSpec& gpu, Precision precision = Precision::fp32);

LadderTime time_of(const RecordedTiming& recorded);

// Return the time from that source; nothing if there is none.
std::optional<LadderTime> measured_time(const KernelRun& run);
std::optional<LadderTime> recorded_time(const KernelRun& run);

// Returns the time of cuBLAS with FP32 at the run's size: on a GPU, as measured with another kernel
// of the ladder; otherwise as recorded. Nothing if it is not known.
std::optional<double> cublas_fp32_ms(const Ladder& ladder, const KernelRun& run);

// Returns the estimate; nothing if there is none or if it is not reliable. It has a percentage if
// cuBLAS's time at that size and on that GPU is known, from the same run or recorded.
std::optional<LadderTime> estimated_time(const KernelRun& run);

// Returns the measured time, otherwise the recorded one, otherwise the estimated one.
std::optional<LadderTime> time_of(const KernelRun& run);

// True if it is the lesson's first kernel.
bool is_own_kernel(const LessonRun& run);

// Returns how many times faster the lesson's kernel is than that of changed_lesson() at the same
// size. If the sources of the times differ and both have estimates, compares the estimates. Nothing
// if that lesson is not in the ladder.
std::optional<double> speed_up(const Ladder& ladder, const LessonRun& run);

// Returns the FFMAs as a share of the machine instructions of all warps, 0 to 1. Without machine
// code, of the PTX instructions.
double ffma_share(const KernelRun& run);

// What a speed consists of. It is pure accounting:
//   percent_of_peak / 100 = ffma_share · issue_rate · needed · slots_per_ffma
struct SpeedFactors {
  double ffma_share = 0;
  // The share of issue slots with an instruction. There is a slot for each scheduler and each cycle
  // of the clock from which the peak is computed.
  double issue_rate = 0;
  double needed = 1;          // the M·N·K of the product, as a share of the FFMAs of all lanes
  double slots_per_ffma = 1;  // 2 where a scheduler has FP32 units for 16 of a warp's 32 lanes
};

// Nothing without machine code, if the run has findings or a wrong result, or if the product is not
// computed by FFMAs alone.
std::optional<SpeedFactors> speed_factors(const KernelRun& run, const LadderTime& time);

// Returns the wavefronts of shared memory per FFMA of a warp; nothing if it has no FFMA.
std::optional<double> wavefronts_per_ffma(const KernelRun& run);

// Return the FLOP per byte loaded from and stored to global memory, or shared memory; 0 if the
// kernel does not use it.
double global_intensity(const KernelRun& run);
double shared_intensity(const KernelRun& run);

// "1,024" for M = N = K, otherwise "3,000×5,000×700".
std::string size_words(const Problem& problem);

// Returns the ladder's problems, and its kernels' precisions, each once and in its order.
std::vector<Problem> problems_of(const Ladder& ladder);
std::vector<Precision> precisions_of(const Ladder& ladder);

}  // namespace gemm_tutor
