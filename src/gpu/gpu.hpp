// The GPU of this machine, through the driver API and cuBLAS. Both libraries are loaded on first
// use, so a program that never calls this runs without them. Every call's return code is checked; a
// failure is an Error (unavailable) that names the call and the driver's own message.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gemm/parameter.hpp"
#include "gemm/problem.hpp"
#include "model/gpu_spec.hpp"
#include "model/launch.hpp"
#include "support/activity.hpp"

namespace gemm_tutor::gpu {

struct Status {
  bool available = false;
  std::string problem;  // why there is none: "no NVIDIA driver is installed (libcuda.so.1 …)"
  std::string help;     // what to do
  GpuSpec spec;         // of the device, as the driver reports it (its clock and bandwidth too)
  std::string driver;   // "580.159.04", or the CUDA version of the driver where that is not known
  std::size_t total_memory = 0, free_memory = 0;  // bytes
  bool cublas_available = false;
  std::string cublas_version;  // "13.0.2"
  std::string cublas_problem;
};

// Looks once, and never throws.
const Status& status();

struct Timing {
  int runs = 0;
  double median_ms = 0, min_ms = 0, max_ms = 0;
  double iqr_ms = 0;  // the interquartile range: from the first quartile to the third
};

struct KernelTiming {
  Timing kernel;
  Timing cublas;  // runs is 0 when cuBLAS is not there
};

// A kernel to launch, and those that are launched after it: together they are one run.
struct DeviceKernel {
  // A cubin; or PTX text with a zero after it, which the driver assembles itself.
  std::span<const char> code;
  std::string lowered_name;
  Launch launch;
  std::vector<Parameter> parameters = usual_parameters;
  std::int64_t workspace_floats = 0;  // of the memory that they all have in common, beside A, B, C
  std::vector<DeviceKernel> then = {};  // with neither workspace nor followers of their own
};

// The device with A and B of one problem on it. Device 0 of CUDA_VISIBLE_DEVICES.
class Session {
 public:
  // Throws Error (unavailable) without a GPU, or when the matrices do not fit in its memory (saying
  // how much is needed and how much there is).
  Session(const Problem& problem, std::span<const float> a, std::span<const float> b);
  ~Session();
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;

  // Gives C what it holds before (nothing: poison), fills the workspace with NaN, launches once,
  // waits, and copies C back. Throws Error: (wrong_result) when the kernel itself fails (an illegal
  // address, say), after which the driver refuses this process any more work; (unavailable) when
  // its workspace does not fit in memory.
  std::vector<float> run(const DeviceKernel& kernel, std::span<const float> c_before = {});

  // Warms up, then times single launches with events, the kernel's and cuBLAS's alternating, each
  // with the C that the launch before it left: at
  // least 20 runs and 0.2 s of each, whichever is more, but hardly more than 10,000 runs; 3 runs
  // where one takes over 1 s. Runs of some 10 µs and more are timed without the host's part of
  // their launch; of shorter ones that is a part. Throws as run() does, and Interrupted between
  // runs.
  KernelTiming time(const DeviceKernel& kernel, Activity* activity = nullptr);

  // C by cuBLAS FP32 (no tensor cores), row-major; and its time alone.
  std::vector<float> run_cublas();
  Timing time_cublas(Activity* activity = nullptr);

  // The driver's own answer to how many blocks of the kernel an SM holds.
  int active_blocks_per_multiprocessor(const DeviceKernel& kernel);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace gemm_tutor::gpu
