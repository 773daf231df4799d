// The GPU of this machine, through the driver API and cuBLAS. Both libraries are loaded at first
// use, so the program runs without them. The return code of every call is checked. A failure throws
// Error (unavailable) with the call and the driver's message.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gemm/problem.hpp"
#include "gemm/scalar.hpp"
#include "simt/gpu_spec.hpp"
#include "support/activity.hpp"

namespace gemm_tutor::gpu {

struct Status {
  bool available = false;
  std::string problem;  // why it is not: "no NVIDIA driver is installed (libcuda.so.1 …)"
  std::string help;     // what the user can do
  simt::GpuSpec spec;   // as the driver reports it, including clock and bandwidth
  std::string driver;   // "580.159.04", or the driver's CUDA version if that is not known
  std::size_t total_memory = 0, free_memory = 0;  // bytes
  bool cublas_available = false;
  std::string cublas_version;  // "13.0.2"
  std::string cublas_problem;
};

// Queries the GPU at the first call. Never throws.
const Status& status();

struct Timing {
  int runs = 0;
  double median_ms = 0, min_ms = 0, max_ms = 0;
  double iqr_ms = 0;  // interquartile range
};

struct KernelTiming {
  Timing kernel;
  Timing cublas;  // runs is 0 without cuBLAS
};

// A kernel to launch, and the kernels to launch after it. Together they are one run.
struct DeviceKernel {
  // A cubin, or zero-terminated PTX text, which the driver assembles.
  std::span<const char> code;
  std::string lowered_name;
  simt::Launch launch;
  std::vector<Parameter> parameters = usual_parameters;
  std::int64_t workspace_floats = 0;    // memory that all kernels of the run share
  std::vector<DeviceKernel> then = {};  // their workspace_floats and `then` are empty
};

// Device 0 of CUDA_VISIBLE_DEVICES, with A and B of one problem in its memory, in their types.
class Session {
 public:
  // Throws Error (unavailable) without a GPU, or with the needed and the available bytes if the
  // matrices do not fit into its memory.
  Session(const Problem& problem, std::span<const float> a, std::span<const float> b,
          const Types& types = {});
  ~Session();
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;

  // Sets C to `c_before`, or to poison if this is empty or passed as Cin, fills the workspace with
  // NaN, launches once, waits, and copies C back. Throws Error (wrong_result) if the kernel fails,
  // for example with an illegal address; after that the driver refuses all work of this process.
  // Throws Error (unavailable) if the workspace does not fit into memory.
  std::vector<float> run(const DeviceKernel& kernel, std::span<const float> c_before = {});

  // Warms up, then measures single launches with events, the kernel and cuBLAS alternately. C is
  // not reset between launches. Each has at least 20 runs and 0.2 s, but about 10,000 runs at most,
  // and 3 runs if one takes over 1 s. For runs of about 10 µs or more, the time does not contain
  // the host's launch overhead. Throws what run() throws, and Interrupted between runs.
  KernelTiming time(const DeviceKernel& kernel, Activity* activity = nullptr);

  // Computes C with cuBLAS, row-major, in the types of the session and with sums of its precision:
  // in FP32 without tensor cores. time_cublas() measures it.
  std::vector<float> run_cublas();
  Timing time_cublas(Activity* activity = nullptr);

  // Returns the number of the kernel's blocks per SM, as the driver computes it.
  int active_blocks_per_multiprocessor(const DeviceKernel& kernel);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace gemm_tutor::gpu
