// One kernel at one size, from source to verdict: what the reports show.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "course/lesson.hpp"
#include "emulator/emulator.hpp"
#include "gemm/verification.hpp"
#include "model/gpu_spec.hpp"
#include "model/occupancy.hpp"

namespace gemm_tutor {

enum class Backend { automatic, gpu, emulator };

inline constexpr std::int64_t automatic_blocks = -1, all_blocks = -2;

struct RunOptions {
  Problem problem;
  std::uint64_t seed = 1;
  Backend backend = Backend::automatic;
  std::string gpu;  // --gpu: whose limits; empty: the GPU that is there, else h200
  // --blocks: a count; all_blocks; or, without the option, as many as take about two seconds.
  std::int64_t blocks = automatic_blocks;
};

struct Traffic {
  std::int64_t predicted_loads = 0, predicted_stores = 0;  // floats
  bool formula_is_exact = true;  // at this size: for some kernels a multiple of the tile
  std::optional<std::int64_t> counted_loads, counted_stores;
  bool count_is_exact = true;  // of all blocks or rows, not scaled from some of them
};

struct RunTiming {
  std::string where;  // "gpu" or "cpu"
  int runs = 0;
  double median_ms = 0, min_ms = 0, tflops = 0;
  std::optional<double> cublas_median_ms, percent_of_cublas;
};

// A time measured earlier on another machine, from docs/results.
struct RecordedTiming {
  std::string device, driver, date;
  double median_ms = 0, tflops = 0;
  std::optional<double> percent_of_cublas;
};

// Against the lesson before's own kernel at the same size, from the emulator's counts of both.
struct Comparison {
  int lesson = 0;                  // the number of the lesson before
  double load_floats_factor = 0;   // its loads over these: 32 means 32 times less here
  double load_sectors_factor = 0;  // likewise for sectors of global loads
  bool exact = true;               // neither count was sampled
};

struct KernelRun {
  const Lesson* lesson = nullptr;
  const Kernel* kernel = nullptr;
  Settings settings;
  Problem problem;
  std::string backend;  // "gpu", "emulator" or "cpu"
  std::string device;   // the GPU's name; the emulator with its limits; the CPU's name

  std::optional<Launch> launch;
  std::string launch_statement;  // shared_memory_tile<32, 32, 32><<<dim3(64, 64), …>>>(A, …)
  std::optional<KernelResources> resources;
  std::optional<Occupancy> occupancy;

  Traffic traffic;
  std::optional<emulator::Result> emulation;
  std::optional<RunTiming> timing;
  std::optional<RecordedTiming> recorded;
  std::optional<Comparison> comparison;
  Verification verification;
};

// Compiles, executes, verifies. Throws Error for what cannot be done; a wrong result is no Error
// but a KernelRun whose verification did not pass or whose emulation has findings.
KernelRun run_kernel(const Lesson& lesson, const Kernel& kernel, const Settings& settings,
                     const RunOptions& options);

}  // namespace gemm_tutor
