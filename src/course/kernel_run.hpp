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

struct RunOptions {
  Problem problem;
  std::uint64_t seed = 1;
  Backend backend = Backend::automatic;
  std::string gpu;           // --gpu: whose limits; empty: the GPU that is there, else h200
  std::int64_t blocks = -1;  // --blocks: -1 for all
};

struct Traffic {
  std::int64_t predicted_loads = 0, predicted_stores = 0;  // floats
  bool formula_is_exact = true;  // the size is a multiple of the tile
  std::optional<std::int64_t> counted_loads, counted_stores;
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
  Verification verification;
};

// Compiles, executes, verifies. Throws Error for what cannot be done; a wrong result is no Error but
// a KernelRun whose verification did not pass or whose emulation has findings.
KernelRun run_kernel(const Lesson& lesson, const Kernel& kernel, const Settings& settings,
                     const RunOptions& options);

}  // namespace gemm_tutor
